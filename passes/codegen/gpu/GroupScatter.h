//===- GroupScatter.h - Adding token gradients by groups --------*- C++ -*-===//
#pragma once

#include "dialect/nn/NN.h"
#include "passes/codegen/loops/KernelViews.h"

namespace mlir::zero {

/// Memrefs of the operands of an nn.embedding_backward, and of its result,
/// which has the bytes of its init.
struct ScatterOperands {
  Value tokens, grad, out;
};

/// Emits `op` for a group of threads.
void emitGroupScatter(OpBuilder &b, nn::EmbeddingBackwardOp op,
                      KernelViews &views, const ScatterOperands &operands,
                      bool startsFromZeros);

} // namespace mlir::zero
