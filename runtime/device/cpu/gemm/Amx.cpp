//===- Amx.cpp - Matrix products of bf16 by AMX's tiles -------------------===//
//
// A tile is 16 rows of 64 bytes.  One TDPBF16PS adds 32 products to each of the
// 16 x 16 sums of a tile of C:
//
//   A: 16 rows, 32 k each          B: 16 pairs of k, 16 columns each
//
//   even = sum of a[2p] b[2p],  odd = sum of a[2p + 1] b[2p + 1],  p = 0 ... 15
//   c    = c + (even + odd)
//
// each operation rounded to f32, with denormals read and written as zeros.  All
// of k goes into C like that, 32 after 32, the last ones filled up with zeros.
// So bits do not depend on how the loops below are cut: f32 holds what a tile
// holds.
//
// The tile of C in registers is 2 x 2 of them.  What is on the left is read in
// place where its k lie side by side; what is on the right must be copied, and
// turned where they do.  So where B is transposed, as a layer's weights are, the
// product is computed as C^T = B^T A^T: large weights are read where they are,
// and few activations are turned.
//
//   for some columns on the right, so many that all of their k fit (Blocks):
//     copy them in panels of 32, by steps of 32 k
//     for 32 rows on the left, in place or copied:
//       for each panel:
//         2 x 2 tiles of C = sum of the steps
//
// Between the steps of one panel the C of the panel before is finished, and what
// comes next is copied or fetched.  Where k is so large that too few columns
// would fit, it is cut as well, and partial sums wait in f32.
//
//===----------------------------------------------------------------------===//
#define ZRT_TARGET amx
#define ZRT_LANES 16
#include "runtime/device/cpu/gemm/Gemm16.h"

#include "runtime/device/cpu/gemm/Vectors.inc"

#include <cstring>
#include <immintrin.h>

