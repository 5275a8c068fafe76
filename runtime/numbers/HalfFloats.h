//===- HalfFloats.h - Converts between 16-bit floats and f32 ----*- C++ -*-===//
//
// The only definition of bf16 and f16 in the runtime.  Widening is exact;
// narrowing rounds to nearest, ties to even, and keeps denormals.  Compiled
// kernels round the same way: bf16 as MLIR's arith-expand does, f16 as the
// processor's vcvtps2ph.
//
// Everything is integer arithmetic without branches, which compilers vectorize.
// Always inlined, so that files compiled for wide vectors share no code with
// others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zrt {

/// The bits of a bf16, and of an f16.
struct Brain {
  uint16_t bits;
};
struct Half {
  uint16_t bits;
};

/// Returns the value of bfloat16 `bits`, which are the upper half of an f32.
[[gnu::always_inline]] inline float widenBrain(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Returns the value of half-precision `bits`, which f32 represents exactly.
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

/// Returns the nearest bfloat16, and 0x7fc0 for a NaN.
[[gnu::always_inline]] inline uint16_t narrowBrain(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return uint16_t((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

/// Returns the nearest half: infinity from 65520 on; a quiet NaN of the same
/// sign for a NaN.
[[gnu::always_inline]] inline uint16_t narrowHalf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
  const uint32_t normal =
      (rest - (112u << 23) + 0xfffu + (rest >> 13 & 1u)) >> 13;
  // Below 2^-14: the last bit of 0.5 + x is 2^-24, as in the result.
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

/// Narrows `count` f32 to `dtype` in the same memory if `dtype` has 16 bits;
/// else does nothing.
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
