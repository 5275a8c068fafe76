//===- CachedDeltaRuleTest.cpp - A state that is kept between runs -------===//
//
// Sequences are fed in parts of any length, and every row of the result is
// compared with the rule over the whole sequence, bit for bit.
//
//===----------------------------------------------------------------------===//
#include "DeltaRuleUnderTest.h"

#include "abi/zrt.h"
#include "numerics/DeltaRule.h"
#include "runtime/device/cpu/gemm/Scratch.h"

#include <algorithm>
#include <cstring>

using namespace zrt;
using namespace zrt::test;

namespace {

/// A sequence, and what is kept of it; NaNs at first.
class Sequence {
public:
  explicit Sequence(const RuleCase &of, unsigned seed = 1)
      : x(of, seed), state(size_t(H * K * V), NAN),
        keys(size_t(kDeltaChunk * K), NAN),
        updates(size_t(H * kDeltaChunk * V), NAN),
        decays(size_t(H * kDeltaChunk), NAN) {
    applyWhole();
  }

  /// Feeds `count` rows of the sequence from `begin` on, to a call for `rows`.
  void feed(int64_t begin, int64_t count, int64_t rows) {
    ASSERT_LE(begin + count, T);
    const auto first = int32_t(begin), some = int32_t(count);
    const int32_t start = x.starts.empty() ? 0 : x.starts[size_t(begin)];
    // Rows that do not count are NaNs.
    const auto part = [&](const std::vector<float> &all, int64_t width) {
      std::vector<float> some(size_t(rows * width), NAN);
      std::copy_n(all.begin() + begin * width, count * width, some.begin());
      return some;
    };
    const std::vector<float> q = part(x.q, K), k = part(x.k, K),
                             v = part(x.v, H * V), gate = part(x.gate, H),
                             beta = part(x.beta, H);
    std::vector<float> out(size_t(rows * H * V), NAN);
    zrt_cached_delta_rule(
        rows, K, V, &first, &some, x.starts.empty() ? nullptr : &start, H,
        q.data(), K, k.data(), K, v.data(), H * V, V, gate.data(), H, 1,
        x.of.hasBeta ? beta.data() : nullptr, H, 1, state.data(), K * V,
        keys.data(), updates.data(), kDeltaChunk * V, decays.data(),
        kDeltaChunk, out.data(), H * V, V);
    std::vector<float> expected(out.size(), 0.0f);
    std::copy_n(whole.begin() + begin * H * V, count * H * V, expected.begin());
    ASSERT_EQ(
        std::memcmp(out.data(), expected.data(), out.size() * sizeof(float)), 0)
        << "from " << begin << ", " << count << " rows";
  }

  /// Feeds the whole sequence, `most` rows at a time.
  void feedAll(int64_t most) {
    for (int64_t at = 0; at < T; at += most)
      ASSERT_NO_FATAL_FAILURE(feed(at, std::min(most, T - at), most));
  }

  const Operands &operands() const { return x; }
  std::vector<float> whole; ///< the result

private:
  Operands x;
  const int64_t T = x.of.positions, K = x.of.keyWidth, V = x.of.valueWidth,
                H = x.of.heads;
  std::vector<float> state, keys, updates, decays;

