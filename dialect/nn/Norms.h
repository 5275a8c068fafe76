//===- Norms.h - What norms have in common ----------------------*- C++ -*-===//
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/APFloat.h"

namespace mlir::nn {

/// An error at `op` unless `eps` is positive, and so as an `element` too.
LogicalResult verifyEps(Operation *op, const APFloat &eps, Type element);

} // namespace mlir::nn
