//===- Heads.h - The linear layers whose results are logits -----*- C++ -*-===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::zero {

/// The linear layers from whose results a cross entropy is computed without
/// another layer: through elementwise operations, as a cap of logits, and sums,
/// as of the scores of samples.
DenseSet<Operation *> findHeads(func::FuncOp model);

} // namespace mlir::zero
