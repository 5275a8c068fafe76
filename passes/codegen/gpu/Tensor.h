//===- Tensor.h - Attention of 16 bits on tensor cores ----------*- C++ -*-===//
//
// Products of 16 x 16 x 8 with sums in f32 (Warp.h), and an online softmax
// (FlashAttention-2, Dao, 2023).  A block has four warps, and each warp 16 or 32 rows,
// which are queries, or in the launch for dK and dV keys.  The block goes over tiles
// of the others, of which the next is copied while this one is used:
//
//   rows       their fragments stay in registers: Q and dO, or K and V
//   tiles      of both operands, twice, in shared memory, in 16 bits
//   scores     S in registers; P and dS are rounded to 16 bits there, and are the
//              fragments of the products that follow
//   sums       O, dQ, or dK and dV, in registers, in f32
//
// What the bits depend on, beside the processor's own order in a product: tiles come
// in order, from the first key or query on.  Nothing is added by atomics, so equal
// launches give equal bits.  Against the CPU's kernel (Attention.h) P and dS are
// rounded to 16 bits, sums have another order, and 2^x is the processor's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/codegen/gpu/AttentionLaunches.h"

namespace mlir::zero {

/// The sizes of blocks and tiles, for heads of a width.
struct TensorSizes {
  /// `rowTiles` 16 rows each of a warp.
  TensorSizes(int64_t width, int64_t rowTiles);

  int64_t columns; ///< of a row, filled up with zeros to a multiple of 16
  int64_t rowTiles;
  int64_t tileRows;

  int64_t blockRows() const { return int64_t{64} * rowTiles; }
  /// Rows that are 16 bytes more apart than they have lie in different banks.
  int64_t rowBytes() const { return 2 * columns + 16; }
  int64_t tileBytes() const { return tileRows * rowBytes(); }
  /// Of two tiles, twice, or the rows of the block.
  int64_t tilesBytes() const {
    return std::max(4 * tileRows, 2 * blockRows()) * rowBytes();
  }
};

/// Warps of as many rows as fit into registers.
TensorSizes sizesOfQueries(const AttentionShape &shape);
TensorSizes sizesOfKeys(const AttentionShape &shape);

/// 16 x 16 elements over a warp: four words of each lane.
using Fragment = SmallVector<Value, 4>;
/// Of a warp's rows: `depth` for each 16.
struct Fragments {
  SmallVector<Fragment> all;
  int64_t depth;
  const Fragment &at(int64_t tile, int64_t k) const {
    return all[tile * depth + k];
  }
};

/// Sums of a warp's rows are lists of tiles of 16 x 8, by rows, and of each the
/// lane's four: two neighbours of row lane / 4, and two of the row 8 below.
class TensorCode : public AttentionBase {
public:
  TensorCode(OpBuilder &b, Location loc, const AttentionShape &shape,
             const TensorSizes &sizes, Type element, KernelViews &views,
             Value starts);

  const TensorSizes sizes;
  Value inWarp, warp; ///< i32: the thread of the warp, and the warp

  /// Shared memory from byte `at` on.
  Value viewShared(MemRefType type, Value at) {
    return memref::ViewOp::create(b, loc, type, sharedView, at, ValueRange());
  }

  // TensorTiles.cpp: shared memory and fragments.

  /// Copies rows from `first` on, `count` of them and zeros beyond, while the thread
  /// goes on.  Without a count all of them are there.
  void copyRows(HeadRows from, Value first, Value count, int64_t rows,
                Value at);
  /// The count of rows of a tile from `first` on, of `total`.
  Value countOf(int64_t total, Value first) {
    return total % sizes.tileRows == 0 ? Value() : sub(index(total), first);
  }
  /// What all threads have copied is there, and nobody reads what was there.
  void finishCopies();
  /// Fragments of the warp's rows, by way of shared memory from its beginning on.
  Fragments loadRows(HeadRows from, Value first, Value count, int64_t at);
  /// Calls body(position, tile, carried) for positions from `begin` to before
  /// `end`; `copy(position, tile)` fetches what it reads there.
  Values
  overTiles(Value begin, Value end, int64_t step, ArrayRef<Value> carried,
            llvm::function_ref<void(Value, Value)> copy,
            llvm::function_ref<Values(Value, Value, ArrayRef<Value>)> body);
  /// to[first + row] = factor sums, for the warp's rows.
  void putRows(ArrayRef<Value> sums, ArrayRef<Value> factors, HeadRows to,
               Value first, Value count);

