//===- Positions.h - Data-dependent indices are in bounds -----------------===//
//
// (S8) A value that is computed from inputs and used as an index into a tensor
// is in bounds, for all inputs that zero.vocab and zero.ignored allow.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// Fails at the first position that may be out of bounds, in `functions`
/// (programs of a plan, whose kernels are judged with the operands of their
/// launches, or functions of a model); also checks the arithmetic of the update
/// rules of `module`, which may divide but read no positions.
LogicalResult judgePositions(ModuleOp module,
                             ArrayRef<FunctionOpInterface> functions);

} // namespace mlir::zero::judge
