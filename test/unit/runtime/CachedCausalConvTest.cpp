//===- CachedCausalConvTest.cpp - A convolution whose inputs are kept -----===//
//
// Sequences are fed in parts of any length, and every row of the result is
// compared with its definition, bit for bit.
//
//===----------------------------------------------------------------------===//
#include "abi/zrt.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

constexpr int64_t kPositions = 150, kChannels = 19, kTaps = 4, kKept = 67;

/// A sequence, and what is kept of it; NaNs at first.
class ConvSequence {
public:
  /// Documents begin at `begins`, if there are any.
  explicit ConvSequence(std::vector<int32_t> begins = {}) : begins(begins) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (auto *all : {&x, &weight})
      for (float &one : *all)
        one = normal(random);
  }

  /// Feeds `count` rows from `begin` on, to a call for `rows`.
  void feed(int64_t begin, int64_t count, int64_t rows) {
    const auto first = int32_t(begin), some = int32_t(count),
               start = startOf(begin);
    std::vector<float> part(size_t(rows * kChannels), NAN), out(part),
        expected(part.size(), 0.0f);
    std::copy_n(x.begin() + begin * kChannels, count * kChannels, part.begin());
    zrt_cached_causal_conv(rows, kChannels, kTaps, kKept, &first, &some,
                           begins.empty() ? nullptr : &start, part.data(),
                           kChannels, weight.data(), kTaps, inputs.data(),
                           out.data(), kChannels);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t c = 0; c < kChannels; ++c)
        expected[size_t(i * kChannels + c)] = at(begin + i, c);
    ASSERT_EQ(
        std::memcmp(out.data(), expected.data(), out.size() * sizeof(float)), 0)
        << "from " << begin << ", " << count << " rows";
  }

  void feedAll(int64_t most) {
    for (int64_t at = 0; at < kPositions; at += most)
      ASSERT_NO_FATAL_FAILURE(feed(at, std::min(most, kPositions - at), most));
  }

private:
  std::vector<int32_t> begins;
  std::vector<float> x = std::vector<float>(size_t(kPositions * kChannels)),
                     weight = std::vector<float>(size_t(kChannels * kTaps)),
                     inputs =
                         std::vector<float>(size_t(kKept * kChannels), NAN);

  int32_t startOf(int64_t position) const {
    int32_t start = 0;
    for (int32_t begin : begins)
      start = begin <= position ? begin : start;
    return start;
  }

  /// The definition; products are rounded.
  float at(int64_t position, int64_t c) const {
    float sum = 0;
    for (int64_t tap = 0; tap < kTaps; ++tap) {
      const int64_t from = position - (kTaps - 1 - tap);
      volatile float product =
          (from >= 0 ? x[size_t(from * kChannels + c)] : 0.0f) *
          weight[size_t(c * kTaps + tap)];
      if (!begins.empty() && from < startOf(position))
        product = 0;
      sum = tap == 0 ? product : sum + product;
    }
    return sum;
  }
};

TEST(CachedCausalConv, HasTheBitsOfTheWhole) {
  for (int64_t most : {1, 2, 7, 64})
    ConvSequence().feedAll(most);
  ConvSequence({0, 3, 64, 65, 140}).feedAll(1);
}

TEST(CachedCausalConv, GoesBackAsFarAsInputsAreKept) {
  ConvSequence all;
  all.feed(0, 64, 64);
  all.feed(64, 64, 64); // the inputs from 61 on are kept
  all.feed(64, 3, 64);
  all.feed(67, 1, 1);
  all.feed(68, 64, 64);
  all.feed(132, 18, 64);
  all.feed(0, 1, 1); // another one
  all.feed(1, 63, 64);
}

TEST(CachedCausalConv, ChangesNothingForNoRows) {
  ConvSequence all;
  all.feed(0, 20, 20);
  all.feed(20, 0, 5);
  all.feed(20, 44, 44);
}

} // namespace
