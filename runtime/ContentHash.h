//===- ContentHash.h - A 64-bit hash of bytes -------------------*- C++ -*-===//
//
// XXH64 (Yann Collet), so that other programs can check the hashes that we
// report for files.  Four sums run in parallel over every fourth word, to use
// the processor's multipliers.  Every step is a bijection of the word that it
// takes: a change of one single word always changes the hash.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zrt {

/// XXH64 with seed `start`: different bytes almost surely have different
/// hashes.
inline uint64_t contentHash(const std::byte *data, uint64_t bytes,
                            uint64_t start = 0) {
  constexpr uint64_t k1 = 0x9e3779b185ebca87, k2 = 0xc2b2ae3d27d4eb4f,
                     k3 = 0x165667b19e3779f9, k4 = 0x85ebca77c2b2ae63,
                     k5 = 0x27d4eb2f165667c5;
  const auto add = [](uint64_t sum, uint64_t word) {
    return std::rotl(sum + word * k2, 31) * k1;
  };
  const auto take = [&](auto &value) {
    std::memcpy(&value, data, sizeof(value));
    data += sizeof(value);
    bytes -= sizeof(value);
  };
  uint64_t hash = start + k5;
  const uint64_t length = bytes;
  std::array<uint64_t, 4> words;
  if (bytes >= sizeof(words)) {
    std::array<uint64_t, 4> sums = {start + k1 + k2, start + k2, start,
                                    start - k1};
    while (bytes >= sizeof(words)) {
      take(words);
      for (size_t i = 0; i < words.size(); ++i)
        sums[i] = add(sums[i], words[i]);
    }
    hash = std::rotl(sums[0], 1) + std::rotl(sums[1], 7) +
           std::rotl(sums[2], 12) + std::rotl(sums[3], 18);
    for (const uint64_t sum : sums)
      hash = (hash ^ add(0, sum)) * k1 + k4;
  }
  hash += length;
  while (bytes >= sizeof(uint64_t)) {
    uint64_t word;
    take(word);
    hash = std::rotl(hash ^ add(0, word), 27) * k1 + k4;
  }
  if (bytes >= sizeof(uint32_t)) {
    uint32_t word;
    take(word);
    hash = std::rotl(hash ^ (word * k1), 23) * k2 + k3;
  }
  while (bytes > 0) {
    uint8_t byte;
    take(byte);
    hash = std::rotl(hash ^ (byte * k5), 11) * k1;
  }
  hash = (hash ^ (hash >> 33)) * k2;
  hash = (hash ^ (hash >> 29)) * k3;
  return hash ^ (hash >> 32);
}

} // namespace zrt
