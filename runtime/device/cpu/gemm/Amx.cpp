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
// The tile of C in registers is 2 x 2 of them.
//
//   for some columns of B, so many that all of their k take 1 MiB (Blocks):
//     copy them in panels of 32, by steps of 32 k
//     for 32 rows of A:
//       where A is not transposed it is read in place, else copied
//       for each panel of B:
//         2 x 2 tiles of C = sum of the steps, finished by vectors
//
// Where k is so large that too few columns would remain, it is cut as well, and
// partial sums wait in f32.
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

/// Adds `steps` steps.
inline void addSteps(const Left &a, const std::byte *b, int64_t steps) {
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
  }
}

//===----------------------------------------------------------------------===//
// C
//===----------------------------------------------------------------------===//

inline Vector loadFrom(const std::byte *from, zrt_dtype type, int64_t i) {
  if (type == ZRT_F32)
    return load<kLanes>(reinterpret_cast<const float *>(from) + i);
  return load<kLanes>(reinterpret_cast<const Brain *>(from) + i);
}

inline float oneFrom(const std::byte *from, zrt_dtype type, int64_t i) {
  if (type == ZRT_F32)
    return reinterpret_cast<const float *>(from)[i];
  return widen(reinterpret_cast<const Brain *>(from)[i]);
}

inline void storeTo(std::byte *to, zrt_dtype type, int64_t i, Vector value) {
  if (type == ZRT_F32) {
    *reinterpret_cast<AnyVector *>(reinterpret_cast<float *>(to) + i) = value;
    return;
  }
  typedef uint32_t Wide __attribute__((vector_size(4 * kLanes)));
  typedef uint16_t Narrow __attribute__((vector_size(2 * kLanes), aligned(2)));
  // As narrowBrain.
  const auto bits = reinterpret_cast<const Wide &>(value);
  const Wide rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  const Wide nan = Wide{} + 0x7fc0u;
  const Wide result = (bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded;
  *reinterpret_cast<Narrow *>(reinterpret_cast<uint16_t *>(to) + i) =
      __builtin_convertvector(result, Narrow);
}

inline void storeOne(std::byte *to, zrt_dtype type, int64_t i, float value) {
  if (type == ZRT_F32)
    reinterpret_cast<float *>(to)[i] = value;
  else
    narrow(value, reinterpret_cast<Brain *>(to)[i]);
}

/// C = sums + old C + bias for the block at i, j.
void finish(const Gemm16 &g, int64_t i, int64_t j, const float *sums) {
  const int64_t rows = least(kBlock, g.m - i), columns = least(kBlock, g.n - j);
  const int64_t size = g.cType == ZRT_F32 ? 4 : 2,
                biasSize = g.biasType == ZRT_F32 ? 4 : 2;
  const std::byte *const bias = g.bias ? g.bias + j * biasSize : nullptr;
  for (int64_t r = 0; r < rows; ++r, sums += kBlock) {
    std::byte *const c = g.c + ((i + r) * g.ldc + j) * size;
    int64_t x = 0;
    for (; x + kLanes <= columns; x += kLanes) {
      Vector value = load<kLanes>(sums + x);
      if (g.accumulate)
        value += loadFrom(c, g.cType, x);
      if (bias)
        value += loadFrom(bias, g.biasType, x);
      storeTo(c, g.cType, x, value);
    }
    for (; x < columns; ++x) {
      float value = sums[x];
      if (g.accumulate)
        value += oneFrom(c, g.cType, x);
      if (bias)
        value += oneFrom(bias, g.biasType, x);
      storeOne(c, g.cType, x, value);
    }
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// How the loops are cut.  The memory of a thread holds, in bytes,
///
///   | B: 1 MiB | partial sums: 768 KiB | A: 256 KiB |
struct Blocks {
  static constexpr int64_t kBytesB = 1 << 20, kBytesPartial = 768 << 10,
                           kBytesA = 256 << 10;
  static_assert(kBytesB + kBytesPartial + kBytesA <= ZRT_PACKING_BYTES);
  /// The most k of 32 rows of A, and k of a part where there is more.
  static constexpr int64_t kMostDepth = kBytesA / (kBlock * 2), kDepth = 1024;

  int64_t depth, columns, rows;

  explicit Blocks(const Gemm16 &g) {
    const int64_t parts = g.k > kMostDepth ? divideUp(g.k, kDepth) : 1;
    depth = evenly(g.k, parts, kStep);
    const int64_t most = kBytesB / (2 * depth) / kBlock * kBlock;
    columns = evenly(g.n, divideUp(g.n, most), kBlock);
    rows = g.m;
    if (parts > 1) {
      const int64_t fit =
          kBytesPartial / int64_t(sizeof(float)) / columns / kBlock * kBlock;
      rows = evenly(g.m, divideUp(g.m, fit), kBlock);
    }
  }

  static int64_t evenly(int64_t size, int64_t parts, int64_t unit) {
    return divideUp(divideUp(size, parts), unit) * unit;
  }
};

/// Rows i on and columns j on of C, from k of p on.
struct Place {
  int64_t i, j, p;
};

/// The block of C at rows `at.i` on, of all of its columns and some of k.
void multiplyRows(const Gemm16 &g, const Blocks &blocks, const Place &at,
                  const std::byte *packedB, float *partial,
                  std::byte *packedA) {
  const int64_t k = least(blocks.depth, g.k - at.p), steps = divideUp(k, kStep);
  const int64_t columns = least(blocks.columns, g.n - at.j);
  const bool first = at.p == 0, last = at.p + blocks.depth >= g.k;
  const Panel panel = panelOfA(g, at.i, at.p, k, packedA);
  alignas(64) float sums[kBlock * kBlock];
  for (int64_t j = 0; j < columns; j += kBlock) {
    if (first)
      clearSums();
    else
      loadSums(partial, kBlock);
    addSteps(panel.whole, packedB, panel.steps);
    addSteps(panel.rest, packedB + panel.steps * kStepBytes,
             steps - panel.steps);
    if (last) {
      storeSums(sums, kBlock);
      finish(g, at.i, at.j + j, sums);
    } else {
      storeSums(partial, kBlock);
    }
    packedB += steps * kStepBytes;
    partial += kBlock * kBlock;
  }
}

} // namespace

void multiply(const Gemm16 &g, float *packing) {
  const Blocks blocks(g);
  auto *const packedB = reinterpret_cast<std::byte *>(packing);
  auto *const packedA = packedB + Blocks::kBytesB + Blocks::kBytesPartial;
  auto *const partial = reinterpret_cast<float *>(packedB + Blocks::kBytesB);
  const Tiles tiles;
  for (int64_t j = 0; j < g.n; j += blocks.columns)
    for (int64_t i = 0; i < g.m; i += blocks.rows)
      for (int64_t p = 0; p < g.k; p += blocks.depth) {
        packB(g, p, least(blocks.depth, g.k - p), j,
              least(blocks.columns, g.n - j), packedB);
        float *sums = partial;
        const int64_t end = least(i + blocks.rows, g.m);
        for (int64_t r = i; r < end; r += kBlock) {
          multiplyRows(g, blocks, {r, j, p}, packedB, sums, packedA);
          sums += kBlock * blocks.columns;
        }
      }
}

} // namespace zrt::amx
