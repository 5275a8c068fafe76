//===- StochasticRoundingTest.cpp - Stochastic rounding of parameters ----------===//
//
// Tests zeroc's update without masters.  The optimizer's next parameter is the
// gradient, so that any f32 can be rounded.  Bounds are six standard deviations
// of a fair coin's results; keys are fixed.
//===----------------------------------------------------------------------===//

#include "CompiledKernel.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace {

constexpr char kPlan[] = R"(
zero.axis @dp size 1
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 64 at 0, init = #zero.constant<1.0>>]
zero.optimizer @set(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %g : f32
}
zero.program @step(%p: !zero.shard<64 x bf16 by 1> {zero.state = #zero.state<@b, "param">},
                   %g: tensor<64xf32> {zero.input = "g"}, %lr: tensor<f32> {zero.scalar = "lr"},
                   %bits: tensor<i64> {zero.scalar = "rounding"}) -> !zero.shard<64 x bf16 by 1> {
  %p1 = zero.update @set of @b (%p, %g) scalars(%lr) rounding(%bits : tensor<i64>) {decay = 0.0 : f64}
    : (!zero.shard<64 x bf16 by 1>, tensor<64xf32>), (tensor<f32>) -> !zero.shard<64 x bf16 by 1>
  zero.return %p1 : !zero.shard<64 x bf16 by 1>
})";

struct Key {
  uint32_t first, second, shift = 0;
};
constexpr Key kKeys[] = {{0, 0}, {1, 0}, {0, 1}, {0x9e3779b9, 0xdeadbeef}};

