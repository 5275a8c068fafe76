//===- Graphs.cpp - Programs as CUDA graphs -------------------------------===//
#include "runtime/device/cuda/Graphs.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

using namespace zrt;
using namespace zrt::cuda;

namespace {

/// Returns the streams of a program; none if the host takes part in it.
std::vector<zrt_stream> streamsOf(const zrt_program &program,
                                  const Streams &streams) {
  std::vector<zrt_stream> used;
  for (const zrt_op &op : opsOf(program)) {
    if (!streams.isOnGpu(op.stream) || op.kind == ZRT_COLLECTIVE)
      return {};
    if (std::ranges::count(used, op.stream) == 0)
      used.push_back(op.stream);
  }
  return used;
}

} // namespace

Graphs::Graphs(const Gpu &theGpu, const zrt_plan &thePlan,
               const Streams &theStreams)
    : gpu(theGpu), plan(thePlan), streams(theStreams) {
  const char *wanted = std::getenv("ZRT_CUDA_GRAPHS");
  if (wanted && std::string_view(wanted) == "0")
    return;
  for (uint32_t i = 0; i < ZRT_PROGRAM_COUNT; ++i)
    programs[i].streams = streamsOf(plan.programs[i], streams);
}

Graphs::~Graphs() {
  for (const Kept &program : programs)
    if (program.graph)
      (void)gpu.driver().GraphExecDestroy(program.graph);
  for (CUevent event : ends)
    (void)gpu.driver().EventDestroy(event);
}

bool Graphs::replay(uint32_t which) {
  Kept &program = programs[which];
  if (program.streams.empty())
    return false;
  if (program.graph) {
    launch(program);
    return true;
  }
  if (program.hasRun) {
    begin(program);
    captured = &program;
  }
  program.hasRun = true;
  return false;
}

void Graphs::begin(const Kept &program) {
  while (ends.size() < plan.stream_count) {
    CUevent event = nullptr;
    gpu.EventCreate(&event, CU_EVENT_DISABLE_TIMING);
    ends.push_back(event);
  }
  // Relaxed, because other threads may copy unrelated data during the capture.
  const zrt_stream first = program.streams.front();
  gpu.StreamBeginCapture(streams.handle(first), CU_STREAM_CAPTURE_MODE_RELAXED);
  for (const zrt_stream other : program.streams)
    if (other != first)
      waitFor(other, first);
}

/// Makes `stream` wait for the operations issued to `other`.
void Graphs::waitFor(zrt_stream stream, zrt_stream other) {
  gpu.EventRecord(ends[other], streams.handle(other));
  gpu.StreamWaitEvent(streams.handle(stream), ends[other], 0);
}

void Graphs::endIssue(bool isWhole) {
  if (!captured)
    return;
  Kept &program = *captured;
  captured = nullptr;
  const Driver &driver = gpu.driver();
  const zrt_stream first = program.streams.front();
  CUgraph graph = nullptr;
  if (!isWhole) {
    // The run has failed, so none of it is launched.
    (void)driver.StreamEndCapture(streams.handle(first), &graph);
    if (graph)
      (void)driver.GraphDestroy(graph);
    return;
  }
  for (const zrt_stream other : program.streams)
    if (other != first)
      waitFor(first, other);
  gpu.StreamEndCapture(streams.handle(first), &graph);
  const CUresult result = driver.GraphInstantiate(&program.graph, graph, 0);
  (void)driver.GraphDestroy(graph);
  if (result != CUDA_SUCCESS) {
    program.graph = nullptr;
    fail("program {} cannot be kept as a graph: {}; set ZRT_CUDA_GRAPHS=0",
         programName(uint32_t(&program - programs.data())),
         driver.describe("cuGraphInstantiate", result));
  }
  launch(program);
}

void Graphs::launch(const Kept &program) {
  gpu.GraphLaunch(program.graph, streams.handle(program.streams.front()));
}
