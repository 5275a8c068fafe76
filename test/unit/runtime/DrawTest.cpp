//===- DrawTest.cpp - Draws tokens ----------------------------------------===//

#include "train/generate/Draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace zrt;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::optional<int32_t> drawn(const std::vector<float> &logits,
                             double temperature, int64_t topK, double chance) {
  return draw(logits, {}, {.temperature = temperature, .topK = topK}, chance);
}

TEST(Draw, TakesTheFirstOfTheLikeliest) {
  EXPECT_EQ(drawn({-1, 3, 2, 3}, 0, 0, 0.99), 1);
  EXPECT_EQ(drawn({-kInfinity, -5}, 0, 0, 0), 1);
}

TEST(Draw, HasNoTokenOfWhatIsNotFinite) {
  for (const double temperature : {0.0, 1.0}) {
    EXPECT_EQ(drawn({1, kNan, 2}, temperature, 0, 0), std::nullopt);
    EXPECT_EQ(drawn({1, kInfinity}, temperature, 0, 0.5), std::nullopt);
    EXPECT_EQ(drawn({-kInfinity}, temperature, 0, 0), std::nullopt);
    EXPECT_EQ(drawn({}, temperature, 0, 0), std::nullopt);
  }
}

TEST(Draw, GoesByTheProbabilities) {
  // Probabilities 1/7, 2/7 and 4/7, in the order of tokens.
  const std::vector<float> logits = {0, std::log(2.F), std::log(4.F)};
  EXPECT_EQ(drawn(logits, 1, 0, 0), 0);
  EXPECT_EQ(drawn(logits, 1, 0, 0.14), 0);
  EXPECT_EQ(drawn(logits, 1, 0, 0.15), 1);
  EXPECT_EQ(drawn(logits, 1, 0, 0.42), 1);
  EXPECT_EQ(drawn(logits, 1, 0, 0.43), 2);
  EXPECT_EQ(drawn(logits, 1, 0, std::nextafter(1.0, 0.0)), 2);
  // Squared probabilities, or only the two likeliest tokens.
  EXPECT_EQ(drawn(logits, 0.5, 0, 0.23), 1);
  EXPECT_EQ(drawn(logits, 1, 2, 0), 1);
  EXPECT_EQ(drawn(logits, 1, 2, 0.34), 2);
  EXPECT_EQ(drawn(logits, 1, 1, 0.99), 2);
  EXPECT_EQ(drawn(logits, 1, 100, 0), 0);
  // A very small temperature is valid.
  EXPECT_EQ(drawn(logits, 1e-300, 0, 0.5), 2);
}

TEST(Draw, OfEqualOnesKeepsTheFirst) {
  const std::vector<float> logits = {1, 1, 1, 1};
  EXPECT_EQ(drawn(logits, 1, 2, 0.49), 0);
  EXPECT_EQ(drawn(logits, 1, 2, 0.51), 1);
  const DrawOptions half = {.temperature = 1, .topP = 0.5};
  EXPECT_EQ(draw(logits, {}, half, 0.49), 0);
  EXPECT_EQ(draw(logits, {}, half, 0.99), 1);
}

TEST(Draw, TopPKeepsTheTokenThatReachesTheSum) {
  // Probabilities 0.2, 0.5 and 0.3.
  const std::vector<float> logits = {std::log(2.F), std::log(5.F),
                                     std::log(3.F)};
  const auto kept = [&](double topP) {
    std::set<int32_t> tokens;
    for (double chance = 0; chance < 1; chance += 0x1p-8)
      tokens.insert(
          *draw(logits, {}, {.temperature = 1, .topP = topP}, chance));
    return tokens;
  };
  EXPECT_EQ(kept(1e-9), (std::set<int32_t>{1}));
  EXPECT_EQ(kept(0.49), (std::set<int32_t>{1}));
  EXPECT_EQ(kept(0.51), (std::set<int32_t>{1, 2}));
  EXPECT_EQ(kept(0.79), (std::set<int32_t>{1, 2}));
  EXPECT_EQ(kept(0.81), (std::set<int32_t>{0, 1, 2}));
  EXPECT_EQ(kept(1), (std::set<int32_t>{0, 1, 2}));
}

