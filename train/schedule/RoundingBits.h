//===- RoundingBits.h - The random bits of a step ---------------*- C++ -*-===//
#pragma once

#include "runtime/Hash.h"
#include "runtime/Philox.h"

#include <cstdint>

namespace zrt {

/// The random bits for the roundings of update `update`; they depend on the two
/// arguments only.  Initial values use the seed, too, with the name of a
/// parameter in place of `name`.
inline uint64_t roundingBits(uint64_t seed, int64_t update) {
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  const auto number = static_cast<uint64_t>(update);
  const uint64_t name = Hash::of("(rounding of a step)");
  const auto bits =
      philox4x32({low(number), low(number >> 32), low(name), low(name >> 32)},
                 {low(seed), low(seed >> 32)});
  return bits[0] | uint64_t{bits[1]} << 32;
}

} // namespace zrt
