//===- LogSumTest.cpp - The log of a row's sum of exponentials ------------===//
#include "numerics/LogSum.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

TEST(LogSum, IsTheNearestNumber) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> mantissa(1, 2), most(-100, 100);
  std::uniform_int_distribution<int> exponent(0, 40);
  int others = 0;
  for (int i = 0; i < 100000; ++i) {
    const float sum = std::ldexp(mantissa(random), exponent(random)),
                m = i % 2 ? most(random) : 0.0f;
    const auto right =
        float(double(m) * double(zrt::kLn2) + std::log(double(sum)));
    const float found = zrt::logOfSum(m, sum);
    others += found != right;
    ASSERT_LE(std::abs(found - right),
              std::numeric_limits<float>::epsilon() * std::abs(right))
        << m << " " << sum;
  }
  // Both have an error of about 2^-52 before they are rounded to 24 bits.
  EXPECT_EQ(others, 0);
}

TEST(LogSum, OfOneAndPowersOfTwo) {
  EXPECT_EQ(zrt::logOfSum(0, 1), 0.0f);
  EXPECT_EQ(zrt::logOfSum(-3, 1), float(-3 * double(zrt::kLn2)));
  for (int k = -100; k <= 100; ++k)
    EXPECT_EQ(zrt::logOfSum(0, std::ldexp(1.0f, k)),
              float(k * std::numbers::ln2))
        << k;
}

TEST(LogSum, KeepsNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(zrt::logOfSum(0, nan)));
  EXPECT_TRUE(std::isnan(zrt::logOfSum(nan, 1)));
}

} // namespace
