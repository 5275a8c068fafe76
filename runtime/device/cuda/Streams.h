//===- Streams.h - The streams and events of a plan, in CUDA ----*- C++ -*-===//
#pragma once

#include "runtime/device/cuda/Gpu.h"
#include "runtime/zrt.h"

#include <vector>

namespace zrt::cuda {

/// Whether work on a stream of this class is the GPU's.
constexpr bool isOfGpu(uint32_t streamClass) {
  return streamClass != ZRT_HOST_STREAM && streamClass != ZRT_NVME_READ &&
         streamClass != ZRT_NVME_WRITE;
}

class Streams {
public:
  /// A stream of CUDA for each of the GPU's that a program uses, and an event of
  /// CUDA for each event.  Exchanges and copies go first where both could.
  Streams(const Gpu &gpu, const zrt_plan &plan);
  /// Waits for what has been issued.
  ~Streams();
  Streams(const Streams &) = delete;
  Streams &operator=(const Streams &) = delete;

  bool isOnGpu(zrt_stream stream) const {
    return isOfGpu(plan.streams[stream].stream_class);
  }
  /// The stream of CUDA, to which the operation `name` is about to be issued.
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
    const char *last = "nothing"; ///< operation that was issued there
  };
  struct Event {
    CUevent handle = nullptr;
    /// Whether the record was the GPU's: set by its thread before the core lets
    /// anybody wait.
    bool isOnGpu = false;
  };
  void create();
  void destroy();

  const Gpu &gpu;
  const zrt_plan &plan;
  std::vector<Stream> all;
  std::vector<Event> events;
};

/// Host memory that the GPU copies from and to by itself.
class PinnedMemory {
public:
  /// `what` it is, for messages.  Throws zrt::Error.
  PinnedMemory(const Gpu &gpu, std::byte *begin, uint64_t bytes,
               const char *what);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory &) = delete;
  PinnedMemory &operator=(const PinnedMemory &) = delete;

  /// Where the GPU finds it.  Throws.
  CUdeviceptr onGpu() const;

private:
  const Gpu &gpu;
  std::byte *begin = nullptr; ///< nullptr when there is nothing
};

} // namespace zrt::cuda
