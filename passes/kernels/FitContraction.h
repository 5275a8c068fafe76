//===- FitContraction.h - Operands that fit a matmul ------------*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::zero {

/// Rewrites `op`, a sum of products, into one matmul if that takes
/// copies of operands or of the result.  Returns the rewritten operation, or
/// else `op`.
linalg::GenericOp fitContraction(linalg::GenericOp op);

} // namespace mlir::zero
