//===- Graphs.h - Programs that a GPU repeats by itself ---------*- C++ -*-===//
//
// A program is the same in every run: the same operations, addresses and order.
// Issuing them one by one costs the host a few microseconds each, which is more
// than small ones take.  So the second run of a program is captured: what its
// streams' threads issue becomes a graph of CUDA, which is launched, and from then on
// launched again.  (In the first run libraries may still load what they need.)
//
//   fork     an event of the first stream, for which all others wait
//            ... what the streams issue, with the plan's events ...
//   join     an event of each other stream, for which the first waits
//
// A program in which a thread of the host works, or exchanges, is issued in every
// run; so are all with ZRT_CUDA_GRAPHS=0 in the environment.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cuda/Streams.h"

#include <array>
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

private:
  struct Kept {
    /// That the program uses; none where it is issued in every run.
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
  Kept *captured = nullptr;  ///< what is being captured
  std::vector<CUevent> ends; ///< of each stream, where there is any graph
};

} // namespace zrt::cuda
