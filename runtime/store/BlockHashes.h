//===- BlockHashes.h - Verifies what reads return ---------------*- C++ -*-===//
//
// Keeps a hash for each block of a store.  Only whole blocks are read and
// written, so every block that is read has a hash, however transfers are cut.
// A block that was never written contains zeros.
//
// Two threads that work on the same block at once are an error of the plan, as
// in memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zrt {

class BlockHashes {
public:
  /// Creates the hashes of a space of `bytes` bytes: 8 bytes per block.
  explicit BlockHashes(uint64_t bytes);

  /// Must be called before whole blocks are written at `offset`.
  void keep(uint64_t offset, uint64_t bytes, const std::byte *memory);
  /// Checks blocks that were read at `offset`.  Returns the offset of the first
  /// one that differs from what was written; UINT64_MAX if all are equal.
  uint64_t firstOther(uint64_t offset, uint64_t bytes,
                      const std::byte *memory) const;

private:
  std::vector<uint64_t> hashes;
};

} // namespace zrt
