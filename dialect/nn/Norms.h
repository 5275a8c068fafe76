//===- Norms.h - What norms have in common ----------------------*- C++ -*-===//
#ifndef DIALECT_NN_NORMS_H
#define DIALECT_NN_NORMS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/APFloat.h"

namespace mlir::nn {

/// An error at `op` unless `eps` is positive, and so as an `element` too.
LogicalResult verifyEps(Operation *op, const APFloat &eps, Type element);

} // namespace mlir::nn

#endif // DIALECT_NN_NORMS_H
