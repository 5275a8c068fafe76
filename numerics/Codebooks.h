//===- Codebooks.h - The values of packed codes -----------------*- C++ -*-===//
//
//   nf4     16 numbers that are equally likely for normally distributed weights
//           (Dettmers et al., "QLoRA", 2023, appendix E): quantiles of the
//           standard normal distribution, at equal steps from 1 - d to 1/2
//           (8 steps) and from 1/2 to d (7 steps), d = 0.9677083, divided by
//           the largest
//   scales  256 numbers, half of them in [0.1, 1) in absolute value, and half
//           as many in each lower decade (Dettmers et al., "8-bit Optimizers
//           via Block-wise Quantization", 2021): for e = 0 .. 6 and
//           i = 0 .. 2^e - 1, 10^(e - 6) (0.1 + 0.9 (i + 1/2) / 2^e), their
//           negatives, 0 and 1
//
// Both are ascending.  A number gets the nearest code; in a tie, the lower one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace zrt {

/// The quantiles as f32, with the published digits.
constexpr std::array<float, 16> kNormalFloats = {-1.0f,
                                                 -0.6961928009986877f,
                                                 -0.5250730514526367f,
                                                 -0.39491748809814453f,
                                                 -0.28444138169288635f,
                                                 -0.18477343022823334f,
                                                 -0.09105003625154495f,
                                                 0.0f,
                                                 0.07958029955625534f,
                                                 0.16093020141124725f,
                                                 0.24611230194568634f,
                                                 0.33791524171829224f,
                                                 0.44070982933044434f,
                                                 0.5626170039176941f,
                                                 0.7229568362236023f,
                                                 1.0f};

inline std::array<float, 256> makeScaleFloats() {
  constexpr double kDecades[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
  std::array<float, 256> values = {};
  size_t count = 0;
  int steps = 1; // 2^e
  for (const double decade : kDecades) {
    for (int i = 0; i < steps; ++i) {
      const double value = decade * (0.1 + 0.9 * (i + 0.5) / steps);
      values[count++] = static_cast<float>(value);
      values[count++] = static_cast<float>(-value);
    }
    steps *= 2;
  }
  values[count++] = 0;
  values[count++] = 1;
  std::sort(values.begin(), values.end());
  return values;
}

inline const std::array<float, 256> &scaleFloats() {
  static const std::array<float, 256> values = makeScaleFloats();
  return values;
}

/// The midpoints between neighbours.  The code of a number is the count of
/// midpoints below it.
template <size_t Count>
constexpr std::array<float, Count - 1>
middlesOf(const std::array<float, Count> &values) {
  std::array<float, Count - 1> middles = {};
  for (size_t i = 0; i + 1 < Count; ++i)
    middles[i] = (values[i] + values[i + 1]) / 2;
  return middles;
}

} // namespace zrt
