//===- Staging.h - Memory for copies of state -------------------*- C++ -*-===//
#pragma once

#include "train/state/checkpoint/RankFile.h"

#include <cstddef>
#include <cstdint>

namespace zrt {

/// A ring of page-aligned blocks.
class Staging {
public:
  /// Allocates the memory, at least one block.  Throws zrt::Error.
  explicit Staging(uint64_t bytes);
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  uint64_t blocks() const { return count; }
  uint64_t bytes() const { return count * kCheckpointBlock; }
  /// The place of block `number` of a file; it is also the place of every block
  /// whose number differs by a multiple of blocks().
  std::byte *at(uint64_t number) const {
    return base + number % count * kCheckpointBlock;
  }

private:
  uint64_t count;
  std::byte *base;
};

} // namespace zrt
