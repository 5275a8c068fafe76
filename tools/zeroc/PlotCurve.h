//===- PlotCurve.h - Curves of many steps -----------------------*- C++ -*-===//
#pragma once

#include "tools/zeroc/PlotRun.h"

namespace mlir::zero {

/// The exponential moving average over about `steps` points, from both sides.
/// It passes over gaps, and has them too, and over the values at the steps
/// `leftOut`, which are sorted.
Curve smoothed(const Curve &curve, int64_t steps, ArrayRef<double> leftOut);

/// At most 4 points in each of `columns` even parts of its steps: the least and
/// the greatest, in their order, and gaps beside them.  A curve that has no more
/// than twice as many points as `columns` stays as it is.
Curve thinned(const Curve &curve, size_t columns);

} // namespace mlir::zero
