//===- MmaMatmulTile.h - A tile of a product on tensor cores ----*- C++ -*-===//
//
// 128 threads compute 128 x 128 elements of C = A B, of operands of 16 bits,
// with sums in f32.  Each of the four warps has 64 x 64 of them in registers,
// as 4 x 8 results of mma.m16n8k16 (Warp.h).
//
// Shared memory has 128 lines of A and of B for each of four steps of 16
// depths, in the order in which they lie in memory.  While a step is
// multiplied, the next three are copied by cp.async:
//
//   a line's depths side by side   128 rows of 16 + 8 elements
//   a depth's lines side by side   16 rows of 128 + 8 elements
//
// The padding puts the eight rows of a matrix of 8 x 8 into different banks.
// Depths of a sum are added in order, by steps of 16; within a step the order
// is the processor's.  So equal operands give equal bits, wherever they are in
// C; those of a CPU differ.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/codegen/gpu/matmul/MatmulTile.h"

namespace mlir::zero {

class MmaMatmulTile : BlockCode {
public:
  static constexpr int64_t kThreads = 128, kRows = 128, kColumns = 128;

  MmaMatmulTile(const BlockCode &code, Value thread);

  /// Whether lines and depths of this `stride` can be copied by 16 bytes.
  static bool supports(Type element, int64_t stride) {
    return element.getIntOrFloatBitWidth() == 16 && stride % kPiece == 0;
  }

  /// The thread's sums over `depth` > 0.  Of a strip along its depth, that is a
  /// multiple of 8, of another, the number of lines.
  Values multiply(const MatmulStrip &left, const MatmulStrip &right,
                  Value depth);
  Values zeros() { return Values(kSums, f32(0)); }

  /// As MatmulTile::store; `stride` is a multiple of 8.
  void store(ArrayRef<Value> sums, Value view, Value first, int64_t stride,
             Value rows, Value columns);

private:
  static constexpr int64_t kStep = 16, kSteps = 4; ///< depths, and in memory
  static constexpr int64_t kLines = 128; ///< of a tile of either operand
  static constexpr int64_t kPiece = 8;   ///< elements that are copied at once
  static constexpr int64_t kAlongBytes = 2 * (kStep + 8),
                           kAcrossBytes = 2 * (kLines + 8);
  static constexpr int64_t kTileBytes = kLines * kAlongBytes;
  static constexpr int64_t kWarpLines = 64; ///< of A and of B
  static constexpr int64_t kSums =
      kWarpLines * kWarpLines / 32; ///< of a thread

public:
  static constexpr int64_t kSharedBytes = kSteps * 2 * kTileBytes;

private:
  struct Side {
    MatmulStrip strip;
    Value place;     ///< i32: of the thread's first piece in a tile
    Value fragments; ///< i32: of the lane in a tile, for the warp's lines
    Values addresses, isThere; ///< of the thread's pieces, in step 0
    Value firstDepth;          ///< of the first piece, in a step
  };

  Side sideOf(const MatmulStrip &strip, Value firstLine);
  void copy(const Side &side, Value at, Value depth, Value end);
  Values fragment(const Side &side, Value at, int64_t line);
  Values addStep(ArrayRef<Side> sides, Value at, ArrayRef<Value> before);
  Value packed(Type to, Value low, Value high);

  Value thread;                ///< index
  Value inWarp;                ///< i32
  Value firstRow, firstColumn; ///< i32: of the warp
  Type element;
};

} // namespace mlir::zero
