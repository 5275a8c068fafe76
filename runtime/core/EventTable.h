//===- EventTable.h - Points of one stream that others wait for -*- C++ -*-===//
//
// An event belongs to one run of a program: a wait holds until *this* run's
// record has been reached.  So an event is the number of the last run that
// reached it, and nothing has to be cleared between runs.
//
// The host issues records and waits in program order, and every wait refers to
// a record issued before it: streams can only wait for earlier work, and no
// plan can deadlock.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CORE_EVENT_TABLE_H
#define ZRT_CORE_EVENT_TABLE_H

#include "runtime/zrt.h"

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace zrt {

/// Of each stream, how many operations of a run are known to be over.
using VectorClock = std::array<uint32_t, ZRT_STREAM_COUNT>;

class EventTable {
public:
  explicit EventTable(uint32_t count)
      : issued(count, 0), reached(count, 0), clocks(count) {}

  /// Host thread: a record of `event` was issued in `run` (from 1).  Throws
  /// when the event does not exist or was recorded in this run already.
  void issueRecord(uint32_t event, uint64_t run);
  /// Host thread: throws unless `event` was recorded earlier in `run`.
  void checkWait(uint32_t event, uint64_t run) const;

  /// Stream thread: `event` of `run` has been reached; `clock`, unless null, is
  /// what is over then.
  void reach(uint32_t event, uint64_t run, const VectorClock *clock = nullptr);
  /// Stream thread: sleeps until `event` of `run` has been reached; its clock
  /// is merged into `clock` unless that is null.
  void wait(uint32_t event, uint64_t run, VectorClock *clock = nullptr);

private:
  void checkNumber(uint32_t event) const;

  std::vector<uint64_t> issued; ///< host thread only
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<uint64_t> reached;
  std::vector<VectorClock> clocks;
};

} // namespace zrt

#endif // ZRT_CORE_EVENT_TABLE_H
