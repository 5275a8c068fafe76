//===- Draw.h - Draws a token by its logits ---------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace zrt {

/// How a token is drawn, in the order in which transformers applies these.
struct DrawOptions {
  /// Of a token that the text has already: a logit above 0 is divided by this,
  /// another one multiplied; 1 changes nothing.
  double repetitionPenalty = 1;
  double temperature = 0.8; ///< 0: the likeliest token
  int64_t topK = 0;         ///< of the likeliest tokens; 0: of all
  /// Of the fewest of these, the likeliest ones, whose probabilities sum up to
  /// this or more; 1: of all.
  double topP = 1;
  /// Of these, the ones with at least so much of the likeliest one's
  /// probability; 0: all.
  double minP = 0;
  /// No run of so many tokens comes twice in a text; 0: any may.
  int64_t noRepeat = 0;
};

/// A random number in [0, 1) for token `position` of sample `sample`.  It
/// depends on the three arguments only, so a sample does not depend on ranks,
/// batches or other samples.
double chanceOf(uint64_t seed, uint64_t sample, uint64_t position);

/// Draws a token after `text` by inverse transform sampling: `chance` in [0, 1)
/// selects a point of the cumulative distribution of softmax(logits /
/// temperature), in the order of tokens, over the tokens that `options` leave.
/// Of equally likely ones the first ones are left.  All sums are of f64.
/// Returns nullopt if a logit is NaN, or if the largest one is infinite or no
/// token is left.
/// Tokens of `text` without a logit count for nothing.
std::optional<int32_t> draw(std::span<const float> logits,
                            std::span<const int32_t> text,
                            const DrawOptions &options, double chance);

} // namespace zrt
