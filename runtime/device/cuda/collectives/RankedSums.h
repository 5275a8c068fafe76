//===- RankedSums.h - Sums of collectives on a GPU --------------*- C++ -*-===//
//
// The plan's kernels zrt_ranked_sum_FROM_TO add the contributions of a party's
// ranks in their order, scale, and accumulate, with the same bits as on
// processors.  Their other parameters (ZrtStructs.def) are in a table in GPU
// memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/collectives/Backend.h"

#include <functional>
#include <map>

namespace zrt::cuda {

class RankedSums {
public:
  /// The distance of the contributions of two ranks at adjacent places, in
  /// bytes.
  using Stride = std::function<uint64_t(const zrt_collective_desc &)>;

  /// Prepares the collectives of the plan that add.  Throws zrt::Error.
  RankedSums(const CollectiveDevice &device, const Stride &stride);

  /// Stores in `result` the sum of `elements` elements of all contributions,
  /// the first rank's of which are at `contributions`.
  void add(const CollectiveCall &call, CUdeviceptr contributions,
           CUdeviceptr result, uint64_t elements) const;

private:
  struct Sum {
    const Kernel *kernel;
    /// The table offset of the entry for unaligned operands; that for aligned
    /// ones follows.
    uint64_t how;
  };
  const Kernels &kernels;
  std::map<const zrt_collective_desc *, Sum> sums;
  std::unique_ptr<GpuMemory> table;
};

} // namespace zrt::cuda
