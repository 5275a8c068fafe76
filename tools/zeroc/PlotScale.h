//===- PlotScale.h - From values to places, and their ticks -----*- C++ -*-===//
#pragma once

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir::zero {

/// The values that an axis shows.
struct AxisRange {
  double low, high;
  /// Adds a value.
  void add(double value);
  bool isEmpty() const { return !(low <= high); }
  /// Has room on both sides of what it shows, and some length.
  AxisRange padded(double share) const;
};
/// Of no value.
AxisRange emptyRange();

/// Places values of `range` evenly, or by their logarithm, from `from` to `to`.
class Scale {
public:
  Scale(AxisRange range, bool isLog, double from, double to);
  double operator()(double value) const;

private:
  bool isLog;
  double low, perUnit, from;
};

/// A value that an axis names.
struct Tick {
  double value;
  std::string label;
};

/// About `wanted` values in `range`, at multiples of 1, 2 or 5 times a power of
/// ten; of whole numbers only if `isWhole`.
std::vector<Tick> linearTicks(AxisRange range, int wanted,
                              bool isWhole = false);
/// Powers of ten in `range`; where it has few of them 2 and 5 times those too.
/// `range.low` is above 0.
std::vector<Tick> logTicks(AxisRange range);

/// 12345 as "12,345".
std::string withCommas(int64_t value);

} // namespace mlir::zero