  void applyWhole() {
    whole.assign(size_t(T * H * V), NAN);
    for (int64_t h = 0; h < H; ++h) {
      const DeltaRule rule = x.rule(h);
      zrt_gated_delta_rule(T, K, V, rule.starts.at, rule.q.at, rule.q.stride,
                           rule.k.at, rule.k.stride, rule.v.at, rule.v.stride,
                           rule.gate.at, rule.gate.stride, rule.beta.at,
                           rule.beta.stride, whole.data() + h * V, H * V,
                           nullptr);
    }
  }
};

std::vector<RuleCase> allCases() {
  std::vector<RuleCase> all;
  for (bool hasBeta : {true, false}) {
    all.push_back({200, 12, 20, 3, hasBeta});
    all.push_back({200, 16, 16, 2, hasBeta, {0, 3, 64, 100, 101, 127, 128}});
    all.push_back({150, 16, 40, 2, hasBeta, {}, -300});
    all.push_back({150, 16, 16, 1, hasBeta, {}, -20});
  }
  all.push_back({150, 16, 16, 1, true, {}, -1e-4f, true});
  all.push_back({130, 1, 1, 1});
  all.push_back({130, 128, 128, 2});
  all.push_back({40, 8, 8, 2});
  return all;
}

TEST(CachedDeltaRule, HasTheBitsOfTheWhole) {
  // One document in a run, as its `start` says.
  for (const RuleCase &of : allCases())
    for (int64_t most : {1, 7, 63, 64, 100}) {
      if (!of.begins.empty() && most > 1)
        continue;
      SCOPED_TRACE(::testing::Message()
                   << of.positions << " positions, widths " << of.keyWidth
                   << " and " << of.valueWidth << ", gate " << of.gate << ", "
                   << most << " rows at a time");
      Sequence(of).feedAll(most);
    }
}

TEST(CachedDeltaRule, TakesAnySplit) {
  std::mt19937 random(5);
  for (const RuleCase &of : allCases())
    for (int round = 0; round < 10; ++round) {
      Sequence all(of);
      int64_t at = 0;
      while (at < of.positions) {
        int64_t count =
            std::min<int64_t>(1 + int64_t(random() % 80), of.positions - at);
        for (int32_t begin : of.begins)
          if (begin > at)
            count = std::min(count, begin - at);
        ASSERT_NO_FATAL_FAILURE(
            all.feed(at, count, count + int64_t(random() % 3)));
        at += count;
      }
    }
}

TEST(CachedDeltaRule, GoesBackToTheBeginningOfItsChunk) {
  Sequence all({200, 16, 24, 2});
  all.feed(0, 100, 100);
  all.feed(64, 36, 64);
  all.feed(90, 7, 64);
  all.feed(70, 60, 64); // to 130
  all.feed(128, 1, 1);
  all.feed(129, 63, 64);
  all.feed(192, 8, 8);
}

TEST(CachedDeltaRule, BeginsAnewAtZero) {
  Sequence all({150, 16, 24, 2});
  all.feedAll(64);
  all.feedAll(7);
  all.feed(0, 30, 30);
  all.feed(0, 1, 1);
  all.feed(1, 149, 150);
}

TEST(CachedDeltaRule, ClampsWhatItIsTold) {
  Sequence all({100, 16, 24, 2});
  all.feed(0, 20, 20);
  all.feed(20, 0, 5); // changes nothing
  all.feed(20, 80, 80);
  const int32_t begin = -7, count = 100;
  const float row[] = {1, 2}, gate = 0;
  float state[4], keys[128], updates[128], decays[64], out[] = {9, 9, 9};
  zrt_cached_delta_rule(1, 2, 2, &begin, &count, nullptr, 1, row, 2, row, 2,
                        row, 2, 2, &gate, 1, 1, nullptr, 1, 1, state, 4, keys,
                        updates, 128, decays, 64, out, 2, 2);
  EXPECT_EQ(out[0], 5.0f);
  EXPECT_EQ(out[1], 10.0f);
  EXPECT_EQ(out[2], 9.0f);
}

TEST(CachedDeltaRule, NoRowReadsThoseBehindIt) {
  // Even a row that is not finite.
  RuleCase of{100, 16, 24, 1};
  const Sequence clean(of);
  Operands damaged = clean.operands();
  for (auto *all : {&damaged.q, &damaged.k})
    std::fill(all->begin() + 70 * 16, all->end(), NAN);
  std::fill(damaged.v.begin() + 70 * 24, damaged.v.end(), NAN);
  const DeltaRule rule = damaged.rule(0);
  std::vector<float> out(size_t(100 * 24));
  zrt_gated_delta_rule(100, 16, 24, nullptr, rule.q.at, 16, rule.k.at, 16,
                       rule.v.at, 24, rule.gate.at, 1, rule.beta.at, 1,
                       out.data(), 24, nullptr);
  EXPECT_EQ(
      std::memcmp(out.data(), clean.whole.data(), 70 * 24 * sizeof(float)), 0);
}

} // namespace
