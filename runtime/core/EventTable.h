//===- EventTable.h - Points of one stream that others wait for -*- C++ -*-===//
//
// An event belongs to one run of a program: a wait holds until *this* run's
// record has been reached.  So an event is the number of the last run that
// reached it, and nothing has to be cleared between runs.
//
// Every wait stands after its record in the table (TableChecks.h): streams only
// wait for earlier work, and no plan can deadlock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace zrt {

/// Of each stream, how many operations of a run are known to be over.
using VectorClock = std::vector<uint32_t>;

class EventTable {
public:
  explicit EventTable(uint32_t count) : reached(count, 0), clocks(count) {}

  /// Stream thread: `event` of `run` (from 1) has been reached; `clock`, unless null, is
  /// what is over then.
  void reach(uint32_t event, uint64_t run, const VectorClock *clock = nullptr);
  /// Stream thread: sleeps until `event` of `run` has been reached; its clock
  /// is merged into `clock` unless that is null.
  void wait(uint32_t event, uint64_t run, VectorClock *clock = nullptr);

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<uint64_t> reached;
  std::vector<VectorClock> clocks;
};

} // namespace zrt
