//===- Gpu.h - One GPU, and memory on it ------------------------*- C++ -*-===//
#pragma once

#include "runtime/device/cuda/driver/Driver.h"

#include <cstdint>
#include <string>
#include <vector>

namespace zrt::cuda {

/// The GPU of a rank: of the N that the process sees, number n modulo N, where
/// n is the rank's number on its host.
class Gpu {
public:
  /// Throws zrt::Error.
  explicit Gpu(int rankOnHost);
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  const Driver &driver() const { return table; }
  /// Calls a function of the driver; throws zrt::Error unless it succeeds.
#define ZRT_CUDA(FUNCTION, SYMBOL)                                             \
  template <typename... Args>                                                  \
  void FUNCTION(Args... args) const {                                          \
    table.check(#SYMBOL, table.FUNCTION(args...));                             \
  }
#include "runtime/device/cuda/driver/DriverFunctions.def"
  /// Makes the calling thread use this GPU.
  void enter() const { CtxSetCurrent(context); }
  CUresult tryEnter() const { return table.CtxSetCurrent(context); }

  /// Returns e.g. "NVIDIA H100 80GB HBM3 (sm_90)".
  const std::string &name() const { return shownName; }
  /// Returns its place in the host, e.g. "0000:18:00.0", as Linux writes it.
  std::string place() const;
  /// Returns a number that identifies it among the GPUs of its host, or a part
  /// of a GPU that is used like one.
  uint64_t identity() const;
  int attribute(CUdevice_attribute which) const;
  /// Its bytes, and those that no process uses.
  struct Memory {
    size_t free = 0, total = 0;
    size_t used() const { return total - free; }
  };
  Memory memory() const {
    Memory now;
    MemGetInfo(&now.free, &now.total);
    return now;
  }
  CUdevice number() const { return device; }

private:
  const Driver table;
  CUdevice device = 0;
  CUcontext context = nullptr;
  std::string shownName;
};

/// A rank among those that map each other's memory.
struct Place {
  int rank = 0, ranks = 1;
};

/// GPU memory at one range of addresses, initially zero.  If ranks share
/// memory, their parts are contiguous and in the same order in every process:
///
///   | of rank 0 | of rank 1 | ...     each `stride` bytes
class GpuMemory {
public:
  /// Allocates `bytes` bytes, rounded up to the GPU's granularity; `what` names
  /// them in messages.  Throws zrt::Error.
  GpuMemory(const Gpu &gpu, uint64_t bytes, const char *what, Place place = {});
  ~GpuMemory();
  GpuMemory(const GpuMemory &) = delete;
  GpuMemory &operator=(const GpuMemory &) = delete;

  CUdeviceptr at(uint64_t offset) const { return atRank(place.rank, offset); }

  /// Returns an open file with which other ranks can map this memory; the
  /// caller closes it.  Throws zrt::Error.
  int share() const;
  /// Maps the memory of `rank`, which shared it as `file`.  Throws zrt::Error.
  void mapPeer(int rank, int file);
  /// Returns an address in the memory of a rank, which must be mapped.
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
  /// Unmaps and frees everything.
  void release();

  const Gpu &gpu;
  const Place place;
  uint64_t size = 0; ///< requested size, rounded up
  CUdeviceptr begin = 0;
  std::vector<Part> parts; ///< by rank
};

} // namespace zrt::cuda
