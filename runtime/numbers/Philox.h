//===- Philox.h - A counter-based random generator --------------*- C++ -*-===//
//
// Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
// (SC 2011): a keyed bijection of 128-bit counters.  The n-th number does not
// depend on the numbers before it, so any slice of a parameter can be drawn
// anywhere.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>

namespace zrt {

/// Returns the 128 random bits of `counter` under `key`.
[[gnu::always_inline]] inline std::array<uint32_t, 4>
philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t x = uint64_t{0xD2511F53} * counter[0];
    const uint64_t y = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(y >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(y),
               static_cast<uint32_t>(x >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(x)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

} // namespace zrt
