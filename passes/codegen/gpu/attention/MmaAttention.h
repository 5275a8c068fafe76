//===- MmaAttention.h - Attention of 16 bits on tensor cores ----*- C++ -*-===//
//
// Products of 16 x 16 x 8 with sums in f32 (Warp.h), and an online softmax
// (FlashAttention-2, Dao, 2023).  A block has four warps, and each warp has 16
// or 32 rows.  Rows are queries, or keys in the launch for dK and dV.  The
// block loops over tiles of the other side, and copies the next tile while it
// uses the current one:
//
//   rows       their fragments stay in registers: Q and dO, or K and V
//   tiles      of both operands, twice, in shared memory, in 16 bits
//   scores     S in registers; P and dS are rounded to 16 bits there, and are
//              the fragments of the products that follow
//   sums       O, dQ, or dK and dV, in registers, in f32
//
// The backward's rows and sums of more than 128 columns do not fit into a
// warp's registers.  Two warps, the sharers, have the same rows, and each has
// half of their columns and of those of the sums.  Both add up S and dP of
// their columns, and add to them the other's, through shared memory.
//
// Besides the processor's own order in a product, the bits depend on the order
// of tiles, from the first key or query on.  There are no atomic additions, so
// equal launches give equal bits.  Unlike in the CPU's kernel (Attention.h), P
// and dS are rounded to 16 bits, sums have another order, and 2^x is the
// processor's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/codegen/gpu/attention/AttentionLaunches.h"

namespace mlir::zero {

/// The sizes of blocks and tiles, for heads of a width.
struct TensorSizes {
  /// A warp, or `sharers` of them together, have `rowTiles` x 16 rows.
  TensorSizes(int64_t width, int64_t rowTiles, int64_t sharers);

  int64_t columns; ///< of a row, with zeros up to a multiple of 16 per sharer
  int64_t rowTiles;
  int64_t tileRows;
  int64_t sharers; ///< 1 or 2

  int64_t blockRows() const { return kWarps * 16 * rowTiles / sharers; }
  /// Columns of a warp's rows and sums.
  int64_t ownColumns() const { return columns / sharers; }
  /// 16 bytes of padding put rows into different banks.
  int64_t rowBytes() const { return 2 * columns + 16; }
  int64_t tileBytes() const { return tileRows * rowBytes(); }
  /// Bytes of two tiles, twice.  The block's rows pass through the same bytes.
  int64_t tilesBytes() const { return 4 * tileRows * rowBytes(); }
  /// Bytes behind them, for the sums of 16 columns that sharers exchange.
  int64_t exchangeBytes() const {
    return sharers == 1 ? 0 : kWarps * 2 * (16 * rowTiles) * 16 * 4;
  }

  static constexpr int64_t kWarps = 4;
};

/// Sizes in the forward, or in a launch of the backward, with as many rows of a
/// warp as fit into registers.
TensorSizes tensorSizes(int64_t width, std::optional<BackwardLaunch> launch);

/// 16 x 16 elements over a warp: four words of each lane.
using Fragment = SmallVector<Value, 4>;
/// Fragments of a warp's rows: `depth` for each 16 rows.
struct Fragments {
  SmallVector<Fragment> all;
  int64_t depth;
  const Fragment &at(int64_t tile, int64_t k) const {
    return all[tile * depth + k];
  }
};

/// Sums of a warp's rows are lists of tiles of 16 x 8, by rows.  A lane has
/// four elements of each tile: two neighbours in row lane / 4, and two in the
/// row 8 below.
class TensorCode : public AttentionBase {
public:
  TensorCode(OpBuilder &b, Location loc, const AttentionShape &shape,
             const TensorSizes &sizes, Type element, KernelViews &views,
             Value starts);

  const TensorSizes sizes;
  Value inWarp, warp; ///< i32: index in the warp, and of the warp
  Value share;        ///< i32: which sharer the warp is; null if it has none

  /// Shared memory from byte `at` on.
  Value viewShared(MemRefType type, Value at) {
    return viewAs(type, sharedView, at);
  }

  // TensorTiles.cpp: shared memory and fragments.

