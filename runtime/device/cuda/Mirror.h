//===- Mirror.h - Host memory for exchanged GPU data ------------*- C++ -*-===//
//
// Ranks exchange data of their GPUs through host memory.  The mirror has an
// address for each byte of the device arena, so that peers can use the plan's
// offsets; it has memory, which is pinned, only where collectives work.
//
//   device arena   | ............ | source ..... | result | ... |
//   mirror         | no memory    | pinned            | no memory |
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/driver/Streams.h"
#include "runtime/device/memory/Arena.h"

#include <memory>
#include <vector>

namespace zrt::cuda {

class Mirror {
public:
  /// Empty if the plan has no collectives or exchanged data stays on GPUs.
  /// Throws zrt::Error.
  Mirror(const Gpu &gpu, const zrt_plan &plan);

  std::byte *at(uint64_t offset) const { return arena.data() + offset; }
  ExportedMemory exported() const { return arena.exported(); }

private:
  Arena arena;
  std::vector<std::unique_ptr<PinnedMemory>> pinned;
};

} // namespace zrt::cuda
