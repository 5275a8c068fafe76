//===- HalfFloatsTest.cpp - Conversions of bf16 and f16 -------------------===//
#include "runtime/numbers/HalfFloats.h"

#include "runtime/numbers/HalfArrays.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace zrt;

namespace {

/// The value of `bits` of a format, by its definition.
double valueOfBits(uint16_t bits, int exponentBits) {
  const int mantissaBits = 15 - exponentBits;
  const int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  const int bias = (1 << (exponentBits - 1)) - 1;
  const double mantissa = bits & ((1 << mantissaBits) - 1);
  const double size = exponent == 0
                          ? std::ldexp(mantissa, 1 - bias - mantissaBits)
                          : std::ldexp(mantissa + (1 << mantissaBits),
                                       exponent - bias - mantissaBits);
  return bits & 0x8000 ? -size : size;
}

bool isFinite(uint16_t bits, int exponentBits) {
  const uint16_t infinity = 0x8000 - (1 << (15 - exponentBits));
  return (bits & 0x7fff) < infinity;
}

struct Format {
  const char *name;
  zrt_dtype dtype;
  int exponentBits;
};
constexpr Format kFormats[] = {{"bf16", ZRT_BF16, 8}, {"f16", ZRT_F16, 5}};

std::vector<float> widenedBits(const std::vector<uint16_t> &from,
                               zrt_dtype type) {
  std::vector<float> to(from.size());
  widen(from.data(), type, from.size(), to.data());
  return to;
}
std::vector<uint16_t> narrowed(const std::vector<float> &from, zrt_dtype type) {
  std::vector<uint16_t> to(from.size());
  narrow(from.data(), from.size(), type, to.data());
  return to;
}

std::vector<uint16_t> all() {
  std::vector<uint16_t> bits(1 << 16);
  for (size_t i = 0; i < bits.size(); ++i)
    bits[i] = uint16_t(i);
  return bits;
}

TEST(HalfFloats, EveryValueWidensExactlyAndComesBack) {
  for (const Format &format : kFormats) {
    const auto bits = all();
    const auto values = widenedBits(bits, format.dtype);
    const auto back = narrowed(values, format.dtype);
    for (size_t i = 0; i < bits.size(); ++i) {
      if (!isFinite(bits[i], format.exponentBits))
        continue;
      ASSERT_EQ(double(values[i]), valueOfBits(bits[i], format.exponentBits))
          << i;
      ASSERT_EQ(std::signbit(values[i]), bool(bits[i] & 0x8000));
      ASSERT_EQ(back[i], bits[i]) << format.name;
    }
  }
}

TEST(HalfFloats, NarrowingRoundsToNearestAndTiesToEven) {
  for (const Format &format : kFormats)
    for (unsigned low = 0; low < 0x7fffu; ++low) {
      const auto next = uint16_t(low + 1);
      if (!isFinite(next, format.exponentBits))
        break;
      // Both are exact in f64, and the middle is exact in f32.
      const double below = valueOfBits(uint16_t(low), format.exponentBits),
                   above = valueOfBits(next, format.exponentBits);
      const auto middle = float((below + above) / 2);
      const float down = std::nextafterf(middle, 0.0f),
                  up = std::nextafterf(middle, INFINITY);
      const uint16_t even = low % 2 ? next : uint16_t(low);
      const auto got =
          narrowed({down, middle, up, -down, -middle, -up}, format.dtype);
      const std::vector<uint16_t> expected = {uint16_t(low),
                                              even,
                                              next,
                                              uint16_t(low | 0x8000),
                                              uint16_t(even | 0x8000),
                                              uint16_t(next | 0x8000)};
      ASSERT_EQ(got, expected) << format.name << " " << low;
    }
}

TEST(HalfFloats, WhatIsTooLargeIsInfiniteAndANanStaysOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float negative = -nan, strange = std::bit_cast<float>(0x7f800001u);
  EXPECT_EQ(
      narrowed({INFINITY, -INFINITY, 3.4e38f, nan, negative, strange},
               ZRT_BF16),
      (std::vector<uint16_t>{0x7f80, 0xff80, 0x7f80, 0x7fc0, 0x7fc0, 0x7fc0}));
  EXPECT_EQ(narrowed({INFINITY, -INFINITY, 65519.996f, 65520.0f, -1e9f, nan,
                      negative, strange},
                     ZRT_F16),
            (std::vector<uint16_t>{0x7c00, 0xfc00, 0x7bff, 0x7c00, 0xfc00,
                                   0x7e00, 0xfe00, 0x7e00}));
  for (const Format &format : kFormats)
    for (const float value : widenedBits(
             narrowed({INFINITY, nan, negative}, format.dtype), format.dtype))
      EXPECT_FALSE(std::isfinite(value));
}

TEST(HalfFloats, ArraysOfAnyLengthAreConvertedAlike) {
  std::vector<uint16_t> bits = all();
  for (const Format &format : kFormats)
    for (size_t count = 0; count < 70; ++count) {
      const std::vector<uint16_t> some(bits.begin() + 15000,
                                       bits.begin() + 15000 + long(count));
      const auto values = widenedBits(some, format.dtype);
      for (size_t i = 0; i < count; ++i)
        ASSERT_EQ(values[i], format.dtype == ZRT_BF16 ? widenBrain(some[i])
                                                      : widenHalf(some[i]));
      ASSERT_EQ(narrowed(values, format.dtype), some);
    }
}

} // namespace
