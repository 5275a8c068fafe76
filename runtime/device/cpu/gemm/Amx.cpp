//===- Amx.cpp - Products of bf16 matrices with AMX tiles -----------------===//
//
// A tile is 16 rows of 64 bytes.  One TDPBF16PS adds 32 products to each of the
// 16 x 16 sums of a tile of C:
//
//   A: 16 rows, 32 k each          B: 16 pairs of k, 16 columns each
//
//   even = sum of a[2p] b[2p],  odd = sum of a[2p + 1] b[2p + 1],  p = 0 ... 15
//   c    = c + (even + odd)
//
// Each operation is rounded to f32, and denormals are read and written as
// zeros.  All of k is added to C in this way, 32 at a time, the last ones
// padded with zeros.  Since f32 holds exactly the values of a tile, the bits do
// not depend on how the loops below are cut.
//
// The block of C in registers has 2 x 2 tiles.  The left operand is read in
// place if its k are contiguous; the right operand must be copied, and
// transposed if its k are contiguous.  So if B is transposed, as a layer's
// weights are, the product is computed as C^T = B^T A^T: large weights are read
// in place, and few activations are transposed.
//
//   for as many columns on the right as fit with all of their k (Blocks):
//     copy them in panels of 32, by steps of 32 k
//     for 32 rows on the left, in place or copied:
//       for each panel:
//         2 x 2 tiles of C = sum of the steps
//
// Between the steps of one panel, the C of the previous panel is finished, and
// the next data is copied or prefetched.  If k is so large that too few columns
// would fit, k is cut as well, and partial sums are stored in f32.  A right
// operand whose columns are contiguous is cut into few k of many columns, so
// that memory is read along its rows.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_TARGET
#define ZRT_TARGET amx
#endif
#define ZRT_LANES 16
#include "runtime/device/cpu/gemm/Gemm16.h"

#include "runtime/device/cpu/gemm/AmxTiles.inc"
#include "runtime/device/cpu/gemm/Vectors.inc"

#include <cstring>

namespace zrt::ZRT_TARGET {
namespace {

constexpr int64_t kBlock = 2 * kTile; ///< rows, columns
constexpr int64_t kStep = 32;         ///< the k of a tile
/// Two adjacent tiles, of A or of B.
constexpr int64_t kStepBytes = kBlock * kStep * 2;
constexpr int64_t kTileBytes = kStepBytes / 2;

#include "runtime/device/cpu/gemm/AmxPanels.inc"

/// Adds `steps` steps; calls between() after each.
template <typename Between>
inline void addSteps(const Left &a, const std::byte *b, int64_t steps,
                     Between between) {
  const std::byte *upper = a.upper, *lower = a.lower;
  const auto stride = size_t(a.stride);
  for (int64_t s = 0; s < steps; ++s) {
    _tile_loadd(4, upper, stride);
    _tile_loadd(6, b, kTileRow);
    _tile_loadd(7, b + kTileBytes, kTileRow);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, lower, stride);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    upper += a.step;
    lower += a.step;
    b += kStepBytes;
    between();
  }
}

#include "runtime/device/cpu/gemm/AmxFinish.inc"

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The sizes of the loops.  The memory of a thread holds, in bytes,
///
///   | right: 1 MiB | partial sums: 768 KiB | left: 256 KiB |
///
/// If the left is read in place and the right is large, the memory of the right
/// is split into two halves: one is multiplied while the other is filled.  If
/// the left is copied, its memory is split in this way.
struct Blocks {
  static constexpr int64_t kBytesRight = 1 << 20, kBytesPartial = 768 << 10,
                           kBytesLeft = 256 << 10;
  static_assert(kBytesRight + kBytesPartial + kBytesLeft <= ZRT_PACKING_BYTES);
  /// The k of a part if not all k fit.
  static constexpr int64_t kDepth = 1024;
  /// The k and the columns of a part of a right operand that is read row by
  /// row.
  static constexpr int64_t kShallow = 192, kWide = 512;
  /// The bytes that stay in the second-level cache.
  static constexpr int64_t kNear = 1280 << 10;

  int64_t depth, columns, rows;
  bool copiesLeft, isDoubled;

