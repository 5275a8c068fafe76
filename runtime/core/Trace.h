//===- Trace.h - What ran when, and after what ------------------*- C++ -*-===//
//
// ZRT_TRACE=PREFIX in the environment makes rank R write PREFIX.R.jsonl, a line
// per operation that ran, in program order (docs/runtime.md has one).
//
// Besides its times an operation has a vector clock: of each other stream, how
// many operations of this run are known to be over when it starts.  A stream
// has a clock; a record publishes it with its event, a wait merges the event's.
// The clocks come from what the streams do, not from the plan, so they can be
// compared with what the plan promises.
//
//   gather    op 1   record 0                     {gather: 1} -> event 0
//   compute                    wait 0   op 1      after {gather: 1}
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/EventTable.h"
#include "runtime/io/LineFile.h"
#include "runtime/zrt.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zrt {

/// Nanoseconds that all processes of a host count alike.
int64_t traceTime();

/// How a collective went on this rank.
struct CollectiveTrace {
  uint32_t number = 0; ///< on its stream, from 1, over all runs
  /// Taken before the peers are told, hence before any of them can act on it.
  int64_t arrived = 0; ///< the source can be read
  int64_t read = 0;    ///< the last byte of the peers has been read
};

class Trace {
public:
  /// The trace of `rank` of `plan`, which outlives it; nullptr unless ZRT_TRACE
  /// is set.  Throws zrt::Error when its file cannot be created.
  static std::unique_ptr<Trace> fromEnvironment(const zrt_plan &plan, int rank);

  Trace(const zrt_plan &plan, const std::string &path);
  ~Trace();

  /// Host thread, while no stream runs: begins with cleared clocks.
  void startRun(uint32_t program, uint64_t run);
  /// Host thread, while no stream runs: writes what has run, in program order.
  /// Throws zrt::Error.
  void endRun();

  /// Stream thread: what is over, for records and waits.
  VectorClock &clock(zrt_stream stream) { return lanes[stream].clock; }
  /// Stream thread: around an operation that succeeds.
  void begin(zrt_stream stream);
  void end(zrt_stream stream);
  /// Stream thread: of the collective that has begun.
  CollectiveTrace &collective(zrt_stream stream) {
    return lanes[stream].current.collective;
  }

private:
  /// An operation that has run.
  struct Row {
    VectorClock clock; ///< when it started
    int64_t begin = 0, end = 0;
    CollectiveTrace collective;
  };
  /// Only its stream's thread touches a lane during a run.
  struct alignas(64) Lane {
    VectorClock clock;
    Row current;
    std::vector<Row> rows; ///< of this run
  };

  std::string line(const zrt_op &op, size_t number, const Row &row) const;

  const zrt_plan &plan;
  LineFile file{"trace"};
  uint32_t program = 0;
  uint64_t run = 0;
  std::vector<Lane> lanes;
};

} // namespace zrt