TEST(Draw, PenaltyMakesLessLikelyOnEitherSideOfZero) {
  const std::vector<float> logits = {2, 1.5F, -1};
  const std::vector<int32_t> text = {0, 0, 2, -7, 99};
  DrawOptions greedy = {.repetitionPenalty = 1.3, .temperature = 0};
  EXPECT_EQ(draw(logits, text, greedy, 0), 0);
  // Once, although it occurs twice: 2 / 1.4.
  greedy.repetitionPenalty = 1.4;
  EXPECT_EQ(draw(logits, text, greedy, 0), 1);
  greedy.repetitionPenalty = 1.2;
  EXPECT_EQ(draw(std::vector<float>{-1, -1.1F}, text, greedy, 0), 1);
  // A penalty below 1 is a reward.
  greedy.repetitionPenalty = 0.5;
  EXPECT_EQ(draw(std::vector<float>{1, 1.9F}, text, greedy, 0), 0);
}

TEST(Draw, MinPKeepsWhatIsNearTheLikeliest) {
  // Probabilities 0.2, 0.5 and 0.3: 0.4 and 0.6 of the largest.
  const std::vector<float> logits = {std::log(2.F), std::log(5.F),
                                     std::log(3.F)};
  const auto kept = [&](const DrawOptions &options) {
    std::set<int32_t> tokens;
    for (double chance = 0; chance < 1; chance += 0x1p-8)
      tokens.insert(*draw(logits, {}, options, chance));
    return tokens;
  };
  EXPECT_EQ(kept({.temperature = 1, .minP = 0.39}),
            (std::set<int32_t>{0, 1, 2}));
  EXPECT_EQ(kept({.temperature = 1, .minP = 0.41}), (std::set<int32_t>{1, 2}));
  EXPECT_EQ(kept({.temperature = 1, .minP = 1}), (std::set<int32_t>{1}));
  // Of probabilities after the temperature: 0.4^2, 0.6^2 of the largest.
  EXPECT_EQ(kept({.temperature = 0.5, .minP = 0.3}), (std::set<int32_t>{1, 2}));
  // Beside --top-p, which leaves 1 and 2.
  EXPECT_EQ(kept({.temperature = 1, .topP = 0.7, .minP = 0.39}),
            (std::set<int32_t>{1, 2}));
}

TEST(Draw, NoRunOfTokensComesTwice) {
  const std::vector<float> logits = {5, 4, 3, 2};
  const auto next = [&](std::vector<int32_t> text, int64_t size) {
    return draw(logits, text, {.temperature = 0, .noRepeat = size}, 0);
  };
  EXPECT_EQ(next({0, 1, 0}, 0), 0);
  EXPECT_EQ(next({0, 1, 0}, 1), 2);
  EXPECT_EQ(next({0, 1, 0}, 2), 0);       // 0 1 was there, 0 0 was not
  EXPECT_EQ(next({0, 0, 1, 0}, 2), 2);    // both were
  EXPECT_EQ(next({1, 2, 0, 1, 2}, 3), 1); // 1 2 0 was there
  EXPECT_EQ(next({2, 0, 1, 2}, 3), 0);
  EXPECT_EQ(next({0, 1}, 3), 0);
  EXPECT_EQ(next({0, 1}, INT64_MAX), 0);
  EXPECT_EQ(next({-7, 99, 0}, 1), 1);
  EXPECT_EQ(next({0, 1, 2, 3}, 1), std::nullopt);
}

