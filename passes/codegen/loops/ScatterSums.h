//===- ScatterSums.h - Adding token gradients into a table ------*- C++ -*-===//
#pragma once

#include "dialect/nn/NN.h"
#include "passes/codegen/loops/KernelViews.h"

namespace mlir::zero {

/// Memrefs of the operands of an nn.embedding_backward, and of its result,
/// which has the bytes of its init, or starts from zeros.
struct ScatterOperands {
  Value tokens, grad, out;
  bool startsFromZeros;
};

/// The code of an nn.embedding_backward: gradients are added to a row of the
/// table in the order of its tokens.  Rows of 16 bits are summed in f32.
class ScatterSums : public VectorCode {
public:
  ScatterSums(OpBuilder &b, nn::EmbeddingBackwardOp op, KernelViews &views,
              const ScatterOperands &operands)
      : VectorCode(b, op.getLoc(), views.lanes), views(views),
        operands(operands), ids(op.getTokens().getType()),
        table(op.getInit().getType()) {}

protected:
  KernelViews &views;
  const ScatterOperands operands;
  RankedTensorType ids, table;

  Value idOf(Value token) { return loadOne(operands.tokens, placeOf(token)); }
  /// The gradient of `token`, at the vector of columns from `column` on.
  Value gradientOf(Value token, Value column, Value mask);

private:
  SmallVector<Value> placeOf(Value token);
};

/// Emits the sums for a block of a GPU, and sets the number of blocks.
void emitBlockScatter(func::FuncOp kernel, OpBuilder &b,
                      nn::EmbeddingBackwardOp op, KernelViews &views,
                      const ScatterOperands &operands);

} // namespace mlir::zero
