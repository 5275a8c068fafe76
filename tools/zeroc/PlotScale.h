//===- PlotScale.h - Maps values to pixels, and places ticks ----*- C++ -*-===//
#pragma once

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace mlir::zero {

/// The values that an axis shows.
struct AxisRange {
  double low, high;
  /// Extends the range to contain a value.
  void add(double value);
  bool isEmpty() const { return !(low <= high); }
  /// Returns the range with a margin on both sides, and a positive length.
  AxisRange padded(double share) const;
};
/// The range that contains no value.
AxisRange emptyRange();

/// Maps values of `range` linearly, or by their logarithm, to `from`...`to`.
class Scale {
public:
  Scale(AxisRange range, bool isLog, double from, double to);
  double operator()(double value) const;

private:
  bool isLog;
  double low, perUnit, from;
};

/// A labelled value of an axis.
struct Tick {
  double value;
  std::string label;
};

/// Returns about `wanted` values in `range`, at multiples of 1, 2 or 5 times a
/// power of ten; only integers if `isWhole`.
std::vector<Tick> linearTicks(AxisRange range, int wanted,
                              bool isWhole = false);
/// Returns powers of ten in `range`; if there are few, also 2 and 5 times
/// those.  `range.low` is positive.
std::vector<Tick> logTicks(AxisRange range);

/// Prints `value` by a form such as "%.*g", which takes `digits`.
std::string printed(const char *form, int digits, double value);

} // namespace mlir::zero