namespace zrt::amx {
namespace {

constexpr int64_t kTile = 16, kBlock = 2 * kTile; ///< rows, columns
constexpr int64_t kStep = 32;                     ///< k of a tile
/// Two tiles side by side, of A or of B.
constexpr int64_t kStepBytes = kBlock * kStep * 2;
constexpr int64_t kTileBytes = kStepBytes / 2, kTileRow = 64;

#include "runtime/device/cpu/gemm/AmxPanels.inc"

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Tiles are configured while it lives.
class Tiles {
public:
  Tiles() {
    Config config;
    for (int i = 0; i < 8; ++i) {
      config.rowBytes[i] = kTileRow;
      config.rows[i] = kTile;
    }
    _tile_loadconfig(&config);
  }
  ~Tiles() { _tile_release(); }
  Tiles(const Tiles &) = delete;
  Tiles &operator=(const Tiles &) = delete;

private:
  struct alignas(64) Config {
    uint8_t palette = 1, startRow = 0, reserved[14] = {};
    uint16_t rowBytes[16] = {};
    uint8_t rows[16] = {};
  };
};

// Tiles 0 to 3 are the block of C, 4 and 5 of A, 6 and 7 of B.

inline void clearSums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

/// `stride` in floats.
inline void loadSums(const float *from, int64_t stride) {
  const auto bytes = size_t(stride) * sizeof(float);
  _tile_loadd(0, from, bytes);
  _tile_loadd(1, from + kTile, bytes);
  _tile_loadd(2, from + kTile * stride, bytes);
  _tile_loadd(3, from + kTile * stride + kTile, bytes);
}

inline void storeSums(float *to, int64_t stride) {
  const auto bytes = size_t(stride) * sizeof(float);
  _tile_stored(0, to, bytes);
  _tile_stored(1, to + kTile, bytes);
  _tile_stored(2, to + kTile * stride, bytes);
  _tile_stored(3, to + kTile * stride + kTile, bytes);
}

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

//===----------------------------------------------------------------------===//
// C
//===----------------------------------------------------------------------===//

inline float oneFrom(const std::byte *from, zrt_dtype type, int64_t i) {
  if (type == ZRT_F32)
    return reinterpret_cast<const float *>(from)[i];
  return widen(reinterpret_cast<const Brain *>(from)[i]);
}

inline void storeOne(std::byte *to, zrt_dtype type, int64_t i, float value) {
  if (type == ZRT_F32)
    reinterpret_cast<float *>(to)[i] = value;
  else
    narrow(value, reinterpret_cast<Brain *>(to)[i]);
}

/// The upper halves of what `bits` round to, as narrowBrain; NaNs apart.
inline __m512i roundUpper(__m512i bits) {
  const __m512i odd =
      _mm512_and_epi32(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  return _mm512_add_epi32(_mm512_add_epi32(bits, odd),
                          _mm512_set1_epi32(0x7fff));
}

/// 32 numbers as bf16.
inline void storeBrains(std::byte *to, Vector low, Vector high) {
  const auto x = __m512(low), y = __m512(high);
  const Shorts upperLow = Shorts(roundUpper(_mm512_castps_si512(x))),
               upperHigh = Shorts(roundUpper(_mm512_castps_si512(y)));
  const Shorts rounded = [&]<int... I>(std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(upperLow, upperHigh, (2 * I + 1)...);
  }(std::make_integer_sequence<int, 32>());
  const __mmask32 nan = __mmask32(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q)) |
                        __mmask32(_mm512_cmp_ps_mask(y, y, _CMP_UNORD_Q)) << 16;
  _mm512_storeu_si512(to, _mm512_mask_blend_epi16(nan, __m512i(rounded),
                                                  _mm512_set1_epi16(0x7fc0)));
}

/// `rows` whole rows of 32 of C, whose sums are kBlock apart.
template <bool IsWide, bool Adds>
void finishRows(const float *sums, const float *bias, std::byte *c,
                int64_t stride, int64_t rows) {
  const Vector biasLow = load<kLanes>(bias), biasHigh = load<kLanes>(bias + 16);
  for (int64_t r = 0; r < rows; ++r, sums += kBlock, c += stride) {
    Vector low = load<kLanes>(sums), high = load<kLanes>(sums + 16);
    if constexpr (Adds && IsWide) {
      low += load<kLanes>(reinterpret_cast<const float *>(c));
      high += load<kLanes>(reinterpret_cast<const float *>(c) + 16);
    } else if constexpr (Adds) {
      low += load<kLanes>(reinterpret_cast<const Brain *>(c));
      high += load<kLanes>(reinterpret_cast<const Brain *>(c) + 16);
    }
    low += biasLow;
    high += biasHigh;
    if constexpr (IsWide) {
      *reinterpret_cast<AnyVector *>(c) = low;
      *reinterpret_cast<AnyVector *>(c + 64) = high;
    } else {
      storeBrains(c, low, high);
    }
  }
}

/// C = sums + old C + bias for a block of 32 x 32, in small parts.
class Finish {
public:
  explicit Finish(const Gemm16 &g)
      : whole(g.cType == ZRT_F32 ? (g.accumulate ? finishRows<true, true>
                                                 : finishRows<true, false>)
                                 : (g.accumulate ? finishRows<false, true>
                                                 : finishRows<false, false>)) {
    // Adding -0 changes nothing.
    for (float &x : bias)
      x = -0.0f;
  }

  float *sums() { return memory; }
  bool isDone() const { return row >= rows; }
  /// How many parts a block has at most.
  static constexpr int64_t kParts = 12;

  /// What `sums` holds are rows i on and columns j on of C, `turned` or not.
  void start(const Gemm16 &g, int64_t i, int64_t j, bool turned) {
    rows = least(kBlock, g.m - i);
    columns = least(kBlock, g.n - j);
    row = 0;
    toTurn = turned ? 2 : 0;
    isTurned = turned;
    stride = g.ldc * sizeOf(g.cType);
    c = g.c + i * stride + j * sizeOf(g.cType);
    if (g.bias)
      for (int64_t x = 0; x < columns; ++x)
        bias[x] = oneFrom(g.bias, g.biasType, j + x);
  }

  /// Some rows, or turns what will be some.
  void doPart(const Gemm16 &g) {
    if (toTurn > 0)
      return turn(--toTurn);
    const int64_t some = least(4, rows - row);
    const float *const from =
        isTurned ? straight + row % kTile * kBlock : memory + row * kBlock;
    if (columns == kBlock)
      whole(from, bias, c, stride, some);
    else
      finishPart(g, from, some);
    c += some * stride;
    row += some;
    if (row % kTile == 0 && isTurned)
      toTurn = 2;
  }

private:
  static int64_t sizeOf(zrt_dtype type) { return type == ZRT_F32 ? 4 : 2; }

