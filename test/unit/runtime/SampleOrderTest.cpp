//===- SampleOrderTest.cpp ------------------------------------------------===//
#include "train/state/io/SampleOrder.h"

#include "train/state/io/TokenData.h"

#include "SplitBatches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

using namespace zrt;

namespace {

std::vector<uint64_t> epochOf(const SampleOrder &order, uint64_t epoch) {
  std::vector<uint64_t> samples(order.samples());
  for (uint64_t i = 0; i < samples.size(); ++i)
    samples[i] = order.at(epoch * samples.size() + i);
  return samples;
}

std::vector<uint64_t> inOrder(uint64_t samples) {
  std::vector<uint64_t> all(samples);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

} // namespace

TEST(SampleOrder, WithoutASeedIsTheFiles) {
  const SampleOrder order(5, std::nullopt);
  for (uint64_t i = 0; i < 20; ++i)
    EXPECT_EQ(order.at(i), i % 5);
}

TEST(SampleOrder, EveryEpochHasEachSampleOnce) {
  for (const uint64_t samples :
       {1, 2, 3, 4, 5, 7, 15, 16, 17, 63, 64, 65, 1000, 4097, 65537})
    for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, UINT64_MAX})
      for (const uint64_t epoch : {0, 1, 2}) {
        const SampleOrder order(samples, seed);
        std::vector<uint64_t> all = epochOf(order, epoch);
        std::sort(all.begin(), all.end());
        ASSERT_EQ(all, inOrder(samples)) << samples << " " << seed;
      }
}

TEST(SampleOrder, EpochsAndSeedsHaveOrdersOfTheirOwn) {
  std::set<std::vector<uint64_t>> orders = {inOrder(100)};
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (uint64_t epoch = 0; epoch < 10; ++epoch)
      orders.insert(epochOf(SampleOrder(100, seed), epoch));
  EXPECT_EQ(orders.size(), 101u);
}

TEST(SampleOrder, IsTheSameEverywhere) {
  // The order of a release, which resumed runs rely on.
  const SampleOrder order(10, 7);
  EXPECT_EQ(epochOf(order, 0),
            (std::vector<uint64_t>{7, 0, 5, 3, 1, 4, 6, 9, 2, 8}));
  EXPECT_EQ(epochOf(order, 1),
            (std::vector<uint64_t>{1, 3, 0, 8, 6, 5, 9, 4, 7, 2}));
  const SampleOrder large(uint64_t{1} << 62, 7);
  EXPECT_EQ(large.at(12345), uint64_t{1026134005305110652});
}

/// The position of a sample is uniform, and so is its successor: chi squared of
/// 16 x 16 cells, with 255 and 240 degrees of freedom; P(> 400) is below 1 in
/// 10^7.
TEST(SampleOrder, IsUniform) {
  constexpr uint64_t kSamples = 16, kEpochs = 16000;
  const SampleOrder order(kSamples, 3);
  std::vector<double> places(kSamples * kSamples), pairs(kSamples * kSamples);
  for (uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const std::vector<uint64_t> samples = epochOf(order, epoch);
    for (uint64_t i = 0; i < kSamples; ++i) {
      ++places[i * kSamples + samples[i]];
      if (i > 0)
        ++pairs[samples[i - 1] * kSamples + samples[i]];
    }
  }
  double ofPlaces = 0, ofPairs = 0;
  for (uint64_t i = 0; i < kSamples; ++i)
    for (uint64_t j = 0; j < kSamples; ++j) {
      const double place = places[i * kSamples + j] - 1000;
      ofPlaces += place * place / 1000;
      if (i == j)
        continue;
      // 15 pairs per epoch, 240 kinds of pairs.
      const double pair = pairs[i * kSamples + j] - 1000;
      ofPairs += pair * pair / 1000;
    }
  EXPECT_LT(ofPlaces, 400);
  EXPECT_LT(ofPairs, 400);
}

/// The order of a global batch does not depend on its split.
TEST(SampleOrder, IsTheSameForEverySplitOfABatch) {
  test::expectSameForEverySplit(SampleOrder(70, 11));
}
