//===- Draw.h - Draws a token by its logits ---------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace zrt {

/// A random number in [0, 1) for token `position` of sample `sample`.  It
/// depends on the three arguments only, so a sample does not depend on ranks,
/// batches or other samples.
double chanceOf(uint64_t seed, uint64_t sample, uint64_t position);

/// The likeliest token, the first of equal ones; nullopt if a logit is NaN, or
/// if none is above minus infinity.
std::optional<int64_t> likeliest(std::span<const float> logits);

/// Draws a token by inverse transform sampling: `chance` in [0, 1) selects a
/// point of the cumulative distribution of softmax(logits / temperature), in
/// the order of tokens, over the `topK` likeliest tokens (0: all; the first of
/// equal ones).  Temperature 0 returns the likeliest token.  Returns nullopt
/// where likeliest() does.
std::optional<int64_t> draw(std::span<const float> logits, double temperature,
                            int64_t topK, double chance);

} // namespace zrt
