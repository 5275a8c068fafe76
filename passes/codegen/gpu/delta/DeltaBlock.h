//===- DeltaBlock.h - The gated delta rule by blocks ------------*- C++ -*-===//
//
// The gated delta rule for GPUs, with the same bits as on the CPU
// (runtime/device/cpu/delta, whose formulas and names these files have).  A
// block of 128 threads computes chunks of 64 positions.  Sums of products are
// chains of FMAs in the order of their inner index; a dot of rows has a chain
// for each of 16 columns, which are added in order.
//
//   forward   a block has some columns of a head's state, and all chunks in
//             order
//   states    the same from the last chunk to the first, with dS in place of S:
//             leaves dS, U and dR of each chunk to the next launch
//   chunks    a block has a chunk of a head of keys, and the heads of values
//             that read it in order: all adjoints
//
// Columns of S do not depend on each other, and neither do chunks once S and dS
// are known.  Between the two launches of the backward dS and U lie in `room`,
// and dR in dv.
//
// A thread (y, x) of 16 x 8 has rows 4 y to 4 y + 3 of a product, and columns
// x, x + 8, ..., or some that lie side by side.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/nn/NN.h"
#include "numerics/DeltaRule.h"
#include "passes/codegen/gpu/threads/BlockCode.h"
#include "passes/codegen/loops/KernelViews.h"

namespace mlir::zero {

struct DeltaShape {
  int64_t positions, keyHeads, heads, keyWidth, valueWidth;

  int64_t headsPerKey() const { return heads / keyHeads; }
  int64_t chunks() const { return ::zrt::deltaChunks(positions); }
  /// Columns of the state that a block has; those of wide keys fill its memory.
  int64_t columns() const {
    return keyWidth > 128 || valueWidth <= 16 ? 16 : 32;
  }
  int64_t slices() const { return llvm::divideCeil(valueWidth, columns()); }
};

/// Views of the operands and results; null if there are none.  `room` is
/// [B, H, chunks, K + 64, V]: dS after a chunk, and U.
struct DeltaOperands {
  Value q, k, v, gates, beta, starts, out, states;
  Value grad, dq, dk, dv, dgates, dbeta, room;
};

/// e^gate, from f64 as on the CPU.
Value emitDecay(LoopCode &code, Value gate);

class DeltaBlock : public BlockCode {
public:
  static constexpr int64_t kChunk = ::zrt::kDeltaChunk, kThreads = 128,
                           kRows = 4, kAcross = 8, kQuad = 4;

  DeltaBlock(OpBuilder &b, Location loc, const DeltaShape &shape,
             const KernelViews &views, const DeltaOperands &all);

protected:
  const DeltaShape shape;
  const DeltaOperands all;
  Value thread, x, y, part;
  Value batch, keyHead, head;
  Value first, rows; ///< of the chunk

  /// Numbers of positions of a chunk in shared memory; lanes of <S, dS>.
  enum Numbers { Decay, E, F, Beta, DGamma, H, Lanes, kNumbers };
  Value numbers;
  Value square; ///< 64 x 64: D, then A or P
  /// Bytes of shared memory that these take, from its begin on.
  static constexpr int64_t kSquareStride = kChunk + kQuad,
                           kSquareBytes = 4 * kChunk * kSquareStride,
                           kBytes =
                               kSquareBytes + 4 * int64_t(kNumbers) * kChunk;
  Value sharedTile(int64_t tileRows, int64_t columns, int64_t at);
  Value sharedSquare(int64_t at) {
    return sharedTile(kChunk, kSquareStride, at);
  }

  bool hasBeta() const { return static_cast<bool>(all.beta); }
  Value minus(Value number);
  Value number(Numbers of, Value i) { return loadOne(numbers, {index(of), i}); }
  Value ownRow(int64_t r) { return add(mul(y, kRows), r); }
  Value ownColumn(int64_t c) { return add(x, c * kAcross); }
  /// The place of row `i` of the chunk, or of its last row.
  Value position(Value i) { return add(first, min(i, sub(rows, 1))); }
  Value isRow(Value i) { return isLess(i, rows); }
  /// Whether a document begins at row `i`.
  Value begins(Value i);

