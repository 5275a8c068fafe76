//===- Context.h - One run of a plan ----------------------------*- C++ -*-===//
//
// The context owns the parts of a run: a device with its arenas, a queue per
// stream, the events, and the collectives.
//
//   at the start     check every operation; distribute the tables to streams
//   host thread      start all streams, then join all, then finish all
//   stream threads   execute their part of the program, in order
//
// A device may execute operations later than they are issued.  The table of
// events then tracks what has been issued: a wait holds the stream's thread
// until the record has been issued, and the device holds the stream until it
// has been reached.  When times or orders are observed (profile, trace, chaos),
// each operation is finished before the next is issued; otherwise the device
// may replay an earlier run.
//
// After the first error streams drop their work but still reach their events,
// so that no stream waits for ever and the step ends soon.  The peers get an
// alarm.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/core/ChaosDelays.h"
#include "runtime/core/Collectives.h"
#include "runtime/core/Device.h"
#include "runtime/core/ErrorLatch.h"
#include "runtime/core/EventTable.h"
#include "runtime/core/Profile.h"
#include "runtime/core/Segments.h"
#include "runtime/core/StreamQueue.h"
#include "runtime/core/Trace.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace zrt {

/// The parts of a context (made in runtime/start).
struct ContextParts {
  std::unique_ptr<ChaosDelays> chaos;
  std::unique_ptr<Digest> digest; ///< nullptr without digests
  std::unique_ptr<Device> device;
  std::unique_ptr<Trace> trace; ///< nullptr unless ZRT_TRACE is set
  std::unique_ptr<Collectives> collectives;
};

class Context {
public:
  /// `plan` has passed checkPlan; it and `error`, which latches the first error
  /// of a run, must outlive this.  `rank` is that of this process.  Throws
  /// zrt::Error if a part cannot do an operation of the plan.
  Context(const zrt_plan &plan, int rank, ContextParts parts,
          ErrorLatch &error);

  /// Host thread: runs a program and waits for every stream.
  void run(uint32_t program);
  /// Any thread: host access, see zrt_read.  Throw zrt::Error.
  void read(const zrt_ref &ref, void *to, uint64_t bytes);
  void write(const zrt_ref &ref, const void *from, uint64_t bytes);
  /// Host thread, between programs: see zrt_take_digest.
  void takeDigest(uint64_t *sums);
  /// Any thread: latches `text` and reports to the peers that this rank has
  /// failed.
  void latch(const std::string &text);

  Device &device() { return *parts.device; }
  Collectives &collectives() { return *parts.collectives; }

  Profile profile;
  TrafficLedger traffic;

private:
  zrt_ref checkAccess(const zrt_ref &ref, uint64_t bytes) const;
  void startQueues();
  /// Host thread, while no stream runs: overwrites dead memory.
  void poison(uint32_t next);
  /// Host thread: lets all streams issue their operations of the program.
  void issue();
  /// Host thread, after everything has been issued.
  void finishStreams();
  /// Returns true if the times or the order of single operations are observed.
  bool isObserved();
  /// Stream thread, after an operation.
  void finishIfObserved(zrt_stream stream);
  /// Latches any exception of `action`.
  template <typename Action>
  void attempt(Action action);
  /// Stream thread: executes one operation of the running program and latches
  /// its error.
  void execute(uint32_t operation);
  void executeEvent(const zrt_op &op);
  void executeWork(const zrt_op &op, uint32_t operation);
  void work(const zrt_op &op, uint32_t operation);
  void runCollective(const zrt_op &op, uint32_t operation);
  void runCollectiveOnDevice(const zrt_op &op, uint32_t operation);
  void copy(const zrt_op &op, uint32_t operation);
  uint64_t copyInHalves(zrt_stream stream, const zrt_ref &from,
                        const zrt_ref &to);
  Trace *trace() { return parts.trace.get(); }

  const zrt_plan &plan;
  const uint32_t rank;
  const RankGroups groups;
  ErrorLatch &error;
  uint64_t runs = 0;
  uint32_t program = 0; ///< the running program
  ContextParts parts;
  std::vector<BucketPart> buckets; ///< with this rank's slice of each
  EventTable events;
  /// The operations of each stream in each program.
  std::array<std::vector<std::vector<uint32_t>>, ZRT_PROGRAM_COUNT> lists;
  /// One for each stream that has operations.  Declared last, so that the
  /// threads end before the data that they use is destroyed.
  std::vector<std::unique_ptr<StreamQueue>> queues;
};

} // namespace zrt

/// The handle of the C ABI.  It owns the errors of the context, also those that
/// occur before there is a Context.
struct zrt_context {
  zrt::ErrorLatch error;
  zrt_plan plan = {};
  std::string report;                ///< the last result of zrt_report
  std::unique_ptr<zrt::Context> run; ///< after zrt_start
};
