//===- IntegerTraps.h - Arithmetic that has a result for all numbers ------===//
#pragma once

#include "passes/verify/Intervals.h"

namespace mlir::zero::judge {

/// (S8) Integers are not divided by 0, and what promises not to overflow does not.
LogicalResult judgeArithmetic(Operation *op, const Intervals &intervals);

} // namespace mlir::zero::judge
