//===- PowerTest.cpp - The rounding of pow --------------------------------===//
//
// Compares math.powf as zeroc compiles it with powl, whose results have 11 more
// bits than a double.  test/codegen/gpu-power.mlir compares the bits with those
// of GPU threads.
//
//===----------------------------------------------------------------------===//

#include "CompiledKernel.h"

#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace {

constexpr double kPowerInfinity = std::numeric_limits<double>::infinity();
constexpr double kPowerNaN = std::numeric_limits<double>::quiet_NaN();

/// Returns bases[i] to the power of exponents[i], for each i.
std::vector<double> power(const std::vector<double> &bases,
                          const std::vector<double> &exponents,
                          const char *cpu = "native") {
  const std::string type = "tensor<" + std::to_string(bases.size()) + "xf64>",
                    map = "affine_map<(i) -> (i)>";
  const std::string text =
      "zero.kernel @power(%x: " + type + ", %y: " + type + ") -> " + type +
      " units columns [" + std::to_string(bases.size()) +
      "] {\n"
      "  %empty = tensor.empty() : " +
      type + "\n  %z = linalg.generic {indexing_maps = [" + map + ", " + map +
      ", " + map + "], iterator_types = [\"parallel\"]} ins(%x, %y : " + type +
      ", " + type + ") outs(%empty : " + type +
      ") {\n"
      "  ^bb0(%a: f64, %b: f64, %old: f64):\n"
      "    %c = math.powf %a, %b : f64\n"
      "    linalg.yield %c : f64\n"
      "  } -> " +
      type + "\n  zero.return %z : " + type + "\n}";
  std::vector<double> result(bases.size());
  void *buffers[] = {const_cast<double *>(bases.data()),
                     const_cast<double *>(exponents.data()), result.data()};
  CompiledKernel(text, "power", cpu)
      .call(buffers, 0, static_cast<int64_t>(bases.size()));
  return result;
}

/// Expects the double nearest to each power, except if a neighbour is nearly as
/// near.
void expectNearest(const std::vector<double> &bases,
                   const std::vector<double> &exponents) {
  constexpr long double kMost = 0.502L; // powl is not exact either
  const std::vector<double> result = power(bases, exponents);
  for (size_t i = 0; i < bases.size(); ++i) {
    const long double exact =
        powl(static_cast<long double>(bases[i]), exponents[i]);
    const auto nearest = static_cast<double>(exact);
    if (!std::isnormal(nearest))
      continue;
    const long double place = std::nextafter(nearest, kPowerInfinity) - nearest;
    ASSERT_LE(fabsl(result[i] - exact), kMost * place)
        << bases[i] << " to the power of " << exponents[i];
  }
}

TEST(Power, IsNearestForStepsOfAdamW) {
  std::vector<double> bases, exponents;
  for (double beta : {0.5, 0.9, 0.95, 0.98, 0.99, 0.999, 0.9999, 0.999999})
    for (int step = 1; step < 20000; ++step) {
      bases.push_back(beta);
      exponents.push_back(step);
    }
  expectNearest(bases, exponents);
}

TEST(Power, IsNearestForOtherNumbers) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> numbers(-1, 1);
  std::vector<double> bases, exponents;
  for (int i = 0; i < 50000; ++i) {
    bases.push_back(std::exp(300 * numbers(random)));
    exponents.push_back(3 * numbers(random));
    bases.push_back(1 + 0.4 * numbers(random));
    exponents.push_back(1000 * numbers(random));
    bases.push_back(std::bit_cast<double>(random() >> 12)); // below 2^-1022
    exponents.push_back(numbers(random));
  }
  expectNearest(bases, exponents);
}

TEST(Power, HasTheSpecialCasesOfC) {
  std::vector<double> numbers = {1e-300, 1e18, 0x1p53,   0x1.0000000000001p53,
                                 5e-324, 1e-5, kPowerNaN};
  numbers.push_back(-7);
  for (double either : {0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 1e300, kPowerInfinity})
    numbers.insert(numbers.end(), {either, -either});
  std::vector<double> bases, exponents;
  for (double base : numbers)
    for (double exponent : numbers) {
      bases.push_back(base);
      exponents.push_back(exponent);
    }
  const std::vector<double> result = power(bases, exponents);
  for (size_t i = 0; i < bases.size(); ++i) {
    const double expected = std::pow(bases[i], exponents[i]);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(result[i])) << bases[i] << " to the power of "
                                         << exponents[i] << " is " << result[i];
    else if (std::isnormal(expected))
      EXPECT_NEAR(result[i] / expected, 1, 3e-16)
          << bases[i] << " to the power of " << exponents[i];
    else
      EXPECT_EQ(std::bit_cast<uint64_t>(result[i]),
                std::bit_cast<uint64_t>(expected))
          << bases[i] << " to the power of " << exponents[i] << " is "
          << result[i] << ", not " << expected;
  }
}

TEST(Power, HasTheSameBitsOnAnyProcessor) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    GTEST_SKIP() << "this processor has no AVX2 and FMA";
  std::vector<double> bases, exponents;
  std::mt19937_64 random(2);
  for (int i = 0; i < 10007; ++i) {
    bases.push_back(std::bit_cast<double>(random() & ~(uint64_t(3) << 61)));
    exponents.push_back(double(random() % 4001) / 8 - 250);
  }
  const std::vector<double> a = power(bases, exponents),
                            b = power(bases, exponents, "x86-64-v3");
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint64_t>(a[i]), std::bit_cast<uint64_t>(b[i]))
        << bases[i] << " to the power of " << exponents[i];
}

} // namespace
