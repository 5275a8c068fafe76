//===- Gpu.h - One GPU, and memory on it ------------------------*- C++ -*-===//
#ifndef ZRT_DEVICE_CUDA_GPU_H
#define ZRT_DEVICE_CUDA_GPU_H

#include "runtime/device/cuda/Driver.h"

#include <cstdint>
#include <string>

namespace zrt::cuda {

/// The GPU of a rank: of those that the process sees, number rank % their number.
class Gpu {
public:
  /// Throws zrt::Error.
  explicit Gpu(int rank);
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  const Driver &driver() const { return table; }
  /// Throws unless `result`, what `call` returned, is success.
  void check(const char *call, CUresult result) const {
    table.check(call, result);
  }
  /// The calling thread works on this GPU from here on.
  void enter() const { check("cuCtxSetCurrent", tryEnter()); }
  CUresult tryEnter() const { return table.CtxSetCurrent(context); }

  /// "NVIDIA H100 80GB HBM3 (sm_90)"
  const std::string &name() const { return shownName; }
  int attribute(CUdevice_attribute which) const;
  CUdevice number() const { return device; }

private:
  const Driver table;
  CUdevice device = 0;
  CUcontext context = nullptr;
  std::string shownName;
};

/// Bytes of the GPU's memory at one range of addresses; zero at first.
class GpuMemory {
public:
  /// Takes `bytes` bytes, rounded up to what the GPU maps, for `what`.  Throws
  /// zrt::Error.
  GpuMemory(const Gpu &gpu, uint64_t bytes, const char *what);
  ~GpuMemory();
  GpuMemory(const GpuMemory &) = delete;
  GpuMemory &operator=(const GpuMemory &) = delete;

  CUdeviceptr at(uint64_t offset) const { return base + offset; }

private:
  void map(const CUmemAllocationProp &how, const char *what);
  /// Undoes what has been done.
  void release();

  const Gpu &gpu;
  CUdeviceptr base = 0;
  uint64_t size = 0; ///< what was asked for, rounded up
  CUmemGenericAllocationHandle handle = 0;
  bool isMapped = false;
};

} // namespace zrt::cuda

#endif // ZRT_DEVICE_CUDA_GPU_H
