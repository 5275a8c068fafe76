//===- Polynomials.h - Coefficients of attention's functions ----*- C++ -*-===//
//
// The CPU's loops and the kernels written for GPUs use the same polynomials for
// 2^x and tanh.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <numbers>

namespace zrt {

constexpr float kLog2E = std::numbers::log2e_v<float>,
                kLn2 = std::numbers::ln2_v<float>;

/// Adding 1.5 x 2^23 rounds to an integer, which is then in the low bits.
constexpr float kRoundToInteger = 12582912.0f;

/// 2^x for |x| up to 1/2, to about an ulp; highest power first.
constexpr float kExp2[] = {1.559467759e-4f,
                           1.340664391e-3f,
                           9.617692975e-3f,
                           5.550310551e-2f,
                           2.402265278e-1f,
                           6.931472150e-1f,
                           1.0f};

/// Below this exponent the result is 0.
constexpr float kLeastExponent = -125.0f;

/// (tanh(x) / x - 1) / x^2, interpolated at the Chebyshev nodes of x^2 up to
/// kTanhBorder^2; lowest power first.
constexpr float kTanh[] = {-0.333333333f, 0.133333242f,    -0.0539647004f,
                           0.0218184491f, -0.00852633306f, 0.00252639071f};
constexpr float kTanhBorder = 0.55f;

} // namespace zrt
