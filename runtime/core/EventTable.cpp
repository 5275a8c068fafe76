//===- EventTable.cpp - Events between the streams of a run ---------------===//
#include "runtime/core/EventTable.h"

#include <algorithm>

using namespace zrt;

void EventTable::reach(uint32_t event, uint64_t run, const VectorClock *clock) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    reached[event] = run;
    if (clock)
      clocks[event] = *clock;
  }
  changed.notify_all();
}

void EventTable::wait(uint32_t event, uint64_t run, VectorClock *clock) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return reached[event] == run; });
  if (clock)
    for (size_t i = 0; i < clock->size(); ++i)
      (*clock)[i] = std::max((*clock)[i], clocks[event][i]);
}
