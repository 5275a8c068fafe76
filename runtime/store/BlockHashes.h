//===- BlockHashes.h - Does a read bring what was written? ------*- C++ -*-===//
//
// A hash for each block of a store.  All that reaches a store are whole blocks,
// so whatever is read has been hashed, in whichever pieces; a block that was
// never written is one of zeros.
//
// Threads that work on the same block at once are a mistake of the plan, as
// they are in memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zrt {

class BlockHashes {
public:
  /// Of a space of so many bytes: 8 bytes a block.
  explicit BlockHashes(uint64_t bytes);

  /// Whole blocks are about to be written at `offset`.
  void keep(uint64_t offset, uint64_t bytes, const std::byte *memory);
  /// The offset of the first block that is not what was written, of blocks that
  /// were read at `offset`; UINT64_MAX when all are.
  uint64_t firstOther(uint64_t offset, uint64_t bytes,
                      const std::byte *memory) const;

private:
  std::vector<uint64_t> hashes;
};

} // namespace zrt
