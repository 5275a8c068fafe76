//===- ContentHash.h - A 64-bit hash of bytes -------------------*- C++ -*-===//
//
// XXH64 (Yann Collet), so that other programs can check the hashes that we
// report for files.  A change of one single word always changes the hash.  It
// is for all that is longer than a key (Hash.h) and no sum (Checksum.h).
//
//===----------------------------------------------------------------------===//
#pragma once

// The header has all of the library: no program needs libxxhash.so.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace zrt {

/// XXH64 with seed `start`: different bytes almost surely have different
/// hashes.
inline uint64_t contentHash(const void *data, size_t bytes,
                            uint64_t start = 0) {
  return XXH64(data, bytes, start);
}

} // namespace zrt
