//===- Attention.h - Attention by blocks of threads -------------*- C++ -*-===//
//
// Attention for GPUs, with the same bits as on the CPU
// (runtime/device/cpu/attention).  A block of 128 threads has a tile of
// queries, and loops over keys in panels of 48; or it has 48 keys, and loops
// over tiles of queries.  The bits depend on:
//
//   Q'        q (scale log2 e), rounded; lse' = lse log2 e
//   S, D      for each pair of query and key one chain of FMAs along the width,
//             from 0: Q' K, and dO V
//   cap       s = c tanh(s / c) with c = cap log2 e; slope = fma(-t, t, 1)
//   largest   of all keys of a block of keys: exact
//   P         2^(s - m), or backward 2^(s - lse')
//   sum of P  panel by panel: key j of a panel goes to chain j % 4, and
//             (c0 + c1) + (c2 + c3) to the sum
//   P D       the same with FMAs; but if the first of 16 queries sees w keys of
//             the panel, key j >= w goes to chain (j - w) % 4
//   O, dQ     for each query and column one chain of FMAs over keys, from 0
//   dK, dV    for each key and column one chain of FMAs over query heads, in
//             each over blocks of queries from the last to the first, in each
//             over queries; dS = P (D - sum of P D), times slope
//   results   fma(x, factor, 0): 1 / sum, 1 for dV, scale for dQ, ln 2 for dK
//   lse       LogSum.h, in f64
//   dropout   of P before O and dV, and of dO V^T: x / (1 - rate), or 0
//
// Blocks of queries and keys are the CPU's (Sizes.h).  With several blocks of
// keys the forward multiplies sums and O by 2^(old - new largest) at each; and
// the backward in f32 adds dK and dV to the result at each block of queries.
//
// Keys that a query does not see have P = 0, and add nothing to any chain;
// neither do zeros beyond the width.  So tiles may be cut in any way that keeps
// these orders.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/codegen/gpu/attention/AttentionBase.h"

namespace mlir::zero {

/// The parts that launches are made of.  Thread (y, x) of 16 x 8 has the scores
/// of queries 4 y to 4 y + 3 and keys x, x + 8, ..., x + 40 of its tiles; in
/// sums of rows, it has columns 4 x to 4 x + 3 of each 32.
class AttentionCode : public AttentionBase {
public:
  static constexpr int64_t kThreads = 128, kTileQueries = 64, kTileKeys = 48,
                           kChunk = 64, kRows = 4, kKeys = 6, kKeyRows = 3;

  AttentionCode(OpBuilder &b, Location loc, const AttentionShape &shape,
                KernelViews &views, Value starts);

  Value x, y;

  // Tiles of f32 in the block's memory: queries or rows of dO, keys or values,
  // and scores by keys; and a number for each query.
  Value queryTile, keyTile, scoreTile, numbers;

  // The tile of queries.
  Value firstQuery, rows;
  void setQueries(Value first);
  /// For each of the thread's queries, in i32: it sees keys from `seenFrom` to
  /// before `seenTo`; `seenTo` is 0 beyond the queries.
  Values seenFrom, seenTo;
  /// No query of the tile sees a key before `leastKey`, or from `endKey` on.
  Value leastKey, endKey;

  /// Waits; copies `count` rows from `first` on, times `factor`, to `tile`;
  /// zeros beyond them and beyond the width.
  void copyRows(HeadRows from, Value first, Value count, Value column,
                std::optional<float> factor, Value tile, int64_t tileRows);
  void copyQueries(HeadRows q, Value column, std::optional<float> factor) {
    copyRows(q, firstQuery, rows, column, factor, queryTile, kTileQueries);
  }
  void copyKeys(HeadRows k, Value first, Value count, Value column) {
    copyRows(k, first, count, column, std::nullopt, keyTile, kTileKeys);
  }

  /// The thread's 4 x 6 products of rows of q and k.  When it ends, all threads
  /// have read the tiles.  With `isHeld` the rows of q are in queryTile
  /// already.
  Values products(HeadRows q, std::optional<float> factor, HeadRows k,
                  Value firstKey, Value count, bool isHeld = false);
  /// For each score, whether the thread's query sees its key of a panel.
  Values seen(Value firstKey, Value endOfBlock);
  /// Caps `scores` and, unless null, sets `slopes`.
  void capScores(Values &scores, Values *slopes);
  void storeScores(ArrayRef<Value> scores, Value tile);
  /// Applies dropout, if there is any, to values of the query head `ofHead` and
  /// of a panel of keys.
  void drop(Values &values, Value ofHead, Value firstKey);

  /// For the thread's queries and columns, sums + scoreTile^T keyTile.
  Values addToQueries(ArrayRef<Value> sums);
  /// For the thread's three keys and its columns, sums + scoreTile queryTile.
  Values addToKeys(ArrayRef<Value> sums);
  /// The number of the thread's vectors of columns.
  int64_t columnVectors() const { return llvm::divideCeil(shape.chunk, 32); }
  /// Zero sums for `rows` rows of each tile of the block's columns.
  Values zeroSums(int64_t rows);
  /// The sums of the `chunk`-th tile of columns, among the sums of all tiles.
  ArrayRef<Value> sumsOf(ArrayRef<Value> sums, int64_t chunk) const {
    const size_t count = sums.size() / size_t(shape.held);
    return sums.slice(size_t(chunk) * count, count);
  }
  /// The block's number among those of its unit that have the same columns, and
  /// its first column.
  std::pair<Value, Value> splitPart() {
    const int64_t parts = shape.columnParts();
    return {div(part, parts), mul(rem(part, parts), shape.held * kChunk)};
  }
  /// The first column of the block's `chunk`-th tile of columns.
  Value columnOf(Value first, int64_t chunk) {
    return add(first, chunk * kChunk);
  }
  /// to[first + i] = factor sums, rounded, for the thread's rows `own`.
  void putRows(ArrayRef<Value> sums, ArrayRef<Value> factors, HeadRows to,
               Value first, Value count, ArrayRef<Value> own, Value column);
  Values ownQueries();
  Values ownKeys();

  /// Calls body(first key, end of the block) for panels that the tile sees, of
  /// the block of keys at `start`.
  Values
  overPanels(Value start, ArrayRef<Value> carried,
             llvm::function_ref<Values(Value, Value, ArrayRef<Value>)> body);
  /// Calls body(start) for blocks of keys that the tile sees.
  Values overKeyBlocks(ArrayRef<Value> carried,
                       llvm::function_ref<Values(Value, ArrayRef<Value>)> body);

  /// The number in shared memory for query `i` of the tile.
  Value numberAt(Value i);
  void setNumber(Value i, Value number);

private:
  Value tileAt(Value memory, int64_t row, int64_t rows);
};

/// Bytes of a block's memory.
constexpr int64_t kAttentionSharedBytes = int64_t{4} * 68 * (64 + 48 + 48 + 1);

} // namespace mlir::zero
