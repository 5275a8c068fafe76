//===- Blocks.h - Units of reads and writes, and their hashes ---*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace zrt {

constexpr uint64_t kBlock = ZRT_NVME_BLOCK;
/// The largest request in bytes, and the size of a stripe in a folder.
constexpr uint64_t kStripe = uint64_t{1} << 20;

constexpr uint64_t roundUpToBlock(uint64_t bytes) {
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

/// Block-aligned memory of whole blocks, or of none.
class BlockMemory {
public:
  /// Throws std::bad_alloc.
  explicit BlockMemory(uint64_t bytes)
      : base(static_cast<std::byte *>(
            ::operator new(roundUpToBlock(bytes), std::align_val_t(kBlock)))) {}
  ~BlockMemory() { ::operator delete(base, std::align_val_t(kBlock)); }
  BlockMemory(const BlockMemory &) = delete;
  BlockMemory &operator=(const BlockMemory &) = delete;

  std::byte *data() const { return base; }

private:
  std::byte *const base;
};

/// Verifies what reads return: keeps a hash for each block of a store.  Only
/// whole blocks are read and written, so every block that is read has a hash,
/// however transfers are cut.  A block that was never written contains zeros.
///
/// Two threads that work on the same block at once are an error of the plan, as
/// in memory.
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
