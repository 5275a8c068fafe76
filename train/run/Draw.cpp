//===- Draw.cpp - Draws a token by its logits -----------------------------===//
#include "train/run/Draw.h"

#include "train/schedule/RandomBits.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using namespace zrt;

double zrt::chanceOf(uint64_t seed, uint64_t sample, uint64_t position) {
  // The key differs from that of this seed's initial values and roundings.
  const uint64_t key = seed ^ Hash::of("(tokens of a sample)");
  return double(randomBits(position, sample, key) >> 11) * 0x1p-53;
}

std::optional<int64_t> zrt::likeliest(std::span<const float> logits) {
  size_t best = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i]))
      return std::nullopt;
    if (logits[i] > logits[best])
      best = i;
  }
  if (logits.empty() || !std::isfinite(logits[best]))
    return std::nullopt;
  return int64_t(best);
}

std::optional<int64_t> zrt::draw(std::span<const float> logits,
                                 double temperature, int64_t topK,
                                 double chance) {
  const std::optional<int64_t> best = likeliest(logits);
  if (!best || temperature == 0)
    return best;
  std::vector<size_t> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), size_t{0});
  if (topK > 0 && size_t(topK) < tokens.size()) {
    std::nth_element(tokens.begin(), tokens.begin() + topK, tokens.end(),
                     [&](size_t a, size_t b) {
                       return logits[a] != logits[b] ? logits[a] > logits[b]
                                                     : a < b;
                     });
    tokens.resize(size_t(topK));
    std::sort(tokens.begin(), tokens.end());
  }
  const double most = logits[size_t(*best)];
  std::vector<double> upTo(tokens.size());
  double sum = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    sum += std::exp((double(logits[tokens[i]]) - most) / temperature);
    upTo[i] = sum;
  }
  const auto found = std::upper_bound(upTo.begin(), upTo.end(), chance * sum);
  // chance * sum may be rounded up to the sum.
  return found == upTo.end() ? best
                             : int64_t(tokens[size_t(found - upTo.begin())]);
}
