//===- Streams.h - The CUDA streams and events of a plan --------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/device/cuda/driver/Gpu.h"

#include <vector>

namespace zrt::cuda {

/// Returns true if the GPU does the work of streams of this class.
constexpr bool isOfGpu(uint32_t streamClass) {
  return streamClass != ZRT_HOST_STREAM && streamClass != ZRT_NVME_READ &&
         streamClass != ZRT_NVME_WRITE;
}

class Streams {
public:
  /// Creates a CUDA stream for each stream of the GPU, and a CUDA event for
  /// each event.  Collectives and copies have priority over `compute`.
  Streams(const Gpu &gpu, const zrt_plan &plan);
  /// Waits for all issued work.
  ~Streams();
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;

  bool isOnGpu(zrt_stream stream) const {
    return isOfGpu(plan.streams[stream].stream_class);
  }
  /// Returns the CUDA stream, and notes that the operation `name` is issued to
  /// it next.
  CUstream of(zrt_stream stream, const char *name) {
    all[stream].last = name;
    return all[stream].handle;
  }
  CUstream handle(zrt_stream stream) const { return all[stream].handle; }
  void record(zrt_stream stream, uint32_t event);
  void wait(zrt_stream stream, uint32_t event);
  void finish(zrt_stream stream);

private:
  struct Stream {
    CUstream handle = nullptr;
    const char *last = "nothing"; ///< the operation issued last
  };
  struct Event {
    CUevent handle = nullptr;
    /// Whether the GPU recorded the event.  The recording thread sets this
    /// before the core lets other threads wait.
    bool isOnGpu = false;
  };
  void create();
  void destroy();

  const Gpu &gpu;
  const zrt_plan &plan;
  std::vector<Stream> all;
  std::vector<Event> events;
};

/// Host memory that the GPU can access directly.
class PinnedMemory {
public:
  /// `what` names the memory in messages.  Throws zrt::Error.
  PinnedMemory(const Gpu &gpu, std::byte *begin, uint64_t bytes,
               const char *what);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory &) = delete;
  PinnedMemory &operator=(const PinnedMemory &) = delete;

  /// Returns the memory's address on the GPU.  Throws zrt::Error.
  CUdeviceptr onGpu() const;

private:
  const Gpu &gpu;
  std::byte *begin = nullptr; ///< nullptr if empty
};

} // namespace zrt::cuda
