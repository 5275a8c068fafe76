//===- MatmulTile.h - A tile of a matmul by a block -------------*- C++ -*-===//
//
// 128 threads compute 128 x 64 elements of C = A B, with the same bits as the
// processors' product (runtime/device/cpu/gemm): the depth, over which products
// are added, is cut into runs of nearly equal length, up to 384 and a multiple
// of 8; a run is summed with FMA, one after another, and runs are added in
// order.
//
// The depth is done in steps of 8, with 128 rows of A and 64 columns of B in
// shared memory as f32.  Shared memory has buffers for two steps: while one is
// multiplied, the next step comes from memory to registers and then to the
// other buffer.
//
//            tx: 8 threads across, each 4 + 4 columns
//           +---------+---------+
//        ty | 4 x 4   | 4 x 4   |     thread (tx, ty) has rows 4 ty + i and
//       16  +---------+---------+     64 + 4 ty + i, columns 4 tx + j and
//     down  | 4 x 4   | 4 x 4   |     32 + 4 tx + j
//           +---------+---------+
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/codegen/gpu/threads/BlockCode.h"

namespace mlir::zero {

/// The longest sum that is kept in registers, equal to the processors'
/// kGemmDepth.
constexpr int64_t kMatmulRun = 384;

/// A strip of A or B: `lines` of them, from `first` on in `view`, a buffer of
/// one dimension.  They lie at multiples of 16 bytes.
struct MatmulStrip {
  Value view;
  Value first;    ///< index of the element of line 0 and depth 0
  Value lines;    ///< index: their number; lines beyond are arbitrary
  int64_t stride; ///< elements from line to line, or from depth to depth
  bool
      alongDepth; ///< a line's elements lie side by side; or else those of a depth
};

class MatmulTile : BlockCode {
public:
  static constexpr int64_t kThreads = 128, kRows = 128, kColumns = 64,
                           kStep = 8;
  static constexpr int64_t kSharedBytes = 2 * kStep * (132 + 68) * 4;

  MatmulTile(const BlockCode &code, Value thread, Value shared)
      : BlockCode(code), thread(thread), shared(shared), tx(rem(thread, 8)),
        ty(div(thread, 8)) {}

  /// The thread's sums over `depth` > 0: two vectors of 4 for each of its 8
  /// rows.  `known` is the depth if the compiler knows it, else -1.
  Values multiply(const MatmulStrip &left, const MatmulStrip &right,
                  Value depth, int64_t known);
  /// As `multiply` for depth 0.
  Values zeros() { return fill(0.0f); }

  /// Stores the `sums` that are in C, which has `rows` x `columns` elements
  /// from this tile's first on; that is element `first` of `view`.
  void store(ArrayRef<Value> sums, Value view, Value first, int64_t stride,
             Value rows, Value columns);

private:
  /// One of the operands: its place, and its division among threads.
  struct Side {
    MatmulStrip strip;
    int64_t lines,
        place;     ///< of the tile, and where its steps are in shared memory
    int64_t width; ///< elements of a vector that is loaded
  };

  Side sideOf(const MatmulStrip &strip, int64_t lines, int64_t place) const;
  int64_t vectorsOf(const Side &side) const;
  std::pair<Value, Value> placeOf(const Side &side, int64_t i);
  void load(const Side &side, Value depth, Value end, Values &to);
  void keep(const Side &side, ArrayRef<Value> vectors, Value buffer);
  Value tileOf(const Side &side, Value buffer);
  Values addStep(ArrayRef<Side> sides, ArrayRef<Value> tiles, Value at,
                 ArrayRef<Value> sums);
  Values addRun(ArrayRef<Side> sides, Value begin, Value end, Value depth,
                int64_t known);
  Values fill(float value);
  Value bufferAt(Value depth) { return rem(div(depth, kStep), 2); }
  Value vectorOf(Value vector, int64_t first);

  Value thread, shared, tx, ty;
};

} // namespace mlir::zero