float widen(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Rounds `values`, the elements of a parameter from `key.shift` on.
std::vector<uint16_t> roundAll(const std::vector<float> &values, Key key,
                               const char *cpu = "native", size_t begin = 0) {
  static const CompiledKernel native(kPlan, "set_decay0_chance"),
      portable(kPlan, "set_decay0_chance", "x86-64-v3");
  std::vector<uint16_t> old(values.size()), next(values.size());
  float lr = 0;
  void *buffers[] = {old.data(), const_cast<float *>(values.data()), &lr, &key,
                     next.data()};
  (cpu == std::string("native") ? native : portable)
      .call(buffers, int64_t(begin), int64_t(values.size()));
  return next;
}

/// Counts how many of `count` elements, whose value is part / 2^16 of the way
/// from 1 to the next bf16, are rounded up.
size_t countUp(uint32_t part, size_t count, Key key) {
  const std::vector<float> values(count,
                                  std::bit_cast<float>(0x3f800000u + part));
  size_t up = 0;
  for (const uint16_t bits : roundAll(values, key)) {
    EXPECT_TRUE(bits == 0x3f80 || bits == 0x3f81) << bits;
    up += bits == 0x3f81;
  }
  return up;
}

void expectShare(size_t found, size_t count, double share, const char *what) {
  const double deviation = std::sqrt(double(count) * share * (1 - share));
  EXPECT_NEAR(double(found), double(count) * share, 6 * deviation) << what;
}

TEST(StochasticRounding, MeanOfRoundingsIsTheValue) {
  constexpr size_t kCount = 1 << 20;
  for (const Key &key : kKeys)
    for (const uint32_t part : {1u, 100u, 1u << 14, 1u << 15, 50000u, 65535u})
      expectShare(countUp(part, kCount, key), kCount, part / 65536.0,
                  std::to_string(part).c_str());
}

TEST(StochasticRounding, MeanOverStepsIsTheValue) {
  // One element with many keys, as in successive steps.
  constexpr size_t kSteps = 1 << 14;
  for (const uint32_t element : {0u, 1u, 15u, 16u, 12345u}) {
    size_t up = 0;
    for (uint32_t step = 0; step < kSteps; ++step)
      up += countUp(1 << 14, 1, {step * 2654435761u, step, element});
    expectShare(up, kSteps, 0.25, "a quarter");
  }
}

TEST(StochasticRounding, AllThresholdsAreEquallyLikely) {
  // Expects the random bits to be uniform over 256 classes.  An element of part
  // t is rounded up if its bits are at least 2^16 - t.
  constexpr size_t kCount = 1 << 19;
  for (const Key &key : kKeys) {
    size_t before = 0;
    double chi = 0;
    for (uint32_t part = 256; part <= 65536; part += 256) {
      const size_t up = part == 65536 ? kCount : countUp(part, kCount, key);
      const double expected = kCount / 256.0;
      chi += std::pow(double(up - before) - expected, 2) / expected;
      before = up;
    }
    // 255 degrees of freedom: mean 255, deviation 22.6.
    EXPECT_GT(chi, 255 - 6 * 22.6);
    EXPECT_LT(chi, 255 + 6 * 22.6);
  }
}

TEST(StochasticRounding, NeighboursAndKeysAreIndependent) {
  constexpr size_t kCount = 1 << 20;
  const std::vector<float> half(kCount, std::bit_cast<float>(0x3f808000u));
  const auto same = [&](const std::vector<uint16_t> &a,
                        const std::vector<uint16_t> &b, size_t distance) {
    size_t equal = 0;
    for (size_t i = distance; i < kCount; ++i)
      equal += a[i] == b[i - distance];
    return equal;
  };
  for (const Key &key : kKeys) {
    const std::vector<uint16_t> mine = roundAll(half, key);
    for (const size_t distance : {1, 2, 16, 64, 1024})
      expectShare(same(mine, mine, distance), kCount - distance, 0.5,
                  "neighbours");
    // Keys that differ in one bit.
    for (int bit = 0; bit < 32; ++bit) {
      const Key a = {key.first ^ 1u << bit, key.second},
                b = {key.first, key.second ^ 1u << bit};
      expectShare(same(mine, roundAll(half, a), 0), kCount, 0.5, "first word");
      expectShare(same(mine, roundAll(half, b), 0), kCount, 0.5, "second word");
    }
  }
}

TEST(StochasticRounding, DependsOnThePlaceInTheParameter) {
  // The bits do not depend on the split of the elements, their place, or the
  // CPU.
  std::vector<float> values(5000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(float(i)) * std::exp2(float(i % 40) - 20);
  for (const Key &key : kKeys) {
    const std::vector<uint16_t> whole = roundAll(values, key);
    for (const size_t first : {1u, 16u, 17u, 1000u, 4999u}) {
      Key later = key;
      later.shift += uint32_t(first);
      const std::vector<uint16_t> part =
          roundAll({values.begin() + long(first), values.end()}, later);
      EXPECT_TRUE(
          std::equal(part.begin(), part.end(), whole.begin() + long(first)));
      const std::vector<uint16_t> tail = roundAll(values, key, "native", first);
      EXPECT_TRUE(std::equal(tail.begin() + long(first), tail.end(),
                             whole.begin() + long(first)));
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      EXPECT_EQ(roundAll(values, key, "x86-64-v3"), whole);
  }
}

TEST(StochasticRounding, GivesANeighbour) {
  std::vector<float> values;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 65519)
    values.push_back(std::bit_cast<float>(uint32_t(bits)));
  const std::vector<uint16_t> found = roundAll(values, kKeys[3]);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(values[i]);
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(widen(found[i])));
      continue;
    }
    const auto lower = uint16_t(bits >> 16);
    if (bits & 0xffff)
      EXPECT_TRUE(found[i] == lower || found[i] == lower + 1) << values[i];
    else
      EXPECT_EQ(found[i], lower) << values[i];
  }
}

TEST(StochasticRounding, LeavesWhatIsABfloat) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const Key &key : kKeys) {
    for (const float value :
         {0.0f, -0.0f, 1.0f, -3.5f, kInfinity, -kInfinity,
          std::bit_cast<float>(0x00010000u), std::bit_cast<float>(0x7f7f0000u)})
      for (const uint16_t bits : roundAll(std::vector<float>(100, value), key))
        EXPECT_EQ(std::bit_cast<uint32_t>(widen(bits)),
                  std::bit_cast<uint32_t>(value));
    for (const uint32_t bits : {0x7fffffffu, 0xffffffffu, 0x7f800001u})
      for (const uint16_t one :
           roundAll(std::vector<float>(100, std::bit_cast<float>(bits)), key))
        EXPECT_TRUE(std::isnan(widen(one)));
    EXPECT_TRUE(std::isnan(widen(roundAll({kNaN}, key)[0])));
  }
}

} // namespace