/// The same by whole sorts: what is drawn, and how near `chance` is to where
/// another token begins.
std::pair<int32_t, double> simpleDraw(std::vector<double> scores,
                                      const std::vector<int32_t> &text,
                                      const DrawOptions &options,
                                      double chance) {
  for (const int32_t token : std::set<int32_t>(text.begin(), text.end())) {
    double &score = scores[size_t(token)];
    score = score < 0 ? score * options.repetitionPenalty
                      : score / options.repetitionPenalty;
  }
  const auto runs = [&](std::vector<int32_t> all) {
    std::multiset<std::vector<int32_t>> found;
    for (auto at = all.begin(); all.end() - at >= options.noRepeat; ++at)
      found.insert({at, at + options.noRepeat});
    return found;
  };
  for (int32_t token = 0; options.noRepeat && token < int32_t(scores.size());
       ++token) {
    std::vector<int32_t> more = text;
    more.push_back(token);
    if (int64_t(more.size()) >= options.noRepeat &&
        runs(more).count({more.end() - options.noRepeat, more.end()}) > 1)
      scores[size_t(token)] = -double(kInfinity);
  }
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  if (std::isinf(scores[order[0]]))
    return {-1, 1};
  if (options.temperature == 0)
    return {int32_t(order[0]), 1};
  if (options.topK > 0)
    order.resize(std::min(order.size(), size_t(options.topK)));
  std::vector<double> shares(scores.size());
  double all = 0, before = 0;
  for (const size_t token : order)
    all += shares[token] =
        std::exp((scores[token] - scores[order[0]]) / options.temperature);
  double kept = 0, nearest = 1;
  for (const size_t token : order) {
    if (options.topP < 1)
      nearest = std::min(nearest, std::abs(before / all - options.topP));
    const double share = std::exchange(shares[token], 0);
    if (options.topP == 1 || before == 0 || before < options.topP * all)
      shares[token] = share;
    before += share;
  }
  for (double &share : shares) {
    share = share < options.minP ? 0 : share;
    kept += share;
  }
  double upTo = 0;
  int32_t found = -1;
  for (size_t token = 0; token < shares.size(); ++token) {
    upTo += shares[token] / kept;
    nearest = std::min(nearest, std::abs(upTo - chance));
    if (found < 0 && chance < upTo)
      found = int32_t(token);
  }
  return {found, nearest};
}

TEST(Draw, EqualsASimpleModelOfIt) {
  std::mt19937_64 engine(1);
  const auto pick = [&](auto... values) {
    const double all[] = {double(values)...};
    return all[engine() % std::size(all)];
  };
  int compared = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<float> logits(1 + engine() % 40);
    const bool isCoarse = engine() % 2 == 0; // has equal ones
    for (float &logit : logits) {
      logit = float(int64_t(engine() % 2001) - 1000) / 200;
      logit = isCoarse ? std::round(logit) : logit;
    }
    std::vector<int32_t> text(engine() % 10);
    for (int32_t &token : text)
      token = int32_t(engine() % logits.size());
    const DrawOptions options = {
        pick(1, 1.1, 1.7, 0.8),          pick(0, 0.3, 1, 2.5),
        int64_t(pick(0, 1, 3, 20, 100)), pick(1, 0.05, 0.5, 0.9, 0.999),
        pick(0, 0, 0.02, 0.3, 1),        int64_t(pick(0, 0, 1, 2, 3))};
    const double chance = double(engine() >> 11) * 0x1p-53;
    const auto [expected, distance] =
        simpleDraw({logits.begin(), logits.end()}, text, options, chance);
    // Sums of another order may decide otherwise.
    if (distance < 1e-12)
      continue;
    ++compared;
    ASSERT_EQ(draw(logits, text, options, chance).value_or(-1), expected)
        << trial;
  }
  EXPECT_GT(compared, 3900);
}

TEST(Draw, ChanceIsOfSeedSampleAndPosition) {
  std::set<double> seen;
  double sum = 0;
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (uint64_t sample = 0; sample < 10; ++sample)
      for (uint64_t position = 0; position < 10; ++position) {
        const double chance = chanceOf(seed, sample, position);
        EXPECT_GE(chance, 0);
        EXPECT_LT(chance, 1);
        EXPECT_EQ(chance, chanceOf(seed, sample, position));
        seen.insert(chance);
        sum += chance;
      }
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
}

} // namespace
