//===- FitContraction.h - Operands that fit a matrix product ----*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::zero {

/// Rewrites `op`, a sum of products, so that it is one matrix product, where
/// that takes copies of operands or of the result; returns what it is then.
linalg::GenericOp fitContraction(linalg::GenericOp op);

} // namespace mlir::zero
