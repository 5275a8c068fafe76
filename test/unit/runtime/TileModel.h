//===- TileModel.h - AMX's instructions as functions ------------*- C++ -*-===//
//
// For code that is compiled with ZRT_TILE_MODEL, so that its tests run on every
// processor.  The arithmetic is that of Intel's manual (volume 2, TDPBF16PS and
// TDPFP16PS), for each row m of C:
//
//   temp[0 ... 31] = 0
//   for k in 0 ... 15, n in 0 ... 15:
//     temp[2n]     += f32(a[m][2k])     * f32(b[k][2n])       fused
//     temp[2n + 1] += f32(a[m][2k + 1]) * f32(b[k][2n + 1])   fused
//   c[m][n] = c[m][n] + (temp[2n] + temp[2n + 1])
//
// Each operation rounds to nearest even, and reads and writes denormals of f32
// as zeros; MXCSR does not matter.  A denormal of bf16 is one of f32.  One of
// f16 is not: "Input FP16 denormals are always handled and not treated as
// zero."  Misuse ends the program: tiles that are not configured as 16 rows of
// 64 bytes, or not released.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/numbers/HalfFloats.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#include <limits>

namespace zrt::tile_model {

inline constexpr int kTiles = 8, kRowsOfTile = 16, kWordsOfRow = 16;

struct TileRegisters {
  bool isConfigured = false;
  uint32_t words[kTiles][kRowsOfTile][kWordsOfRow] = {};

  ~TileRegisters() { need(!isConfigured, "a thread ends with tiles"); }
  static void need(bool holds, const char *what) {
    if (holds)
      return;
    std::fprintf(stderr, "tile model: %s\n", what);
    std::abort();
  }
};
inline thread_local TileRegisters registers;

/// The palette, then the bytes of a row and the rows of each tile.
inline void loadConfig(const void *config) {
  const auto *const bytes = static_cast<const uint8_t *>(config);
  TileRegisters::need(bytes[0] == 1, "another palette than 1");
  for (int t = 0; t < kTiles; ++t) {
    uint16_t rowBytes = 0;
    std::memcpy(&rowBytes, bytes + 16 + 2 * t, 2);
    TileRegisters::need(rowBytes == 64 && bytes[48 + t] == 16,
                        "a tile that is not 16 rows of 64 bytes");
  }
  registers = TileRegisters();
  registers.isConfigured = true;
}
inline void release() { registers.isConfigured = false; }

inline auto &tile(int t) {
  TileRegisters::need(registers.isConfigured, "tiles are not configured");
  TileRegisters::need(t >= 0 && t < kTiles, "no such tile");
  return registers.words[t];
}
inline void zero(int t) { std::memset(tile(t), 0, sizeof(tile(t))); }
inline void load(int t, const void *from, size_t stride) {
  for (int i = 0; i < kRowsOfTile; ++i)
    std::memcpy(tile(t)[i],
                static_cast<const char *>(from) + size_t(i) * stride, 64);
}
inline void store(int t, void *to, size_t stride) {
  for (int i = 0; i < kRowsOfTile; ++i)
    std::memcpy(static_cast<char *>(to) + size_t(i) * stride, tile(t)[i], 64);
}

inline float floatOf(uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return std::fabs(value) < std::numeric_limits<float>::min()
             ? std::copysign(0.0f, value)
             : value;
}
inline uint32_t bitsOf(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float flushed(float value) { return floatOf(bitsOf(value)); }

/// T is Brain or Half.
template <typename T>
void dot(int c, int a, int b) {
  const auto lowerOf = [](uint32_t pair) {
    return flushed(widen(T{uint16_t(pair)}));
  };
  const auto upperOf = [](uint32_t pair) {
    return flushed(widen(T{uint16_t(pair >> 16)}));
  };
  auto &sums = tile(c);
  const auto &left = tile(a), &right = tile(b);
  for (int i = 0; i < kRowsOfTile; ++i) {
    float lower[kWordsOfRow] = {}, upper[kWordsOfRow] = {};
    for (int p = 0; p < kWordsOfRow; ++p) {
      const float low = lowerOf(left[i][p]), high = upperOf(left[i][p]);
      for (int j = 0; j < kWordsOfRow; ++j) {
        const uint32_t y = right[p][j];
        lower[j] = flushed(std::fma(low, lowerOf(y), lower[j]));
        upper[j] = flushed(std::fma(high, upperOf(y), upper[j]));
      }
    }
    for (int j = 0; j < kWordsOfRow; ++j)
      sums[i][j] =
          bitsOf(flushed(floatOf(sums[i][j]) + flushed(lower[j] + upper[j])));
  }
}

} // namespace zrt::tile_model

// NOLINTBEGIN(bugprone-reserved-identifier)
#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbf16ps
#undef _tile_dpfp16ps
#define _tile_loadconfig zrt::tile_model::loadConfig
#define _tile_release zrt::tile_model::release
#define _tile_zero zrt::tile_model::zero
#define _tile_loadd zrt::tile_model::load
#define _tile_stored zrt::tile_model::store
#define _tile_dpbf16ps zrt::tile_model::dot<zrt::Brain>
#define _tile_dpfp16ps zrt::tile_model::dot<zrt::Half>
// NOLINTEND(bugprone-reserved-identifier)
