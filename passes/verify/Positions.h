//===- Positions.h - Reads at places that the data says -------------------===//
//
// (S8) What is computed of inputs and used as a position in a tensor lies in
// the tensor, for all inputs that zero.vocab and zero.ignored allow.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero::judge {

/// Fails at the first position that may lie outside: of a program of a plan,
/// whose kernels are judged with what it launches them on, or of a model.
LogicalResult judgePositions(ArrayRef<FunctionOpInterface> functions);

} // namespace mlir::zero::judge
