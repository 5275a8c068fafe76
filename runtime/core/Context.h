//===- Context.h - One run of a plan ----------------------------*- C++ -*-===//
//
// The context owns what a run has: a device with its arenas, a queue per
// stream, the events, and whoever exchanges bytes with other ranks.
//
//   host thread      program: check, push, push, ...           then join all
//   stream threads   pop, execute, pop, execute, ...
//
// After the first error streams drop their work but still reach their events,
// so nobody waits for ever and the step ends soon; the peers are told.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CORE_CONTEXT_H
#define ZRT_CORE_CONTEXT_H

#include "runtime/core/ChaosDelays.h"
#include "runtime/core/Collectives.h"
#include "runtime/core/Device.h"
#include "runtime/core/EntryChecks.h"
#include "runtime/core/ErrorLatch.h"
#include "runtime/core/EventTable.h"
#include "runtime/core/Profile.h"
#include "runtime/core/StreamQueue.h"
#include "runtime/core/Trace.h"
#include "runtime/zrt.h"

#include <array>
#include <memory>
#include <string>

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
  /// `plan` has passed checkPlan; `rank` is this process's.  What goes wrong is
  /// latched in `error`, which outlives this, with `handle`, what programs are
  /// given.
  Context(const zrt_plan &plan, int rank, ContextParts parts, ErrorLatch &error,
          zrt_context *handle);

  /// Host thread: checks and enqueues `entry`.  Throws zrt::Error.
  void enqueue(zrt_stream stream, const Entry &entry);
  /// Host thread: runs a program and waits for every stream.
  void run(uint32_t program);
  /// Any thread: host access, see zrt_read.  Throw zrt::Error.
  void read(const zrt_ref &ref, void *to, uint64_t bytes);
  void write(const zrt_ref &ref, const void *from, uint64_t bytes);
  /// Any thread: latches `text` and tells the peers that this rank has failed.
  void latch(const std::string &text);

  Device &device() { return *parts.device; }
  Collectives &collectives() { return *parts.collectives; }
  WireLedger &wire() { return parts.collectives->ledger; }

  Profile profile;

private:
  void check(const Entry &entry);
  zrt_ref checkAccess(const zrt_ref &ref, uint64_t bytes) const;
  void runProgram(const zrt_program &program);
  void joinAll();
  /// Host thread, while no stream runs.
  void poison();
  /// Stream thread: executes one entry; latches what goes wrong.
  void execute(zrt_stream stream, const Entry &entry);
  void work(zrt_stream stream, const Entry &entry);
  void copy(zrt_stream stream, const Entry &entry);
  Trace *trace() { return parts.trace.get(); }

  const zrt_plan plan;
  ErrorLatch &error;
  zrt_context *const handle;
  uint64_t runs = 0;
  ContextParts parts;
  EntryChecks checks;
  EventTable events;
  /// Last, so that the threads end before what they use goes away.
  std::array<std::unique_ptr<StreamQueue>, ZRT_STREAM_COUNT> queues;
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

#endif // ZRT_CORE_CONTEXT_H
