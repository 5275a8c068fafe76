//===- Blocks.h - Units of reads and writes ---------------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>
#include <cstdint>
#include <new>

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

} // namespace zrt
