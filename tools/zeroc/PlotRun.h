//===- PlotRun.h - Reads the metrics of a run -------------------*- C++ -*-===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <array>
#include <string>
#include <vector>

namespace mlir::zero {

/// A value at a step; y is NaN if it is missing or not finite.
struct PlotPoint {
  double x, y;
};
/// Points in increasing order of steps.
using Curve = std::vector<PlotPoint>;

/// The quantities that are drawn.
enum class Quantity { Loss, EvalLoss, GradNorm, Rate, Tokens, Samples };
constexpr size_t kNumQuantities = 6;

/// The contents of a file that --metrics has written.
struct PlotRun {
  std::string name; ///< the file's, in UTF-8
  std::array<Curve, kNumQuantities> curves;
  /// Steps that were skipped, the ones that --spike-guard skipped, and steps
  /// whose loss is not finite.
  std::vector<double> skipped, spikes, nonfinite;

  const Curve &operator[](Quantity quantity) const {
    return curves[static_cast<size_t>(quantity)];
  }
};

/// Reads the file, or the standard input if it is "-".  A line whose step is
/// not greater than the previous one discards all lines from that step on: a
/// resumed run has been appended there.  Errors name the file and the line.
llvm::Expected<PlotRun> readRun(StringRef path);

/// Returns the exponential moving average over about `steps` points, from both
/// sides.  It skips gaps, which remain gaps, and the values at the steps
/// `leftOut`, which are sorted.
Curve smoothed(const Curve &curve, int64_t steps, ArrayRef<double> leftOut);

/// Returns at most 4 points for each of `columns` equal parts of the curve's
/// steps: the minimum and the maximum, in their order, and gaps beside them.  A
/// curve with at most twice as many points as `columns` is unchanged.
Curve thinned(const Curve &curve, size_t columns);

/// Returns the text of an SVG 1.1 file: equal runs give equal bytes.
std::string drawRuns(ArrayRef<PlotRun> runs);

} // namespace mlir::zero
