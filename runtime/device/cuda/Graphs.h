//===- Graphs.h - Programs as CUDA graphs -----------------------*- C++ -*-===//
//
// A program has the same operations, addresses and order in every run.  Issuing
// an operation costs the host a few microseconds, which is more than a small
// operation takes.  So the second run of a program is captured: the operations
// that its streams' threads issue become a CUDA graph, which is launched then
// and in all later runs.  (In the first run libraries may still load code.)
//
//   fork     an event of the first stream, for which all others wait
//            ... what the streams issue, with the plan's events ...
//   join     an event of each other stream, for which the first waits
//
// The streams' threads take turns during a capture: a graph that is being built
// may not be used by two at once.
//
// A program in which a host thread works or exchanges data is issued in every
// run; so are all programs with ZRT_CUDA_GRAPHS=0 in the environment.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/driver/Streams.h"

#include <array>
#include <mutex>
#include <vector>

namespace zrt::cuda {

class Graphs {
public:
  Graphs(const Gpu &gpu, const zrt_plan &plan, const Streams &streams);
  ~Graphs();
  Graphs(const Graphs &) = delete;
  Graphs &operator=(const Graphs &) = delete;

  /// See Device.  Throw zrt::Error.
  bool replay(uint32_t program);
  void endIssue(bool isWhole);
  /// Any thread, for each call that issues to a stream: a capture is no object
  /// for two threads at once.
  std::unique_lock<std::mutex> turn() {
    using Lock = std::unique_lock<std::mutex>;
    return captured ? Lock(mutex) : Lock();
  }

private:
  struct Kept {
    /// The program's streams; empty if it is issued in every run.
    std::vector<zrt_stream> streams;
    bool hasRun = false;
    CUgraphExec graph = nullptr;
  };
  void begin(const Kept &program);
  void waitFor(zrt_stream stream, zrt_stream other);
  void launch(const Kept &program);

  const Gpu &gpu;
  const zrt_plan &plan;
  const Streams &streams;
  std::array<Kept, ZRT_PROGRAM_COUNT> programs;
  /// The program being captured; set while no stream issues.
  Kept *captured = nullptr;
  std::mutex mutex;          ///< guards calls of a capture
  std::vector<CUevent> ends; ///< by stream; empty without graphs
};

} // namespace zrt::cuda
