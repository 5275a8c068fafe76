//===- ApproximateMathTest.cpp - Polynomials against double precision -----===//
//
// Kernels run over samples of all floats, with special values in every lane,
// and are compared with the C library's functions of double.  Bounds are
// slightly larger than the errors measured over all floats.
//
//===----------------------------------------------------------------------===//

#include "CompiledKernel.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kSmallestNormal = std::numeric_limits<float>::min();

/// Columns of a row: two vectors and a masked one; three vectors; only scalars.
constexpr int64_t kMasked = 37, kWhole = 48, kScalars = 7;
constexpr size_t kCount = 390ull * kMasked * kWhole * kScalars;

/// Every 1021st bit pattern, after a row of each special value.
std::vector<float> makeSamples() {
  const float specials[] = {0.0f,    -0.0f,   kInfinity, -kInfinity, kNaN,
                            -kNaN,   1.0f,    -1.0f,     88.3f,      88.39f,
                            88.73f,  -87.3f,  -87.7f,    -88.1f,     -88.3f,
                            -104.0f, 127.49f, 127.51f,   128.0f,     -126.0f,
                            -126.6f, -127.5f, -150.0f};
  std::vector<float> samples;
  for (float value : specials)
    samples.insert(samples.end(), kMasked, value);
  for (uint32_t bits = 0; samples.size() < kCount; bits += 1021)
    samples.push_back(std::bit_cast<float>(bits));
  return samples;
}

const std::vector<float> &getSamples() {
  static const std::vector<float> samples = makeSamples();
  return samples;
}

std::vector<float> run(const Body &body, int64_t columns,
                       const char *cpu = "native") {
  return CompiledKernel(body, kCount / columns, columns, cpu)(getSamples());
}

/// Expects the same bits; all NaNs count as equal.
void expectSame(const std::vector<float> &a, const std::vector<float> &b,
                const char *what) {
  for (size_t i = 0; i < kCount; ++i)
    if (std::bit_cast<uint32_t>(a[i]) != std::bit_cast<uint32_t>(b[i]))
      ASSERT_TRUE(std::isnan(a[i]) && std::isnan(b[i]))
          << what << " make " << b[i] << " of " << getSamples()[i]
          << ", masked vectors " << a[i];
}

/// Evaluates the samples, and expects the same values in every form of the
/// loops.
std::vector<float> evaluate(const Body &body) {
  std::vector<float> y = run(body, kMasked);
  expectSame(y, run(body, kWhole), "whole vectors");
  expectSame(y, run(body, kScalars), "scalars");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    expectSame(y, run(body, kMasked, "x86-64-v3"), "vectors of AVX2");
  return y;
}

using Function = double (*)(double);

/// Expects `body` to be a correctly rounded exponential function below `top`,
/// and infinite a few floats later.
void expectExponential(const Body &body, Function exact, float top) {
  std::vector<float> y = evaluate(body);
  for (size_t i = 0; i < kCount; ++i) {
    float x = getSamples()[i];
    double expected = exact(x);
    if (std::isnan(x))
      ASSERT_TRUE(std::isnan(y[i])) << "NaN became " << y[i];
    else if (x == 0)
      ASSERT_EQ(y[i], 1.0f);
    else if (x >= top * 1.000001f)
      ASSERT_EQ(y[i], kInfinity) << "of " << x;
    else if (expected < kSmallestNormal)
      ASSERT_TRUE(y[i] >= 0 && y[i] <= kSmallestNormal)
          << "of " << x << ": " << y[i];
    else if (x < top)
      ASSERT_LE(std::abs(y[i] - expected), 8e-8 * expected)
          << "of " << x << ": " << y[i] << ", not " << expected;
  }
}

/// Expects |y - exact| <= bound scale(x), and NaN only from NaN, for |x| <=
/// most.
void expectClose(const Body &body, Function exact, double bound, Function scale,
                 double most = kInfinity) {
  constexpr double smallest = std::numeric_limits<float>::denorm_min();
  std::vector<float> y = evaluate(body);
  for (size_t i = 0; i < kCount; ++i) {
    float x = getSamples()[i];
    double expected = exact(x);
    if (std::isnan(x))
      ASSERT_TRUE(std::isnan(y[i])) << "NaN became " << y[i];
    else if (std::abs(x) <= most)
      ASSERT_LE(std::abs(y[i] - expected), bound * scale(x) + smallest)
          << "of " << x << ": " << y[i] << ", not " << expected;
  }
}

double one(double) { return 1; }
double magnitude(double x) { return std::abs(x); }
double atMostOne(double x) { return std::min(std::abs(x), 1.0); }

double erfGate(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }

double tanhGate(double x) {
  return 1 /
         (1 + std::exp(-2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

TEST(ApproximateMath, Exp) {
  // 127.5 ln 2
  expectExponential({"math.exp %x : $T"}, std::exp, 88.37626f);
}

TEST(ApproximateMath, Exp2) {
  expectExponential({"math.exp2 %x : $T"}, std::exp2, 127.4999f);
}

TEST(ApproximateMath, Tanh) {
  expectClose({"math.tanh %x : $T"}, std::tanh, 3e-7, atMostOne);
}

TEST(ApproximateMath, Erf) {
  expectClose({"math.erf %x : $T"}, std::erf, 3e-7, atMostOne);
}

TEST(ApproximateMath, GeluByErf) {
  expectClose(
      {"nn.gelu %x : $T"}, [](double x) { return x * erfGate(x); }, 2e-7,
      magnitude, 1e18);
}

TEST(ApproximateMath, GeluByTanh) {
  expectClose(
      {"nn.gelu %x {tanh} : $T"}, [](double x) { return x * tanhGate(x); },
      2e-7, magnitude, 1e18);
}

TEST(ApproximateMath, DerivativeOfGeluByErf) {
  expectClose(
      {"nn.gelu %x : $T", /*derivative=*/true},
      [](double x) {
        return erfGate(x) + x * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
      },
      5e-7, one, 1e18);
}

TEST(ApproximateMath, DerivativeOfGeluByTanh) {
  expectClose(
      {"nn.gelu %x {tanh} : $T", /*derivative=*/true},
      [](double x) {
        double s = tanhGate(x),
               du2 = 2 * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
        return s + x * s * (1 - s) * du2;
      },
      2.5e-6, one, 1e18);
}

} // namespace
