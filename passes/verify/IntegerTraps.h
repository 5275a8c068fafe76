//===- IntegerTraps.h - Undefined integer arithmetic ----------------------===//
#pragma once

#include "passes/verify/Intervals.h"

namespace mlir::zero::judge {

/// (S8) No integer is divided by 0, and arithmetic that promises not to
/// overflow does not.
LogicalResult judgeArithmetic(Operation *op, const Intervals &intervals);

} // namespace mlir::zero::judge
