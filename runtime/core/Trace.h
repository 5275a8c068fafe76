//===- Trace.h - Records the times and order of operations ------*- C++ -*-===//
//
// ZRT_TRACE=PREFIX in the environment makes rank R write PREFIX.R.jsonl, one
// line per operation that ran, in program order (docs/runtime.md has an
// example).
//
// Besides its times an operation has a vector clock: for each other stream, the
// number of operations of this run that are known to be complete when it
// starts.  Each stream has a clock; a record publishes it with its event, a
// wait merges the event's clock.  The clocks come from the actual execution,
// not from the plan, so they can be checked against the plan's guarantees.
//
//   gather    op 1   record 0                     {gather: 1} -> event 0
//   compute                    wait 0   op 1      after {gather: 1}
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/core/EventTable.h"
#include "runtime/files/LineFile.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace zrt {

/// Returns the time in nanoseconds on a clock that all processes of a host
/// share.
int64_t traceTime();

/// The times of a collective on this rank.
struct CollectiveTrace {
  uint32_t number = 0; ///< on its stream, from 1, over all runs
  /// Taken before the peers are notified, hence before any of them can act on
  /// it.
  int64_t arrived = 0; ///< the source can be read
  int64_t read = 0;    ///< the last byte of the peers has been read
};

class Trace {
public:
  /// Returns the trace of `rank` of `plan`, which must outlive it; nullptr
  /// unless ZRT_TRACE is set.  Throws zrt::Error if its file cannot be created.
  static std::unique_ptr<Trace> fromEnvironment(const zrt_plan &plan, int rank);

  Trace(const zrt_plan &plan, const std::string &path);
  ~Trace();

  /// Host thread, while no stream runs: begins a run with cleared clocks.
  void startRun(uint32_t program, uint64_t run);
  /// Host thread, while no stream runs: writes the operations that ran, in
  /// program order.  Throws zrt::Error.
  void endRun();

  /// Stream thread: the completed operations, for records and waits.
  VectorClock &clock(zrt_stream stream) { return lanes[stream].clock; }
  /// Stream thread: called before and after an operation that succeeds.
  void begin(zrt_stream stream);
  void end(zrt_stream stream);
  /// Stream thread: the record of the running collective.
  CollectiveTrace &collective(zrt_stream stream) {
    return lanes[stream].current.collective;
  }

private:
  /// An operation that has run.
  struct Row {
    VectorClock clock; ///< at its start
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
  LineFile file{"trace", kTraceFile};
  uint32_t program = 0;
  uint64_t run = 0;
  std::vector<Lane> lanes;
};

} // namespace zrt
