//===- ContentHash.h - 64 bits that tell bytes apart ------------*- C++ -*-===//
#ifndef ZRT_CONTENT_HASH_H
#define ZRT_CONTENT_HASH_H

#include "runtime/Hash.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zrt {

/// 64 bits that almost surely tell different bytes apart.
inline uint64_t contentHash(const std::byte *data, uint64_t bytes,
                            uint64_t start = 0) {
  // FNV-1a over words; the rotation lets high bits reach low ones.
  constexpr uint64_t kPrime = Hash::kPrime;
  uint64_t hash = start ^ Hash::kStart;
  const auto add = [&](uint64_t word) {
    hash = std::rotl((hash ^ word) * kPrime, 29);
  };
  for (; bytes >= 8; data += 8, bytes -= 8) {
    uint64_t word;
    std::memcpy(&word, data, sizeof(word));
    add(word);
  }
  uint64_t rest = 0;
  if (bytes > 0)
    std::memcpy(&rest, data, bytes);
  add(rest);
  add(bytes); // "a" and "a\0" are different ends
  return hash * kPrime;
}

} // namespace zrt

#endif // ZRT_CONTENT_HASH_H
