//===- ScatterSums.h - Adding token gradients into a table ------*- C++ -*-===//
#pragma once

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "passes/codegen/loops/KernelViews.h"

namespace mlir::zero {

/// Memrefs of the operands of an nn.embedding_backward, and of its result,
/// which has the bytes of its init, or starts from zeros.
struct ScatterOperands {
  Value tokens, grad, out;
  bool startsFromZeros;
};

/// The sums of an nn.embedding_backward: gradients are added to a row of the
/// table in the order of its tokens.  A row of 16 bits is summed in f32 at the
/// first of its tokens, over all that follow, and then rounded:
///
///   for i: if no token before i is tokens[i]:
///     sum = out[tokens[i]]
///     for j from i on: if tokens[j] = tokens[i]: sum += grad[j]
///     out[tokens[i]] = sum
class ScatterSums : public VectorCode {
public:
  ScatterSums(OpBuilder &b, nn::EmbeddingBackwardOp op, KernelViews &views,
              const ScatterOperands &operands);
  virtual ~ScatterSums() = default;

protected:
  using Body = llvm::function_ref<void(Value token, Value id)>;
  using Match = llvm::function_ref<Value(Value id)>;

  KernelViews &views;
  const ScatterOperands operands;
  RankedTensorType ids, table;

  /// Calls `emit` for the thread's vectors of a row.
  virtual void
  forColumns(llvm::function_ref<void(Value column, Value mask)> emit) = 0;
  /// Calls `body` for each token from `first` on whose id matches, in order.
  virtual void forTokens(Value first, Match match, Body body) = 0;
  /// Whether a token before `end` has this id.
  virtual Value isBefore(Value end, Value id) = 0;

  Value idOf(Value token) { return loadOne(operands.tokens, placeOf(token)); }
  Value rowOf(Value id) { return toIndex(id); }
  void clearRow(Value row);
  /// Adds a token's gradient to its row; or of a row of 16 bits all, at the
  /// first of its tokens.
  void addToken(Value token, Value id);

private:
  /// For rows of 16 bits: the sum of each vector of this thread, side by side.
  Value sum;

  SmallVector<Value> placeOf(Value token);
  Value gradient(ArrayRef<Value> place, Value column, Value mask);
  void addAll(Value token, Value id);
  Value placeOfSum(Value column) {
    return mul(div(column, lanes.stride), lanes.width);
  }
};

/// Emits the sums for a half-warp.
void emitHalfWarpScatter(OpBuilder &b, nn::EmbeddingBackwardOp op,
                         KernelViews &views, const ScatterOperands &operands);

} // namespace mlir::zero
