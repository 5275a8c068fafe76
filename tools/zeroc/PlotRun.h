//===- PlotRun.h - The metrics of a run, read to be drawn -------*- C++ -*-===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <array>
#include <string>
#include <vector>

namespace mlir::zero {

/// A value of a step; where it is not finite or not there, y is a NaN.
struct PlotPoint {
  double x, y;
};
/// By step, upwards.
using Curve = std::vector<PlotPoint>;

/// What is drawn of a run.
enum class Quantity { Loss, EvalLoss, GradNorm, Rate, Tokens, Samples };
constexpr size_t kNumQuantities = 6;

/// A file that --metrics has written.
struct PlotRun {
  std::string name; ///< the file's, in UTF-8
  std::array<Curve, kNumQuantities> curves;
  /// Steps that changed nothing, those of them that --spike-guard has skipped,
  /// and those whose loss is not finite.
  std::vector<double> skipped, spikes, nonfinite;

  const Curve &operator[](Quantity quantity) const {
    return curves[static_cast<size_t>(quantity)];
  }
};

/// Reads the file, or the standard input if it is "-".  A step that is at or
/// before the one above it drops what is from it on: a resumed run has been
/// appended there.  Errors name the file and the line.
llvm::Expected<PlotRun> readRun(StringRef path);

} // namespace mlir::zero
