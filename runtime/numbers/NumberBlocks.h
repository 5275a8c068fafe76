//===- NumberBlocks.h - Numbers in blocks with a common scale ---*- C++ -*-===//
//
// The elements of ZRT_BLOCK8 and ZRT_BLOCK4 (abi/ElementTypes.def), in which
// ranks exchange parameters and gradients.  ZRT_QUANTIZE in ZrtStructs.def says
// what scale and codes are.
//
// Always inlined, so that files compiled for wide vectors share no code with
// others.  They are compiled with -ffp-contract=off: a product and the constant
// that rounds it must not become one FMA.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace zrt {

constexpr bool isBlock(zrt_dtype dtype) {
  return dtype == ZRT_BLOCK8 || dtype == ZRT_BLOCK4;
}

constexpr size_t kNumbers = ZRT_BLOCK_ELEMENTS;

/// The bytes of a block with codes of `Bits` bits.
template <int Bits>
constexpr size_t kBlockBytes = sizeof(float) + kNumbers * Bits / 8;

/// Makes a block of kNumbers numbers.
template <int Bits>
[[gnu::always_inline]] inline void quantizeBlock(const float *numbers,
                                                 std::byte *block) {
  constexpr float kTop = Bits == 8 ? 127 : 7;
  // As integers, NaN is above infinity, and that above all other values.
  uint32_t largest = 0;
  for (size_t i = 0; i < kNumbers; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(numbers[i]) & 0x7fffffffu;
    largest = bits > largest ? bits : largest;
  }
  const auto most = std::bit_cast<float>(largest);
  const bool isFinite = largest < 0x7f800000u, isZero = most < 0x1p-100f;
  const float scale = !isFinite ? std::numeric_limits<float>::quiet_NaN()
                      : isZero  ? 0
                                : most / kTop,
              inverse = !isFinite || isZero ? 0 : kTop / most;
  std::memcpy(block, &scale, sizeof(scale));
  auto *codes = reinterpret_cast<uint8_t *>(block + sizeof(scale));
  if (!isFinite) // a product of an infinity and 0 has no code
    return void(std::memset(codes, 0, kNumbers * Bits / 8));
  // The sum with 1.5 x 2^23 is rounded to a whole number, which its last bits
  // are.
  const auto codeOf = [inverse](float number) {
    return std::bit_cast<uint32_t>(number * inverse + 0x1.8p23f);
  };
  if constexpr (Bits == 8)
    for (size_t i = 0; i < kNumbers; ++i)
      codes[i] = uint8_t(codeOf(numbers[i]));
  else
    for (size_t i = 0; i < kNumbers / 2; ++i)
      codes[i] = uint8_t((codeOf(numbers[i]) + 8u) & 15u) |
                 uint8_t((codeOf(numbers[kNumbers / 2 + i]) + 8u) << 4);
}

/// Sets `numbers` to the kNumbers numbers of a block.
template <int Bits>
[[gnu::always_inline]] inline void dequantizeBlock(const std::byte *block,
                                                   float *numbers) {
  float scale;
  std::memcpy(&scale, block, sizeof(scale));
  const std::byte *codes = block + sizeof(scale);
  if constexpr (Bits == 8)
    for (size_t i = 0; i < kNumbers; ++i)
      numbers[i] = float(int8_t(codes[i])) * scale;
  else
    for (size_t i = 0; i < kNumbers / 2; ++i) {
      const int both = int(codes[i]);
      numbers[i] = float((both & 15) - 8) * scale;
      numbers[kNumbers / 2 + i] = float((both >> 4) - 8) * scale;
    }
}

/// The same for `blocks` blocks of type `dtype`.
void quantizeBlocks(const float *numbers, size_t blocks, zrt_dtype dtype,
                    std::byte *to);
void dequantizeBlocks(const std::byte *from, zrt_dtype dtype, size_t blocks,
                      float *numbers);

} // namespace zrt
