//===- Context.h - One run of a plan on the CPU -----------------*- C++ -*-===//
//
// The context owns what a run has: one arena per tier, one queue per stream,
// the events and the first error.
//
//   host thread      program: check, push, push, ...           then join all
//   stream threads   pop, execute, pop, execute, ...
//
// After the first error streams drop their work but still reach their events,
// so nobody waits for ever and the step ends soon; the peers are told.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CPU_CONTEXT_H
#define ZRT_CPU_CONTEXT_H

#include "runtime/cpu/Arena.h"
#include "runtime/cpu/BucketWork.h"
#include "runtime/cpu/ChaosDelays.h"
#include "runtime/cpu/EventTable.h"
#include "runtime/cpu/Profile.h"
#include "runtime/cpu/StreamQueue.h"
#include "runtime/cpu/Team.h"
#include "runtime/cpu/Trace.h"
#include "runtime/transport/Transport.h"
#include "runtime/zrt.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace zrt {

/// Keeps the first error; any thread may set it.
class ErrorLatch {
public:
  bool set() const { return failed.load(std::memory_order_acquire); }
  void latch(std::string text);
  /// "" when there is none; stays valid.
  const char *message() const { return set() ? first.c_str() : ""; }

private:
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::string first;
};

class Context {
public:
  /// Allocates the arenas of `plan`, which has passed checkPlan and checkRanks.
  /// `threads` as in zrt_create; `world` (nullptr: one rank) outlives this.
  /// Throws zrt::Error.
  Context(const zrt_plan &plan, int threads, World *world);

  /// Host thread: checks and enqueues `entry`.  Throws zrt::Error.
  void enqueue(zrt_stream stream, const Entry &entry);
  /// Host thread: runs a program and waits for every stream.
  void run(uint32_t program);
  /// Any thread: latches `text` and tells the peers that this rank has failed.
  void latch(const std::string &text);

  std::byte *address(const zrt_ref &ref) const {
    return arenas[ref.tier].data() + ref.offset;
  }
  const Arena &arena(uint32_t tier) const { return arenas[tier]; }
  int threads() const { return team->size(); }
  int rank() const { return transport->rank(); }
  int ranks() const { return transport->ranks(); }
  /// What went over the wire so far; no program may be running.
  const WireLedger &wire() const { return transport->ledger; }
  WireLedger &wire() { return transport->ledger; }
  /// The other ranks; nullptr when there are none.
  Peers *connected() { return transport->connected(); }
  /// Why ranks of this machine do not share memory; "" when they do.
  std::string transportNote() const;

  ErrorLatch error;
  Profile profile;

private:
  void check(const Entry &entry);
  std::unique_ptr<Team> makeTeam(int threads) const;
  void joinAll();
  /// Host thread, while no stream runs.
  void poison();
  /// Stream thread: executes one entry; latches what goes wrong.
  void execute(zrt_stream stream, const Entry &entry);
  Team &teamOf(zrt_stream stream) {
    return stream == ZRT_COMPUTE ? *team : alone;
  }
  void work(zrt_stream stream, const Entry &entry);
  void launch(zrt_stream stream, const zrt_launch_desc &desc);
  void update(zrt_stream stream, const zrt_update_desc &desc);
  void copy(zrt_stream stream, const Entry &entry);

  const zrt_plan plan;
  uint64_t runs = 0;
  std::array<Arena, ZRT_TIER_COUNT> arenas;
  EventTable events;
  /// Kernel arguments of the launch that a stream executes now.
  std::array<std::vector<void *>, ZRT_STREAM_COUNT> arguments;
  ChaosDelays chaos;
  std::unique_ptr<Transport> transport;
  BucketWork buckets;
  std::unique_ptr<Trace> trace; ///< nullptr unless ZRT_TRACE is set
  std::unique_ptr<Team> team;   ///< of `compute`
  Team alone{1};                ///< of every other stream
  /// Last, so that the threads end before what they use goes away.
  std::array<std::unique_ptr<StreamQueue>, ZRT_STREAM_COUNT> queues;
};

} // namespace zrt

/// The opaque handle of the C ABI.
struct zrt_context final : zrt::Context {
  using zrt::Context::Context;
};

#endif // ZRT_CPU_CONTEXT_H