  /// Opens the chunk from position `at` on: numbers, and D in `square`.  Ends
  /// with a barrier, and needs one before.
  void openChunk(Value at);
  /// Writes D to `square` again.
  void fillDecays(bool withNumbers = false);

  /// `count` elements of a row of `view` from `column` on, zeros beyond its
  /// width; with `isInside` a vector that begins within the width.
  Values load(Value view, ValueRange row, Value column, int64_t count = kQuad,
              bool isInside = true);
  void store(ArrayRef<Value> values, Value view, ValueRange row, Value column);
  /// Elements of row `i` of the chunk.
  Values loadQuery(Value i, Value n) { return loadOf(all.q, keyHead, i, n); }
  Values loadKey(Value i, Value n) { return loadOf(all.k, keyHead, i, n); }
  Values loadOf(Value view, Value ofHead, Value i, Value n) {
    return load(view, {batch, position(i), ofHead}, n);
  }

  using Row = llvm::function_ref<Values(Value i, Value n)>;
  /// The factors of products: those of 4 values of n from `n` on, for each row
  /// or column of the thread.
  Values rowsAt(Row row, Value n);
  /// Columns that are rows of something: x, x + 8, ...
  Values columnsAt(Row row, Value n, int64_t count);
  /// Those of `step` rows of columns, which `row` loads.
  Values rowsBelow(Value n, int64_t step,
                   llvm::function_ref<Values(Value)> row);
  /// Four rows of a square, or those of its transpose at row `n`.
  Values squareRows(Value of, Value n);
  Values transposedRows(Value of, Value n);

  /// sums + left right, over n below `count`.
  Values addProducts(Value count, int64_t step, ArrayRef<Value> sums,
                     llvm::function_ref<Values(Value)> left,
                     llvm::function_ref<Values(Value)> right);
  /// The products of 64 rows with 64 rows, of `width` elements.
  Values squareProducts(Row left, Row right, int64_t width);
  Values zeros(int64_t columns) {
    return Values(size_t(kRows * columns), f32(0));
  }

  /// Calls body(number of the product, row, column) for those of the thread.
  void overSquare(llvm::function_ref<void(size_t, Value, Value)> body);
  /// Turns D in `square` into A or P, each thread its elements.
  void formA();
  void formP();

private:
  Value memory; ///< the block's
};

/// Blocks that have columns of a head's state.
class DeltaSlice : public DeltaBlock {
public:
  DeltaSlice(OpBuilder &b, Location loc, const DeltaShape &shape,
             const KernelViews &views, const DeltaOperands &all);
  static int64_t sharedBytes(const DeltaShape &shape);

protected:
  const int64_t columns, width; ///< of a block, and of a thread side by side
  Value state;                  ///< S or dS, [K, columns], zeros below K
  Value tile;                   ///< [64, columns]
  Value column;                 ///< of the thread, in the slice
  Value inRow;                  ///< in a row

  void clearState();
  /// The thread's columns of row `i` of the chunk.
  Values loadColumns(Value view, Value i);
  Values tileRow(Value i) { return loadTile(tile, i); }
  Values stateRow(Value i) { return loadTile(state, i); }
  Values loadTile(Value of, Value i);
  void storeTile(ArrayRef<Value> values, Value of, Value i);
  /// Stores the thread's elements of the state to `to` at the chunk.
  void saveState(Value to);
  /// Calls body(first of the thread's rows, its elements), which returns the
  /// next elements, for each of the thread's rows of the state.
  void updateState(llvm::function_ref<Values(Value, ArrayRef<Value>)> body);
  /// K S, with S in shared memory or in `states`.
  Values keysTimesState(bool isSaved);
  /// tile = beta (V - E K S), then U; without beta V.  Ends with a barrier.
  void findU(bool isSaved);
  /// tile = (I + A)^-1 tile, or of the transpose.  Begins and ends with a
  /// barrier.
  void solve(bool isTransposed);
};

} // namespace mlir::zero
