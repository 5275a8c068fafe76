//===- InitialValues.h - How parameters begin -------------------*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// Gives zero.init to the parameters of `model` that have none: 1 to the weight
/// of a norm, which would stop at 0, and what is usual for their shape to the
/// others, with a warning, for nothing tells that it is what was meant.  Fails
/// with an error where what is said is not finite in f32, or is 0 there alone.
LogicalResult setInitialValues(func::FuncOp model);

} // namespace mlir::zero
