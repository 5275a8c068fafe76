//===- Norms.h - Checks that norms share ------------------------*- C++ -*-===//
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/APFloat.h"

namespace mlir::nn {

/// Fails with an error at `op` unless `eps` is positive, also when rounded to
/// `element`.
LogicalResult verifyEps(Operation *op, const APFloat &eps, Type element);

} // namespace mlir::nn
