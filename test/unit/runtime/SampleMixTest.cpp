//===- SampleMixTest.cpp --------------------------------------------------===//
#include "train/state/io/SampleMix.h"

#include "train/state/io/TokenData.h"

#include "SplitBatches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

using namespace zrt;

namespace {

using Sources = std::vector<SampleMix::Source>;

/// Sources with so many samples each that none is repeated.
Sources endless(const std::vector<uint64_t> &weights) {
  Sources sources;
  for (const uint64_t weight : weights)
    sources.push_back({weight, uint64_t{1} << 40});
  return sources;
}

/// Returns the source of each of the first `number` positions; expects the
/// samples of each source in their order.
std::vector<size_t> sourcesOf(const SampleMix &mix, size_t sources,
                              uint64_t number) {
  std::vector<size_t> found;
  std::vector<uint64_t> next(sources);
  for (uint64_t i = 0; i < number; ++i) {
    const uint64_t sample = mix.at(i);
    found.push_back(sample >> 40);
    EXPECT_EQ(sample % (uint64_t{1} << 40), next[found.back()]++) << i;
  }
  EXPECT_EQ(mix.counts(number), next);
  return found;
}

/// Returns the largest |count - n x weight / sum| over all prefixes of a
/// period.
double largestError(const std::vector<uint64_t> &weights) {
  const uint64_t sum = std::accumulate(weights.begin(), weights.end(), 0ull);
  const SampleMix mix(endless(weights), std::nullopt);
  std::vector<uint64_t> counts(weights.size());
  double worst = 0;
  uint64_t n = 0;
  for (const size_t source : sourcesOf(mix, weights.size(), sum)) {
    ++counts[source];
    ++n;
    for (size_t i = 0; i < weights.size(); ++i)
      worst = std::max(worst,
                       std::abs(double(counts[i]) -
                                double(n) * double(weights[i]) / double(sum)));
  }
  EXPECT_EQ(counts, weights); // a period has the weight of each
  return worst;
}

} // namespace

TEST(SampleMix, OfOneSourceIsItsOrder) {
  for (const auto &seed :
       {std::optional<uint64_t>(), std::optional<uint64_t>(7)}) {
    const SampleMix mix({{3, 10}}, seed);
    const SampleOrder order(10, seed);
    for (uint64_t i = 0; i < 100; ++i)
      EXPECT_EQ(mix.at(i), order.at(i));
    EXPECT_EQ(mix.counts(17), std::vector<uint64_t>{17});
  }
}

TEST(SampleMix, IsTheSameEverywhere) {
  // The order of a release, which resumed runs rely on.
  EXPECT_EQ(sourcesOf(SampleMix(endless({5, 3, 2}), std::nullopt), 3, 12),
            (std::vector<size_t>{0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 1}));
  EXPECT_EQ(sourcesOf(SampleMix(endless({1, 1, 1, 1}), std::nullopt), 4, 8),
            (std::vector<size_t>{0, 2, 1, 3, 0, 2, 1, 3}));
  EXPECT_EQ(sourcesOf(SampleMix(endless({1, 4}), std::nullopt), 2, 10),
            (std::vector<size_t>{1, 1, 0, 1, 1, 1, 1, 0, 1, 1}));
}

TEST(SampleMix, PrefixesAreAsTheWeightsSay) {
  EXPECT_LE(largestError({1, 1}), 0.5);
  EXPECT_LE(largestError({1, 1000}), 0.5);
  EXPECT_LT(largestError({100, 101, 201, 302, 503}), 2);
  // The worst weights for the tree.
  EXPECT_LT(largestError({1, 1, 2, 3, 5, 8, 13, 21, 34, 55}), 2);
  std::mt19937_64 random(1);
  for (size_t sources = 2; sources < 12; ++sources)
    for (int i = 0; i < 30; ++i) {
      std::vector<uint64_t> weights;
      for (size_t s = 0; s < sources; ++s)
        weights.push_back(1 + random() % (1 + random() % 300));
      const uint64_t common =
          std::accumulate(weights.begin(), weights.end(), uint64_t{0},
                          std::gcd<uint64_t, uint64_t>);
      for (uint64_t &weight : weights)
        weight /= common;
      EXPECT_LT(largestError(weights), sources <= 3 ? 1 : 2);
    }
}

TEST(SampleMix, HoldsFarOutAndOfLargeWeights) {
  const SampleMix mix(endless({SampleMix::kMaxSum - 4, 3, 1}), std::nullopt);
  constexpr uint64_t kFar = uint64_t{1} << 62;
  std::vector<uint64_t> before = mix.counts(kFar);
  for (uint64_t n = kFar; n < kFar + 1000; ++n) {
    const std::vector<uint64_t> after = mix.counts(n + 1);
    const uint64_t sample = mix.at(n);
    const size_t source = sample >> 40;
    for (size_t i = 0; i < 3; ++i)
      ASSERT_EQ(after[i], before[i] + (i == source));
    ASSERT_EQ(sample % (uint64_t{1} << 40),
              before[source] % (uint64_t{1} << 40));
    before = after;
  }
  EXPECT_EQ(before[0] + before[1] + before[2], kFar + 1000);
}

/// Each source has its own epochs, each in its own order.
TEST(SampleMix, EverySourceHasItsEpochs) {
  const Sources sources = {{5, 40}, {3, 40}, {2, 7}};
  const std::vector<uint64_t> firsts = {0, 40, 80, 87};
  const SampleMix mix(sources, uint64_t{9});
  EXPECT_EQ(mix.samples(), 87u);
  std::vector<std::vector<uint64_t>> read(3);
  for (uint64_t i = 0; i < 800; ++i) {
    const uint64_t sample = mix.at(i);
    const size_t source = sample < 40 ? 0 : sample < 80 ? 1 : 2;
    read[source].push_back(sample - firsts[source]);
  }
  std::set<std::vector<uint64_t>> orders;
  for (size_t source = 0; source < 3; ++source) {
    const auto samples = long(sources[source].samples);
    for (auto epoch = read[source].begin();
         read[source].end() - epoch >= samples; epoch += samples) {
      std::vector<uint64_t> order(epoch, epoch + samples);
      EXPECT_TRUE(orders.insert(order).second);
      std::sort(order.begin(), order.end());
      for (long i = 0; i < samples; ++i)
        ASSERT_EQ(order[size_t(i)], uint64_t(i));
    }
  }
  EXPECT_EQ(orders.size(), 400 / 40 + 240 / 40 + 160 / 7u);
}

/// The order of a global batch does not depend on its split.
TEST(SampleMix, IsTheSameForEverySplitOfABatch) {
  test::expectSameForEverySplit(
      SampleMix({{7, 30}, {2, 11}, {1, 5}}, uint64_t{11}));
}
