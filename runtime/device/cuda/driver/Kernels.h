//===- Kernels.h - The kernels of a plan on a GPU ---------------*- C++ -*-===//
//
// Loads the first image of the plan that the driver accepts, and finds each
// kernel of the plan's table in it.  ZrtStructs.def specifies their launches.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/cuda/driver/Gpu.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zrt::cuda {

struct Kernel {
  zrt_device_kernel how;
  CUkernel handle;
};

class Kernels {
public:
  /// Throws zrt::Error if no image can be loaded, or if a kernel is missing or
  /// needs more than the GPU has.
  Kernels(const Gpu &gpu, const zrt_plan &plan);
  ~Kernels();
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;

  /// Returns the kernels that replace `twin`, in the order of their launches;
  /// throws if there are none.
  std::span<const Kernel> find(zrt_kernel_fn twin) const;
  /// Returns the kernel `entry`, which has no twin; throws if it is missing.
  const Kernel &find(std::string_view entry) const;

  /// Gives threads the stack that the kernels need, if they have less.  At the
  /// first launch that needs more, the driver would resize it, and wait for the
  /// GPU, where a stream may wait for a peer.  Libraries may set it, too.
  void growStack() const;
  /// Returns why the program started slowly; "" if it did not.
  std::string note() const;

  /// Throw unless `units` units can be launched at once, of `kernel` or of
  /// those that replace `twin`.
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
  const char *const arch; ///< that the program was compiled for
  CUlibrary library = nullptr;
  bool isTranslated = false; ///< the driver has compiled it
  std::vector<Kernel> all;   ///< sorted by twin; otherwise as in the plan
};

} // namespace zrt::cuda
