//===- Draw.h - A token by its logits ---------------------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace zrt {

/// A number in [0, 1) for token `position` of sample `sample`: a function of these
/// alone, so a sample does not depend on ranks, batches or other samples.
double chanceOf(uint64_t seed, uint64_t sample, uint64_t position);

/// The likeliest token, of those the first; nothing where a logit is NaN, or none
/// is above minus infinity.
std::optional<int64_t> likeliest(std::span<const float> logits);

/// The token at `chance` of the way through the probabilities softmax(logits /
/// temperature), in the order of tokens, of the `topK` likeliest (0: of all; of equal
/// ones the first).  Temperature 0 is the likeliest.  Nothing where that is
/// nothing.
std::optional<int64_t> draw(std::span<const float> logits, double temperature,
                            int64_t topK, double chance);

} // namespace zrt
