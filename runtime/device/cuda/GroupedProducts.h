//===- GroupedProducts.h - Products of groups of rows on a GPU --*- C++ -*-===//
//
// By kernels of the plan's image.  Which rows a group has is known on the GPU alone,
// so a launch has as many blocks as groups of any sizes may need.  Where each group's
// matrix lies stands in a table on the GPU, which is written once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/Kernels.h"

#include <map>

namespace zrt::cuda {

class GroupedProducts {
public:
  /// Of the products of `plan` on streams of the GPU.
  GroupedProducts(const Gpu &gpu, const Kernels &kernels, const zrt_plan &plan);

  /// Throws unless the plan's image has a kernel that can do it.
  void check(const zrt_grouped_desc &desc) const;
  /// Issues it; `arena` is the address of the device arena.
  void run(CUstream stream, const zrt_grouped_desc &desc, CUdeviceptr x,
           CUdeviceptr y, CUdeviceptr offsets, CUdeviceptr arena) const;

private:
  const Kernels &kernels;
  std::map<const zrt_grouped_desc *, uint64_t> places; ///< in the table
  GpuMemory table;
};

} // namespace zrt::cuda
