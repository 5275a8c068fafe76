//===- KernelUnits.h - The loop along which a kernel is cut ---------------===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::zero {

/// The loop that walks contiguous memory for most of the operands' elements
/// (the last of several), or -1 for an operation without loops.  An operand of
/// unknown size counts as the largest.  A kernel of columns is cut along this
/// loop in each of its operations.
int contiguousLoop(linalg::LinalgOp op);

} // namespace mlir::zero
