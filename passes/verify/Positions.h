//===- Positions.h - Reads at places that the data says -------------------===//
//
// (S8) What is computed of inputs and used as a position in a tensor lies in
// the tensor, for all inputs that zero.vocab and zero.ignored allow.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// Fails at the first position that may lie outside: of a program of a plan,
/// whose kernels are judged with what it launches them on, or of a model; or of an
/// update rule of `module`, which reads none, but may divide.
LogicalResult judgePositions(ModuleOp module,
                             ArrayRef<FunctionOpInterface> functions);

} // namespace mlir::zero::judge
