//===- Context.h - One run of a plan ----------------------------*- C++ -*-===//
//
// The context owns what a run has: a device with its arenas, a queue per
// stream, the events, and whoever exchanges bytes with other ranks.
//
//   at the start     look at every operation; deal the tables out to streams
//   host thread      start all streams, then join all, then finish all
//   stream threads   execute what they have of the program, in order
//
// A device may execute later than it is told to.  Then the table of events says
// what has been issued: a wait holds the stream's thread until the record has been
// issued, and the device holds the stream until it has been reached.  Where times
// or orders are looked at (profile, trace, chaos), each operation is finished
// before the next; else the device may repeat an earlier run by itself.
//
// After the first error streams drop their work but still reach their events,
// so nobody waits for ever and the step ends soon; the peers are told.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/ChaosDelays.h"
#include "runtime/core/Collectives.h"
#include "runtime/core/Device.h"
#include "runtime/core/ErrorLatch.h"
#include "runtime/core/EventTable.h"
#include "runtime/core/LinkLedger.h"
#include "runtime/core/Profile.h"
#include "runtime/core/Segments.h"
#include "runtime/core/StreamQueue.h"
#include "runtime/core/Trace.h"
#include "runtime/zrt.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace zrt {

/// What a context is put together from (runtime/start).
struct ContextParts {
  std::unique_ptr<ChaosDelays> chaos;
  std::unique_ptr<Device> device;
  std::unique_ptr<Trace> trace; ///< nullptr unless ZRT_TRACE is set
  std::unique_ptr<Collectives> collectives;
};

class Context {
public:
  /// `plan` has passed checkPlan; it and `error`, in which is latched what goes
  /// wrong in a run, outlive this.  `rank` is this process's.  Throws zrt::Error
  /// when its parts cannot do an operation of the plan.
  Context(const zrt_plan &plan, int rank, ContextParts parts,
          ErrorLatch &error);

  /// Host thread: runs a program and waits for every stream.
  void run(uint32_t program);
  /// Any thread: host access, see zrt_read.  Throw zrt::Error.
  void read(const zrt_ref &ref, void *to, uint64_t bytes);
  void write(const zrt_ref &ref, const void *from, uint64_t bytes);
  /// Any thread: latches `text` and tells the peers that this rank has failed.
  void latch(const std::string &text);

  Device &device() { return *parts.device; }
  Collectives &collectives() { return *parts.collectives; }

  Profile profile;
  WireLedger wire;
  LinkLedger links;

private:
  zrt_ref checkAccess(const zrt_ref &ref, uint64_t bytes) const;
  void startQueues();
  /// Host thread, while no stream runs.
  void poison();
  /// Host thread: lets all streams issue what they have of the program.
  void issue();
  /// Host thread, after all has been issued.
  void finishStreams();
  /// Whether somebody looks at single operations.
  bool isObserved();
  /// Stream thread, after an operation.
  void finishIfObserved(zrt_stream stream);
  /// Latches what `action` throws.
  template <typename Action>
  void attempt(Action action);
  /// Stream thread: executes one operation of the program that runs; latches
  /// what goes wrong.
  void execute(uint32_t operation);
  void executeEvent(const zrt_op &op);
  void executeWork(const zrt_op &op, uint32_t operation);
  void work(const zrt_op &op, uint32_t operation);
  void exchange(const zrt_op &op, uint32_t operation);
  void exchangeOnDevice(const zrt_op &op, uint32_t operation);
  void copy(const zrt_op &op, uint32_t operation);
  uint64_t copyInHalves(zrt_stream stream, const zrt_ref &from,
                        const zrt_ref &to);
  Trace *trace() { return parts.trace.get(); }

  const zrt_plan &plan;
  const uint32_t rank;
  ErrorLatch &error;
  uint64_t runs = 0;
  uint32_t program = 0; ///< that runs
  ContextParts parts;
  std::vector<BucketPart> buckets; ///< what this rank owns of each
  EventTable events;
  /// The operations of each stream in each program.
  std::array<std::vector<std::vector<uint32_t>>, ZRT_PROGRAM_COUNT> lists;
  /// Of each stream that has any.  Last, so that the threads end before what
  /// they use goes away.
  std::vector<std::unique_ptr<StreamQueue>> queues;
};

} // namespace zrt

/// The handle of the C ABI.  It owns the errors of the context, also those for
/// which there is none.
struct zrt_context {
  zrt::ErrorLatch error;
  zrt_plan plan = {};
  std::string report;                ///< what zrt_report has given
  std::unique_ptr<zrt::Context> run; ///< after zrt_start
};
