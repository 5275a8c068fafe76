//===- Staging.h - Memory that state waits in to be written -----*- C++ -*-===//
#pragma once

#include "runtime/checkpoint/RankFile.h"

#include <cstddef>
#include <cstdint>

namespace zrt {

/// A ring of blocks, which lie at multiples of a page.
class Staging {
public:
  /// Takes the memory, at least one block of it.  Throws zrt::Error.
  explicit Staging(uint64_t bytes);
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  uint64_t blocks() const { return count; }
  uint64_t bytes() const { return count * kCheckpointBlock; }
  /// Where block `number` of a file waits, as do those `blocks` before and after.
  std::byte *at(uint64_t number) const {
    return base + number % count * kCheckpointBlock;
  }

private:
  uint64_t count;
  std::byte *base;
};

/// What the memory of this machine, or of its container, has left.
uint64_t freeMemory();

} // namespace zrt
