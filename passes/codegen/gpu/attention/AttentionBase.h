//===- AttentionBase.h - Base of all kernels of attention -------*- C++ -*-===//
#pragma once

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/loops/KernelViews.h"

namespace mlir::zero {

/// The sizes and options of an attention, all known when its code is written.
struct AttentionShape {
  int64_t queries, keys, width, heads, keyHeads;
  float scale, softCap; ///< cap 0: none
  bool causal;
  int64_t window; ///< 0: none
  double rate;    ///< of dropout, at `place`; 0: none
  int64_t place;
  // The CPU's blocks, on which the order of sums depends.
  int64_t queryBlock, keyBlock;
  /// Whether the CPU adds to dK and dV at each block of queries.
  bool addsToKeys = false;
  /// Columns of a tile, tiles of a row, and the number of these tiles whose
  /// sums a block has.
  int64_t chunk, chunks, held;

  int64_t headsPerKey() const { return heads / keyHeads; }
  /// Keys that come before the one that query 0 sees last.
  int64_t ahead() const { return keys - queries; }
  bool oneKeyBlock() const { return keys <= keyBlock; }
  /// Blocks that share the columns of a row.
  int64_t columnParts() const { return llvm::divideCeil(chunks, held); }
  int64_t queryTiles() const { return llvm::divideCeil(queries, queryBlock); }
};

AttentionShape shapeOf(nn::AttentionOp op);
AttentionShape shapeOf(nn::AttentionBackwardOp op);
/// That of the forward of all positions.
AttentionShape shapeOf(nn::CachedAttentionOp op);

/// The rows of one head in a [B, T, H, D] view.
struct HeadRows {
  Value view, head;
};

class AttentionBase : public BlockCode {
public:
  AttentionBase(OpBuilder &b, Location loc, const AttentionShape &shape,
                KernelViews &views, Value starts)
      : BlockCode(b, loc), shape(shape), thread(views.lanes.thread),
        part(views.end), starts(starts) {}

  const AttentionShape shape;
  Value thread, batch, head, part;

  bool hasDocuments() const { return static_cast<bool>(starts); }
  /// The first key that a query sees, in type index.
  Value firstKeyOf(Value query);

  /// Blocks [low, high) of `step` queries that see a key of the `count` from
  /// `firstKey` on.
  std::pair<Value, Value> queriesThatSee(Value firstKey, int64_t count,
                                         int64_t step);

  /// Reads the key of the batch from those of dropout, [B], if there are any.
  void openDropout(Value keys);
  bool drops() const { return shape.rate != 0; }
  /// `x` of a query of the query head `ofHead` and of a key, with dropout.
  Value dropped(Value x, Value ofHead, Value query, Value key);

  // AttentionMath.cpp: the CPU's functions.
  Value exp2(Value x);
  Value tanh(Value x);
  Value logOfSum(Value most, Value sum);
  /// The larger of two, `y` where one is NaN.
  Value larger(Value x, Value y) { return select(isLessF(y, x), x, y); }

private:
  Value starts; ///< [B, T], or null
  Value sequenceKey;
};

} // namespace mlir::zero