  /// Starts to copy `count` rows from `first` on, and zeros beyond them,
  /// without waiting.  Without a count all of the `rows` rows exist.
  void copyRows(HeadRows from, Value first, Value count, int64_t rows,
                Value at);
  /// The count of rows from `first` on, of `total`; null if all tiles are full.
  Value countOf(int64_t total, Value first) {
    return total % sizes.tileRows == 0 ? Value() : sub(index(total), first);
  }
  /// Waits until the copies of all threads have arrived, and old tiles are
  /// unused.
  void finishCopies();
  /// Loads fragments of the warp's rows, through shared memory.
  Fragments loadRows(HeadRows from, Value first, Value count, int64_t at);
  /// Calls body(position, tile, carried) for positions from `begin` to before
  /// `end`; `copy(position, tile)` fetches the rows that it reads there.
  Values
  overTiles(Value begin, Value end, int64_t step, ArrayRef<Value> carried,
            llvm::function_ref<void(Value, Value)> copy,
            llvm::function_ref<Values(Value, Value, ArrayRef<Value>)> body);
  /// Calls body(first key, tile of K, row in the tile, carried) for pieces of
  /// `columns` keys that the block sees.  The tile of V lies behind that of K.
  Values overKeys(
      HeadRows k, HeadRows v, int64_t columns, ArrayRef<Value> carried,
      llvm::function_ref<Values(Value, Value, int64_t, ArrayRef<Value>)> body);
  /// Calls `body` in the first of the four lanes of row i, if the row exists.
  void onRow(int64_t i, llvm::function_ref<void()> body) {
    Value isFirst = isLess(rem(inWarp, 4), 1);
    when(both(isFirst, isLess(rowOf(i), rows)), body);
  }
  /// to[first + row] = factor sums, for the warp's rows.
  void putRows(ArrayRef<Value> sums, ArrayRef<Value> factors, HeadRows to,
               Value first, Value count);

  // TensorProducts.cpp

  Values zeroSums(int64_t columnTiles) {
    return Values(sizes.rowTiles * columnTiles * 4, f32(0));
  }
  /// sums + a tile^T, for 16 or more rows of the tile: columns of the result.
  /// A sharer's are sums over its columns.
  Values addMatmulTransposed(ArrayRef<Value> sums, const Fragments &a,
                             Value tile, int64_t firstRow, int64_t rows);
  /// sums + a tile, for the rows of the tile that `a` has columns of.
  Values addMatmul(ArrayRef<Value> sums, const Fragments &a, Value tile,
                   int64_t firstRow);
  /// Adds the other sharer's sums to those of S and dP, of 16 columns.  Between
  /// two calls is another barrier.
  void addOther(ArrayRef<Values *> sums);
  /// Rounds sums to fragments.
  Fragments pack(ArrayRef<Value> sums, int64_t columns);
  /// Combine the values of the four lanes that share a row.
  Value sumOfRow(Value x);
  Value largestOfRow(Value x);
  Value exp2OfSum(Value x, Value factor, Value minus);

  // TensorRanges.cpp: the rows and columns of scores that see each other.

  /// The row in the block of the lane's i-th row, of 2 rowTiles.
  Value rowOf(int64_t i);
  int64_t ownRows() const { return 2 * sizes.rowTiles; }
  /// Makes the block's rows queries, from `first` on.
  void setQueries(Value first);
  Value firstQuery, rows; ///< and their number
  Values queries;         ///< the lane's, clamped to the shape
  Value leastKey, endKey; ///< the range that any query sees
  /// Scores of queries with keys from `firstKey` on, with -infinity where a key
  /// is not seen.
  Values hideKeys(ArrayRef<Value> scores, Value firstKey, int64_t columns);
  /// The same where rows are keys from `firstKey` on, and columns are queries
  /// from `query` on, whose first keys are `from(column)`.
  Values hideQueries(ArrayRef<Value> scores, Value firstKey, Value query,
                     int64_t columns, llvm::function_ref<Value(int64_t)> from);

  /// Applies dropout, if there is any, to values of the query head `ofHead`.
  /// `rows` are the lane's, queries or keys, and columns are from `firstColumn`
  /// on.
  void drop(Values &values, Value ofHead, ArrayRef<Value> rows, bool areKeys,
            Value firstColumn, int64_t columns);

  /// Capped scores, and their slopes if asked for.  Times `factor`, which is
  /// positive, they are exponents of 2.
  Values capped(Values raw, Values *slopes);
  const float factor;

private:
  Type element;
  Value sharedView, fragmentPlace;
  Value pair;              ///< the first of the lane's two columns of 8
  Values seenFrom, seenTo; ///< keys that the lane's queries see, i32
  Value allFrom, allTo;    ///< the range that all queries see

  void copyPieces(HeadRows from, Value first, Value count, int64_t rows,
                  Value at);
  Fragment load(Value tile, int64_t row, int64_t column, bool isTransposed);
  void multiply(const Fragment &a, Value b0, Value b1,
                MutableArrayRef<Value> sums);
  Value roundedWord(Value low, Value high);
  Value quadMate(Value x, int64_t apart);
  bool isAligned(HeadRows rows, int64_t bytes) const;
};

/// Emit the work of a block in the forward, and in the launches of the
/// backward.
void emitTensorForward(TensorCode &code, const ForwardOperands &all);
void emitTensorBackward(TensorCode &code, const BackwardOperands &all,
                        BackwardLaunch launch);

/// The number of blocks of queries of a head.
inline int64_t countTensorParts(const AttentionShape &shape,
                                const TensorSizes &sizes) {
  return llvm::divideCeil(shape.queries, sizes.blockRows());
}
/// Bytes of a block's memory, in the forward or a launch of the backward.
int64_t tensorSharedBytes(const TensorSizes &sizes,
                          std::optional<BackwardLaunch> launch);

} // namespace mlir::zero
