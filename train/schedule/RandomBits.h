//===- RandomBits.h - The random bits of a step -----------------*- C++ -*-===//
#pragma once

#include "runtime/hash/Hash.h"
#include "runtime/numbers/Philox.h"

#include <cstdint>

namespace zrt {

/// 64 random bits that depend on the arguments only.
inline uint64_t randomBits(uint64_t low, uint64_t high, uint64_t key) {
  const auto bits = philox4x32({uint32_t(low), uint32_t(low >> 32),
                                uint32_t(high), uint32_t(high >> 32)},
                               {uint32_t(key), uint32_t(key >> 32)});
  return bits[0] | uint64_t{bits[1]} << 32;
}

/// The random bits for the roundings of update `update`.  Initial values use
/// the seed, too, with the name of a parameter in place of this one.
inline uint64_t roundingBits(uint64_t seed, int64_t update) {
  return randomBits(uint64_t(update), Hash::of("(rounding of a step)"), seed);
}

/// The key of dropout (numerics/Dropout.h) in sequence `sequence` of the run,
/// counted from 0 over all steps.
inline uint64_t dropoutKey(uint64_t seed, uint64_t sequence) {
  return randomBits(sequence, Hash::of("(dropout of a sequence)"), seed);
}

} // namespace zrt
