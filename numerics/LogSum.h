//===- LogSum.h - The log of a row's sum of exponentials --------*- C++ -*-===//
//
// Uses only arithmetic that every device has, so that the bits are the same
// everywhere; the logarithms of libraries differ.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "numerics/Polynomials.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace zrt {

/// The upper half of the bits of sqrt(1/2), and the mask of a mantissa.
constexpr uint64_t kRootOfHalf = 0x3fe6a09e00000000u,
                   kMantissa = 0x000fffffffffffffu;
constexpr double kLn2OfLog = std::numbers::ln2;
/// (artanh(x) / x - 1) / x^2 as a polynomial in x^2, highest power first:
/// enough terms for x up to 0.172.
constexpr double kAtanh[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17,
                             1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                             1.0 / 7,  1.0 / 5,  1.0 / 3};

/// Returns most ln 2 + log(sum) to half an ulp; `sum` is positive and normal.
/// log(2^k m) is k ln 2 + 2 artanh((m - 1) / (m + 1)), with m between sqrt(1/2)
/// and sqrt(2).  Always inlined, as files for wide vectors must share no code
/// with others.
[[gnu::always_inline]] inline float logOfSum(float most, float sum) {
  const uint64_t bits = std::bit_cast<uint64_t>(double(sum)) - kRootOfHalf;
  const double k = double(int64_t(bits) >> 52),
               m = std::bit_cast<double>((bits & kMantissa) + kRootOfHalf);
  const double f = m - 1, s = f / (f + 2), square = s * s, twice = s + s;
  double p = kAtanh[0];
  for (size_t i = 1; i < std::size(kAtanh); ++i)
    p = std::fma(p, square, kAtanh[i]);
  double log = std::fma(twice * square, p, twice);
  log = std::fma(k, kLn2OfLog, log);
  // Adds sum - sum, so that infinite and NaN sums give NaN.
  return float(std::fma(double(most), double(kLn2), log) + double(sum - sum));
}

} // namespace zrt
