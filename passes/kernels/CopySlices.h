//===- CopySlices.h - Copies slices to be contiguous ------------*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// Replaces by copies: sliced or constant operands of products, splits and the
/// return; constant operands of kernels that are written from views of
/// arguments; and operands that no kernel could read in place.
void copySlices(func::FuncOp step);

} // namespace mlir::zero
