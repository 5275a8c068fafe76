//===- Halves.cpp - Numbers of 16 bits ------------------------------------===//
#include "Halves.h"

#include "Emulator.h"

#include <algorithm>
#include <bit>
#include <cmath>

float zge::widen16(uint32_t type, uint16_t bits) {
  if (type == ZGE_BF16)
    return std::bit_cast<float>(uint32_t(bits) << 16);
  const int exponent = bits >> 10 & 31;
  const float mantissa = float(bits & 1023);
  float size = exponent == 0 ? std::ldexp(mantissa, -24)
                             : std::ldexp(mantissa + 1024, exponent - 25);
  if (exponent == 31)
    size = mantissa == 0 ? HUGE_VALF : NAN;
  return bits >> 15 ? -size : size;
}

uint16_t zge::round16(uint32_t type, float number) {
  if (std::isnan(number))
    return 0x7fff;
  const auto bits = std::bit_cast<uint32_t>(number);
  if (type == ZGE_BF16)
    return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  const auto sign = uint16_t(bits >> 16 & 0x8000);
  const float size = std::fabs(number);
  if (size >= 65520.0f) // halfway from the largest number to 2^16
    return sign | 0x7c00;
  // The unit in the last place, at least 2^-24.
  const int exponent = std::max(std::ilogb(size), -14);
  const auto units = uint32_t(std::nearbyint(std::ldexp(size, 10 - exponent)));
  return uint16_t(sign | (uint32_t(exponent + 14) * 1024 + units));
}
