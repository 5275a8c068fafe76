//===- EventTable.h - Events between the streams of a run -------*- C++ -*-===//
//
// An event belongs to one run of a program: a wait holds until *this* run has
// reached the record.  So the table stores, per event, the number of the last
// run that reached it, and nothing has to be cleared between runs.
//
// Every wait stands after its record in the program (TableChecks.cpp).  So
// streams wait only for earlier work, and no plan can deadlock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace zrt {

/// For each stream, the number of operations of a run that are known to be
/// complete.
using VectorClock = std::vector<uint32_t>;

class EventTable {
public:
  explicit EventTable(uint32_t count) : reached(count, 0), clocks(count) {}

  /// Stream thread: marks `event` of `run` (from 1) as reached.  `clock`,
  /// unless null, has the operations that are complete then.
  void reach(uint32_t event, uint64_t run, const VectorClock *clock = nullptr);
  /// Stream thread: sleeps until `event` of `run` has been reached, and merges
  /// its clock into `clock` unless that is null.
  void wait(uint32_t event, uint64_t run, VectorClock *clock = nullptr);

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<uint64_t> reached;
  std::vector<VectorClock> clocks;
};

} // namespace zrt
