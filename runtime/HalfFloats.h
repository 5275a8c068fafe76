//===- HalfFloats.h - 16-bit floats and f32 ---------------------*- C++ -*-===//
//
// The one meaning of bf16 and f16 in the runtime.  Widening is exact; narrowing
// rounds to nearest, ties to even, and keeps denormals.  Compiled kernels round
// alike: bf16 as MLIR's arith-expand does, f16 as the processor's vcvtps2ph.
//
// All is arithmetic of integers without branches, which compilers turn into
// vectors; always inlined, so that files for wide vectors share no code of it
// with others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zrt {

/// Bits of a bf16, and of an f16.
struct Brain {
  uint16_t bits;
};
struct Half {
  uint16_t bits;
};

/// The value of bfloat16 `bits`: the upper half of f32's.
[[gnu::always_inline]] inline float widenBrain(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// The value of IEEE half-precision `bits`, which f32 holds exactly.
[[gnu::always_inline]] inline float widenHalf(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16, rest = bits & 0x7fffu;
  const uint32_t normal = (rest << 13) + (112u << 23),
                 special = (rest << 13) | 0x7f800000u;
  // Zero and subnormals: mantissa x 2^-24.
  const auto small = std::bit_cast<uint32_t>(float(int32_t(rest)) * 0x1p-24f);
  uint32_t value = rest < 0x400u ? small : normal;
  value = rest >= 0x7c00u ? special : value;
  return std::bit_cast<float>(sign | value);
}

/// The nearest bfloat16; of a NaN 0x7fc0.
[[gnu::always_inline]] inline uint16_t narrowBrain(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return uint16_t((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

/// The nearest half; from 65520 on infinity, of a NaN a quiet one of its sign.
[[gnu::always_inline]] inline uint16_t narrowHalf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
  const uint32_t normal =
      (rest - (112u << 23) + 0xfffu + (rest >> 13 & 1u)) >> 13;
  // Below 2^-14: the last place of 0.5 + x is 2^-24, as that of the result.
  const uint32_t small =
      std::bit_cast<uint32_t>(std::bit_cast<float>(rest) + 0.5f) - 0x3f000000u;
  const uint32_t nan = 0x7e00u | (rest >> 13 & 0x3ffu);
  uint32_t result = rest < 0x38800000u ? small : normal;
  result = rest >= 0x47800000u ? 0x7c00u : result;
  result = rest > 0x7f800000u ? nan : result;
  return uint16_t(sign | result);
}

[[gnu::always_inline]] inline float widen(float value) { return value; }
[[gnu::always_inline]] inline float widen(Brain value) {
  return widenBrain(value.bits);
}
[[gnu::always_inline]] inline float widen(Half value) {
  return widenHalf(value.bits);
}

[[gnu::always_inline]] inline void narrow(float from, float &to) { to = from; }
[[gnu::always_inline]] inline void narrow(float from, Brain &to) {
  to.bits = narrowBrain(from);
}
[[gnu::always_inline]] inline void narrow(float from, Half &to) {
  to.bits = narrowHalf(from);
}

/// `count` f32 become elements of `dtype` in the same bytes, where that has 16
/// bits; else they stay.
inline void narrowInPlace(zrt_dtype dtype, float *values, size_t count) {
  if (dtype != ZRT_BF16 && dtype != ZRT_F16)
    return;
  for (size_t i = 0; i < count; ++i) {
    const uint16_t bits =
        dtype == ZRT_BF16 ? narrowBrain(values[i]) : narrowHalf(values[i]);
    std::memcpy(reinterpret_cast<std::byte *>(values) + i * sizeof(bits), &bits,
                sizeof(bits));
  }
}

} // namespace zrt
