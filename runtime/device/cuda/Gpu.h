//===- Gpu.h - One GPU, and memory on it ------------------------*- C++ -*-===//
#pragma once

#include "runtime/device/cuda/Driver.h"

#include <cstdint>
#include <string>
#include <vector>

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

/// A rank, of those that map each other's memory.
struct Place {
  int rank = 0, ranks = 1;
};

/// Bytes of the GPU's memory at one range of addresses; zero at first.  Where ranks
/// share memory they lie in this order, in every process:
///
///   | of rank 0 | of rank 1 | ...     each `stride` bytes
class GpuMemory {
public:
  /// Takes `bytes` bytes, rounded up to what the GPU maps, for `what`.  Throws
  /// zrt::Error.
  GpuMemory(const Gpu &gpu, uint64_t bytes, const char *what, Place place = {});
  ~GpuMemory();
  GpuMemory(const GpuMemory &) = delete;
  GpuMemory &operator=(const GpuMemory &) = delete;

  CUdeviceptr at(uint64_t offset) const { return atRank(place.rank, offset); }

  /// An open file by which other ranks map this memory; the caller closes it.
  /// Throws.
  int share() const;
  /// Maps the memory of `rank`, which shares it by `file`.  Throws.
  void mapPeer(int rank, int file);
  /// Of a rank whose memory is mapped.
  CUdeviceptr atRank(int rank, uint64_t offset) const {
    return begin + uint64_t(rank) * size + offset;
  }
  uint64_t stride() const { return size; }

private:
  /// A rank's memory.
  struct Part {
    CUmemGenericAllocationHandle handle = 0;
    bool isMapped = false;
  };
  void create(const char *what);
  void map(int rank);
  /// Undoes what has been done.
  void release();

  const Gpu &gpu;
  const Place place;
  uint64_t size = 0; ///< what was asked for, rounded up
  CUdeviceptr begin = 0;
  std::vector<Part> parts; ///< by rank
};

} // namespace zrt::cuda
