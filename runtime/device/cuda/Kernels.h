//===- Kernels.h - The kernels of a plan, on a GPU --------------*- C++ -*-===//
//
// The first image of the plan that the driver takes is loaded, and each kernel of
// the plan's table found in it.  ZrtStructs.def says how they are launched.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/Gpu.h"
#include "runtime/zrt.h"

#include <span>
#include <string_view>
#include <vector>

namespace zrt::cuda {

struct Kernel {
  zrt_device_kernel how;
  CUkernel handle;
};

class Kernels {
public:
  /// Throws zrt::Error when no image can be loaded, or a kernel is missing there
  /// or needs more than the GPU has.
  Kernels(const Gpu &gpu, const zrt_plan &plan);
  ~Kernels();
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;

  /// What is executed in the place of `twin`, one after another; throws when
  /// there is nothing.
  std::span<const Kernel> find(zrt_kernel_fn twin) const;
  /// The one without a twin; throws when there is none.
  const Kernel &find(std::string_view entry) const;

  /// Throw unless so many units can be launched at once, of a kernel or in the place
  /// of `twin`.
  static void checkUnits(const Kernel &kernel, int64_t units);
  void checkUnits(zrt_kernel_fn twin, int64_t units) const {
    for (const Kernel &kernel : find(twin))
      checkUnits(kernel, units);
  }
  /// Issues `units` units; `parameters` are addresses and counts.
  void launch(CUstream stream, const Kernel &kernel, int64_t units,
              std::span<const uint64_t> parameters) const;
  void launch(CUstream stream, zrt_kernel_fn twin, int64_t units,
              std::span<const uint64_t> parameters) const {
    for (const Kernel &kernel : find(twin))
      launch(stream, kernel, units, parameters);
  }

private:
  void load(const zrt_plan &plan);
  CUkernel handleOf(const zrt_device_kernel &kernel) const;

  const Gpu &gpu;
  CUlibrary library = nullptr;
  std::vector<Kernel> all; ///< sorted by twin; else as in the plan
};

} // namespace zrt::cuda
