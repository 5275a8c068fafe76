//===- GroupedMatmuls.h - Matmuls of groups of rows on a GPU ----*- C++ -*-===//
//
// Launches kernels of the plan's image.  Only the GPU knows the rows of each
// group, so a launch has as many blocks as groups of any sizes may need.  A
// table on the GPU, written once, has the place of each group's matrix.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/driver/Kernels.h"

#include <map>

namespace zrt::cuda {

class GroupedMatmuls {
public:
  /// Prepares the products of `plan` on streams of the GPU.
  GroupedMatmuls(const Gpu &gpu, const Kernels &kernels, const zrt_plan &plan);

  /// Throws unless the plan's image has a kernel for `desc`.
  void check(const zrt_grouped_desc &desc) const;
  /// Issues a product; `arena` is the address of the device arena.
  void run(CUstream stream, const zrt_grouped_desc &desc, CUdeviceptr x,
           CUdeviceptr y, CUdeviceptr offsets, CUdeviceptr arena) const;

private:
  const Kernels &kernels;
  std::map<const zrt_grouped_desc *, uint64_t> places; ///< in the table
  GpuMemory table;
};

} // namespace zrt::cuda
