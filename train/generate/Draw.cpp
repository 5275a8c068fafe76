//===- Draw.cpp - Draws a token by its logits -----------------------------===//
#include "train/generate/Draw.h"

#include "train/schedule/RandomBits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

using namespace zrt;

namespace {

/// Each of `text` counts once, however often it occurs.
void penalize(std::vector<double> &scores, std::span<const float> logits,
              std::span<const int32_t> text, double penalty) {
  for (const int32_t token : text)
    if (token >= 0 && size_t(token) < logits.size()) {
      const double logit = logits[size_t(token)];
      scores[size_t(token)] = logit < 0 ? logit * penalty : logit / penalty;
    }
}

/// Excludes what would end a run of `size` tokens that `text` has already.
void excludeRepeats(std::vector<double> &scores, std::span<const int32_t> text,
                    size_t size) {
  for (size_t end = size; end <= text.size(); ++end)
    if (const int32_t token = text[end - 1];
        token >= 0 && size_t(token) < scores.size() &&
        std::ranges::equal(text.subspan(end - size, size - 1),
                           text.last(size - 1)))
      scores[size_t(token)] = -std::numeric_limits<double>::infinity();
}

/// The first of the largest scores; nullopt if one is NaN, or the largest one
/// infinite.
std::optional<size_t> largestOf(const std::vector<double> &scores) {
  size_t best = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i]))
      return std::nullopt;
    if (scores[i] > scores[best])
      best = i;
  }
  if (scores.empty() || !std::isfinite(scores[best]))
    return std::nullopt;
  return best;
}

/// The `count` tokens with the largest scores, in the order of tokens.
std::vector<size_t> likeliestOf(const std::vector<double> &scores,
                                int64_t count) {
  std::vector<size_t> tokens(scores.size());
  std::iota(tokens.begin(), tokens.end(), size_t{0});
  if (count <= 0 || size_t(count) >= tokens.size())
    return tokens;
  std::nth_element(tokens.begin(), tokens.begin() + count, tokens.end(),
                   [&](size_t a, size_t b) {
                     return scores[a] != scores[b] ? scores[a] > scores[b]
                                                   : a < b;
                   });
  tokens.resize(size_t(count));
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

/// Keeps a token if those before it, from the likeliest one on, sum up to less
/// than `part` of all.  `shares` are proportional to probabilities.
void keepNucleus(std::vector<size_t> &tokens, std::vector<double> &shares,
                 double part) {
  const double most =
      part * std::accumulate(shares.begin(), shares.end(), double{0});
  const auto comesLater = [&](size_t a, size_t b) {
    return shares[a] != shares[b] ? shares[a] < shares[b] : a > b;
  };
  std::vector<size_t> heap(shares.size());
  std::iota(heap.begin(), heap.end(), size_t{0});
  std::make_heap(heap.begin(), heap.end(), comesLater);
  // Few of many tokens are kept, so not all are sorted.
  std::vector<size_t> kept;
  double sum = 0;
  do {
    std::pop_heap(heap.begin(), heap.end(), comesLater);
    kept.push_back(heap.back());
    heap.pop_back();
    sum += shares[kept.back()];
  } while (sum < most && !heap.empty());
  std::sort(kept.begin(), kept.end());
  // Nothing moves onto an element that is still needed: kept[i] >= i.
  for (size_t i = 0; i < kept.size(); ++i) {
    tokens[i] = tokens[kept[i]];
    shares[i] = shares[kept[i]];
  }
  tokens.resize(kept.size());
  shares.resize(kept.size());
}

/// Keeps a token if its probability is `part` of the likeliest one's or more,
/// whose share is 1.
void keepLikely(std::vector<size_t> &tokens, std::vector<double> &shares,
                double part) {
  size_t kept = 0;
  for (size_t i = 0; i < shares.size(); ++i)
    if (shares[i] >= part) {
      tokens[kept] = tokens[i];
      shares[kept++] = shares[i];
    }
  tokens.resize(kept);
  shares.resize(kept);
}

} // namespace

double zrt::chanceOf(uint64_t seed, uint64_t sample, uint64_t position) {
  // The key differs from that of this seed's initial values and roundings.
  const uint64_t key = seed ^ Hash::of("(tokens of a sample)");
  return double(randomBits(position, sample, key) >> 11) * 0x1p-53;
}

std::optional<int32_t> zrt::draw(std::span<const float> logits,
                                 std::span<const int32_t> text,
                                 const DrawOptions &options, double chance) {
  std::vector<double> scores(logits.begin(), logits.end());
  if (options.repetitionPenalty != 1)
    penalize(scores, logits, text, options.repetitionPenalty);
  if (options.noRepeat > 0)
    excludeRepeats(scores, text, size_t(options.noRepeat));
  const std::optional<size_t> best = largestOf(scores);
  if (!best)
    return std::nullopt;
  if (options.temperature == 0)
    return int32_t(*best);
  std::vector<size_t> tokens = likeliestOf(scores, options.topK);
  std::vector<double> shares(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i)
    shares[i] =
        std::exp((scores[tokens[i]] - scores[*best]) / options.temperature);
  if (options.topP < 1)
    keepNucleus(tokens, shares, options.topP);
  if (options.minP > 0)
    keepLikely(tokens, shares, options.minP);
  std::partial_sum(shares.begin(), shares.end(), shares.begin());
  const auto found =
      std::upper_bound(shares.begin(), shares.end(), chance * shares.back());
  // chance * sum may be rounded up to the sum.
  return int32_t(
      found == shares.end() ? *best : tokens[size_t(found - shares.begin())]);
}
