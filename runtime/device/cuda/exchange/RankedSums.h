//===- RankedSums.h - What a collective adds up, on the GPU -----*- C++ -*-===//
//
// zrt_ranked_sum_FROM_TO of the plan's kernels adds contributions of all ranks, in
// rank order, scales, and accumulates: as on processors, and with their bits.  What
// it reads besides (ZrtStructs.def) is a table in the GPU's memory.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/exchange/Exchange.h"

#include <functional>
#include <map>

namespace zrt::cuda {

class RankedSums {
public:
  /// From one rank's contribution to the next, in bytes.
  using Stride = std::function<uint64_t(const zrt_collective_desc &)>;

  /// Of the collectives of the plan that add.  Throws zrt::Error.
  RankedSums(const ExchangeDevice &device, const Stride &stride);

  /// Adds `elements` elements of contributions, the first rank's of which lie at
  /// `contributions`, to what `result` becomes.
  void add(const ExchangeCall &call, CUdeviceptr contributions,
           CUdeviceptr result, uint64_t elements) const;

private:
  struct Sum {
    const Kernel *kernel;
    /// In the table: for operands that are not aligned, then for those that are.
    uint64_t how;
  };
  const Kernels &kernels;
  std::map<const zrt_collective_desc *, Sum> sums;
  std::unique_ptr<GpuMemory> table;
};

} // namespace zrt::cuda