  void finishPart(const Gemm16 &g, const float *from, int64_t count) const {
    for (int64_t r = 0; r < count; ++r)
      for (int64_t x = 0; x < columns; ++x) {
        float value = from[r * kBlock + x];
        if (g.accumulate)
          value += oneFrom(c + r * stride, g.cType, x);
        storeOne(c + r * stride, g.cType, x, value + bias[x]);
      }
  }

  /// 16 rows of C from `row` on, 16 of their columns.
  void turn(int64_t half) {
    transpose<kTile>(memory + half * kTile * kBlock + row, kBlock,
                     straight + half * kTile, kBlock);
  }

  void (*const whole)(const float *, const float *, std::byte *, int64_t,
                      int64_t);
  alignas(64) float memory[kBlock * kBlock];
  alignas(64) float straight[kTile * kBlock];
  alignas(64) float bias[kBlock];
  std::byte *c = nullptr;
  int64_t stride = 0, rows = 0, columns = 0, row = 0, toTurn = 0;
  bool isTurned = false;
};

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// How the loops are cut.  The memory of a thread holds, in bytes,
///
///   | right: 1 MiB | partial sums: 768 KiB | left: 256 KiB |
///
/// Where the left is read in place and the right is large, that of the right is
/// two halves: one is multiplied while the other is filled.  Where the left is
/// copied, that of the left is.
struct Blocks {
  static constexpr int64_t kBytesRight = 1 << 20, kBytesPartial = 768 << 10,
                           kBytesLeft = 256 << 10;
  static_assert(kBytesRight + kBytesPartial + kBytesLeft <= ZRT_PACKING_BYTES);
  /// k of a part, where there is more than fits.
  static constexpr int64_t kDepth = 1024;
  /// What stays in the second-level cache.
  static constexpr int64_t kNear = 1280 << 10;

  int64_t depth, columns, rows;
  bool copiesLeft, isDoubled;

  Blocks(const Operand &left, const Operand &right, int64_t k) {
    // Rows of tiles that begin anywhere would be two lines each.
    copiesLeft = !left.isAlong || left.stride % kStep != 0;
    isDoubled = !copiesLeft && left.things < right.things;
    const int64_t mostDepth =
        !copiesLeft && !right.isAlong
            ? kDepth
            : kBytesLeft / (copiesLeft ? 2 : 1) / (kBlock * 2);
    const int64_t parts = k > mostDepth ? divideUp(k, kDepth) : 1;
    depth = evenly(k, parts, kStep);
    int64_t most =
        kBytesRight / (isDoubled ? 2 : 1) / (2 * depth) / kBlock * kBlock;
    if (isDoubled && left.things * depth * 2 <= kNear)
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

/// A round of the loops: i on of the left and j on of the right, k of p on.
struct Round {
  int64_t i = 0, j = 0, p = 0;
};

class Product {
public:
  Product(const Gemm16 &g, float *packing)
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

  /// Whether there is a next round.
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
  /// 32 rows from the round's row i on.
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
      multiplyRows(round, i, panel, packed, sums);
      if (blocks.copiesLeft)
        copier.copyAll();
      sums += kBlock * blocks.columns;
    }
  }

  /// 32 rows of the left.
  void multiplyRows(const Round &round, int64_t i, const Panel &panel,
                    const std::byte *packed, float *sums) {
    const int64_t columns = columnsOf(round),
                  steps = divideUp(depthOf(round), kStep);
    const bool first = round.p == 0, last = round.p + blocks.depth >= g.k;
    // The sums of the block before are not there at once.
    const int64_t wait = steps > 4 ? 3 : 0;
    const int64_t parts = divideUp(Finish::kParts, steps - wait);
    int64_t step = 0;
    const auto between = [&] {
      if (step++ >= wait)
        for (int64_t r = 0; r < parts && !finish.isDone(); ++r)
          finish.doPart(g);
      ahead.fetch();
      work();
    };
    for (int64_t j = 0; j < columns; j += kBlock) {
      step = 0;
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

  /// Spreads what is to be copied over so many calls of `work`.
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
  Finish finish; ///< of the block before
  Copier copier; ///< of what comes next
  Ahead ahead;   ///< the rows that come next
  int64_t each = 0, of = 1, due = 0;
};

} // namespace

void multiply(const Gemm16 &g, float *packing) {
  const Tiles tiles;
  Product(g, packing).run();
}

} // namespace zrt::amx