  Blocks(const Operand &left, const Operand &right, int64_t k) {
    // Unaligned rows of tiles would each take two cache lines.
    copiesLeft = !left.isAlong || left.stride % kStep != 0;
    isDoubled = !copiesLeft && left.things < right.things;
    // The right's rows are contiguous, so it is cut into a few k.
    const bool isShallow = !copiesLeft && !right.isAlong;
    const int64_t mostDepth =
        isShallow ? kShallow : kBytesLeft / (copiesLeft ? 2 : 1) / (kBlock * 2);
    const int64_t parts =
        k > mostDepth ? divideUp(k, isShallow ? kShallow : kDepth) : 1;
    depth = evenly(k, parts, kStep);
    int64_t most =
        kBytesRight / (isDoubled ? 2 : 1) / (2 * depth) / kBlock * kBlock;
    if (isShallow)
      most = least(most, kWide);
    else if (isDoubled && left.things * depth * 2 <= kNear)
      most = least(most, 4 * kBlock);
    columns = evenly(right.things, divideUp(right.things, most), kBlock);
    rows = left.things;
    if (parts > 1) {
      const int64_t fit =
          kBytesPartial / int64_t(sizeof(float)) / columns / kBlock * kBlock;
      rows = evenly(rows, divideUp(rows, fit), kBlock);
    }
  }

  static int64_t evenly(int64_t size, int64_t parts, int64_t unit) {
    return divideUp(divideUp(size, parts), unit) * unit;
  }
};

/// A round of the loops: begins at i of the left, j of the right, and k = p.
struct Round {
  int64_t i = 0, j = 0, p = 0;
};

class TileProduct {
public:
  TileProduct(const Gemm16 &g, float *packing)
      : g(g), left(g.transB ? ofB(g) : ofA(g)),
        right(g.transB ? ofA(g) : ofB(g)), blocks(left, right, g.k),
        memoryRight(reinterpret_cast<std::byte *>(packing)),
        memoryLeft(memoryRight + Blocks::kBytesRight + Blocks::kBytesPartial),
        partial(reinterpret_cast<float *>(memoryRight + Blocks::kBytesRight)),
        finish(g) {}

  void run() {
    Round round;
    bool isLast = false;
    copierOfRight(round, 0).copyAll();
    for (int64_t number = 0; !isLast; ++number) {
      Round next = round;
      isLast = !advance(next);
      const bool copies = !isLast && (next.j != round.j || next.p != round.p);
      if (copies && blocks.isDoubled)
        copier = copierOfRight(next, number + 1);
      multiplyRound(round, bufferOfRight(number));
      if (copies && !blocks.isDoubled)
        copier = copierOfRight(next, number + 1);
      copier.copyAll();
      if (!copies)
        --number;
      round = next;
    }
    while (!finish.isDone())
      finish.doPart(g);
  }

private:
  static Operand ofA(const Gemm16 &g) { return {g.a, g.lda, !g.transA, g.m}; }
  static Operand ofB(const Gemm16 &g) { return {g.b, g.ldb, g.transB, g.n}; }

  int64_t rowsOf(const Round &r) const {
    return least(blocks.rows, left.things - r.i);
  }
  int64_t columnsOf(const Round &r) const {
    return least(blocks.columns, right.things - r.j);
  }
  int64_t depthOf(const Round &r) const {
    return least(blocks.depth, g.k - r.p);
  }

  /// Moves to the next round; returns false after the last one.
  bool advance(Round &round) const {
    round.p += blocks.depth;
    if (round.p < g.k)
      return true;
    round.p = 0;
    round.i += blocks.rows;
    if (round.i < left.things)
      return true;
    round.i = 0;
    round.j += blocks.columns;
    return round.j < right.things;
  }

  std::byte *bufferOfRight(int64_t number) const {
    return memoryRight +
           (blocks.isDoubled && number % 2 ? Blocks::kBytesRight / 2 : 0);
  }
  std::byte *bufferOfLeft(int64_t number) const {
    return memoryLeft + (number % 2 ? Blocks::kBytesLeft / 2 : 0);
  }
  Copier copierOfRight(const Round &r, int64_t number) const {
    return {right,      /*isLeft=*/false,     r.j, columnsOf(r), r.p,
            depthOf(r), bufferOfRight(number)};
  }
  /// Copies 32 rows from the round's row i on.
  Copier copierOfLeft(const Round &r, int64_t i) const {
    return {left,
            /*isLeft=*/true,
            r.i + i,
            least(kBlock, rowsOf(r) - i),
            r.p,
            depthOf(r),
            bufferOfLeft(i / kBlock)};
  }

