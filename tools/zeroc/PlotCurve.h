//===- PlotCurve.h - Curves with many steps ---------------------*- C++ -*-===//
#pragma once

#include "tools/zeroc/PlotRun.h"

namespace mlir::zero {

/// Returns the exponential moving average over about `steps` points, from both
/// sides.  It skips gaps, which remain gaps, and the values at the steps
/// `leftOut`, which are sorted.
Curve smoothed(const Curve &curve, int64_t steps, ArrayRef<double> leftOut);

/// Returns at most 4 points for each of `columns` equal parts of the curve's
/// steps: the minimum and the maximum, in their order, and gaps beside them.  A
/// curve with at most twice as many points as `columns` is unchanged.
Curve thinned(const Curve &curve, size_t columns);

} // namespace mlir::zero
