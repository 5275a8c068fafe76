//===- InitialValues.h - Initial values of parameters -----------*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// Gives zero.init to the parameters of `model` that have none.  The weight of
/// a norm gets the value with which the norm's factor is 1.  Others get the
/// usual values for their shape, with a warning, because the user may have
/// meant other values.  Fails with an error if a given value is not finite in
/// f32, or is 0 only after rounding to f32.
LogicalResult setInitialValues(func::FuncOp model);

} // namespace mlir::zero
