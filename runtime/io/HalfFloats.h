//===- HalfFloats.h - 16-bit floats as f32 ----------------------*- C++ -*-===//
#ifndef ZRT_IO_HALF_FLOATS_H
#define ZRT_IO_HALF_FLOATS_H

#include <bit>
#include <cstdint>

namespace zrt {

/// The value of IEEE half-precision `bits`, which f32 holds exactly.
inline float widenHalf(uint16_t bits) {
  const uint32_t sign = uint32_t(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu, mantissa = bits & 0x3ffu;
  if (exponent == 0) {
    // Zero and subnormals: mantissa x 2^-24.
    const float value = float(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

/// The value of bfloat16 `bits`: the upper half of f32's.
inline float widenBrain(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

} // namespace zrt

#endif // ZRT_IO_HALF_FLOATS_H
