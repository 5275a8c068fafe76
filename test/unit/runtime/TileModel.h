//===- TileModel.h - AMX's instructions as functions ------------*- C++ -*-===//
//
// For code that is compiled with ZRT_TILE_MODEL, so that its tests run on every
// processor.  The arithmetic is that of Intel's manual: of 16 pairs the lower
// and the upper products are added in order, with one rounding for each, and
// denormals are zeros.  Misuse ends the program: tiles that are not configured
// as 16 rows of 64 bytes, or not released.
//
//===----------------------------------------------------------------------===//
#pragma once

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

inline void dotBrains(int c, int a, int b) {
  auto &sums = tile(c);
  const auto &left = tile(a), &right = tile(b);
  for (int i = 0; i < kRowsOfTile; ++i) {
    float lower[kWordsOfRow] = {}, upper[kWordsOfRow] = {};
    for (int p = 0; p < kWordsOfRow; ++p) {
      const float low = floatOf(left[i][p] << 16),
                  high = floatOf(left[i][p] & 0xffff0000);
      for (int j = 0; j < kWordsOfRow; ++j) {
        const uint32_t y = right[p][j];
        lower[j] = flushed(std::fma(low, floatOf(y << 16), lower[j]));
        upper[j] = flushed(std::fma(high, floatOf(y & 0xffff0000), upper[j]));
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
#define _tile_loadconfig zrt::tile_model::loadConfig
#define _tile_release zrt::tile_model::release
#define _tile_zero zrt::tile_model::zero
#define _tile_loadd zrt::tile_model::load
#define _tile_stored zrt::tile_model::store
#define _tile_dpbf16ps zrt::tile_model::dotBrains
// NOLINTEND(bugprone-reserved-identifier)