  // TensorProducts.cpp

  Values zeroSums(int64_t columnTiles) {
    return Values(sizes.rowTiles * columnTiles * 4, f32(0));
  }
  /// sums + a tile^T, for 16 or more rows of the tile: columns of the result.
  Values plusTimesRows(ArrayRef<Value> sums, const Fragments &a, Value tile,
                       int64_t firstRow, int64_t rows);
  /// sums + a tile, for the rows of the tile that `a` has columns of.
  Values plusTimesColumns(ArrayRef<Value> sums, const Fragments &a, Value tile,
                          int64_t firstRow);
  /// Rounded, as fragments.
  Fragments pack(ArrayRef<Value> sums, int64_t columns);
  /// Of the four lanes that share a row.
  Value sumOfRow(Value x);
  Value largestOfRow(Value x);
  Value exp2OfSum(Value x, Value factor, Value minus);

  // TensorRanges.cpp: which rows and columns of scores see each other.

  /// The row in the block of the lane's i-th row, of 2 rowTiles.
  Value rowOf(int64_t i);
  int64_t ownRows() const { return 2 * sizes.rowTiles; }
  /// The block's rows are queries, from `first` on.
  void setQueries(Value first);
  Value firstQuery, rows; ///< and how many there are
  Values queries;         ///< the lane's, within the shape
  Value leastKey, endKey; ///< that any of them sees
  /// Of scores of queries with keys from `firstKey` on: -infinity where a key is
  /// not seen.
  Values hideKeys(ArrayRef<Value> scores, Value firstKey, int64_t columns);
  /// The same where rows are keys from `firstKey` on, and columns are queries from
  /// `query` on, whose first keys are `from(column)`.
  Values hideQueries(ArrayRef<Value> scores, Value firstKey, Value query,
                     int64_t columns, llvm::function_ref<Value(int64_t)> from);

  /// Capped scores, and their slopes if asked for.  Times `factor`, which is
  /// positive, they are exponents of 2.
  Values capped(Values raw, Values *slopes);
  const float factor;

private:
  Type element;
  Value sharedView, fragmentPlace;
  Value pair;              ///< the first of the lane's two columns of 8
  Values seenFrom, seenTo; ///< of the lane's queries, i32
  Value allFrom, allTo;    ///< that all of the block's see

  void copyPieces(HeadRows from, Value first, Value count, int64_t rows,
                  Value at);
  Fragment load(Value tile, int64_t row, int64_t column, bool isTransposed);
  void multiply(const Fragment &a, Value b0, Value b1,
                MutableArrayRef<Value> sums);
  Value roundedWord(Value low, Value high);
  Value quadMate(Value x, int64_t apart);
  bool isAligned(HeadRows rows, int64_t bytes) const;
};

/// What a block does in the forward, and in the launches of the backward.
void emitTensorForward(TensorCode &code, const ForwardOperands &all);
void emitTensorBackward(TensorCode &code, const BackwardOperands &all,
                        BackwardLaunch launch);

/// Blocks of queries of a head.
inline int64_t countTensorParts(const AttentionShape &shape,
                                const TensorSizes &sizes) {
  return llvm::divideCeil(shape.queries, sizes.blockRows());
}
/// Bytes of a block's memory, in the forward or a launch of the backward.
int64_t tensorSharedBytes(const TensorSizes &sizes,
                          std::optional<BackwardLaunch> launch = std::nullopt);

} // namespace mlir::zero
