//===- CopySlices.h - Slices that cannot be read where they lie -*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// Replaces sliced or constant operands of products, splits and the return by
/// copies, constant ones of the kernels that are written from views of
/// arguments, and those that no kernel could read where they lie.
void copySlices(func::FuncOp step);

} // namespace mlir::zero