  void multiplyRound(const Round &round, const std::byte *packed) {
    const int64_t rows = rowsOf(round), k = depthOf(round);
    const int64_t stepsOfRows =
        divideUp(columnsOf(round), kBlock) * divideUp(k, kStep);
    if (blocks.copiesLeft)
      copierOfLeft(round, 0).copyAll();
    else
      spread(stepsOfRows * divideUp(rows, kBlock));
    float *sums = partial;
    for (int64_t i = 0; i < rows; i += kBlock) {
      Panel panel;
      if (!blocks.copiesLeft) {
        panel = panelInPlace(left, round.i + i, round.p, k, memoryLeft);
        ahead = blocks.isDoubled ? Ahead()
                                 : Ahead(left, round.i + i + kBlock, round.p, k,
                                         stepsOfRows);
      } else {
        panel.rest = copied(bufferOfLeft(i / kBlock));
        if (i + kBlock < rows) {
          copier = copierOfLeft(round, i + kBlock);
          spread(stepsOfRows);
        }
      }
      if (finish.fetches() && round.p + blocks.depth >= g.k)
        multiplyRows<true>(round, i, panel, packed, sums);
      else
        multiplyRows<false>(round, i, panel, packed, sums);
      if (blocks.copiesLeft)
        copier.copyAll();
      sums += kBlock * blocks.columns;
    }
  }

  /// Multiplies 32 rows of the left.  `Fetches`: prefetches C, which is in
  /// memory.
  template <bool Fetches>
  void multiplyRows(const Round &round, int64_t i, const Panel &panel,
                    const std::byte *packed, float *sums) {
    const int64_t columns = columnsOf(round),
                  steps = divideUp(depthOf(round), kStep);
    const bool first = round.p == 0, last = round.p + blocks.depth >= g.k;
    // The sums of the previous block are not available at once.
    const int64_t wait = steps > 4 ? 3 : 0;
    const int64_t parts = divideUp(Finish::kParts, steps - wait);
    int64_t step = 0, fetched = 0, j = 0;
    const int64_t rowsEach = divideUp(kBlock, steps);
    const auto between = [&] {
      if (step++ >= wait)
        for (int64_t r = 0; r < parts && !finish.isDone(); ++r)
          finish.doPart(g);
      ahead.fetch();
      if constexpr (Fetches)
        for (int64_t r = 0; r < rowsEach && fetched < kBlock; ++r, ++fetched)
          finish.fetchRow(g, g.transB ? round.j + j : round.i + i,
                          g.transB ? round.i + i : round.j + j, fetched);
      work();
    };
    for (; j < columns; j += kBlock) {
      step = fetched = 0;
      if (first)
        clearSums();
      else
        loadSums(sums, kBlock);
      addSteps(panel.whole, packed, panel.steps, between);
      addSteps(panel.rest, packed + panel.steps * kStepBytes,
               steps - panel.steps, between);
      if (last) {
        while (!finish.isDone())
          finish.doPart(g);
        storeSums(finish.sums(), kBlock);
        if (g.transB)
          finish.start(g, round.j + j, round.i + i, /*turned=*/true);
        else
          finish.start(g, round.i + i, round.j + j, /*turned=*/false);
      } else {
        storeSums(sums, kBlock);
      }
      packed += steps * kStepBytes;
      sums += kBlock * kBlock;
    }
  }

  /// Spreads the squares to copy over `calls` calls of `work`.
  void spread(int64_t calls) {
    each = copier.squaresLeft();
    of = calls;
    due = 0;
  }
  void work() {
    for (due += each; due >= of && copier.squaresLeft() > 0; due -= of)
      copier.copySquare();
  }

  const Gemm16 &g;
  const Operand left, right;
  const Blocks blocks;
  std::byte *const memoryRight, *const memoryLeft;
  float *const partial;
  Finish finish; ///< of the previous block
  Copier copier; ///< of the next data
  Ahead ahead;   ///< the next rows
  int64_t each = 0, of = 1, due = 0;
};

} // namespace

void multiply(const Gemm16 &g, float *packing) {
  const Tiles tiles;
  TileProduct(g, packing).run();
}

} // namespace zrt::ZRT_TARGET
