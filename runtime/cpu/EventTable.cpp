//===- EventTable.cpp - Points of one stream that others wait for ---------===//
#include "runtime/cpu/EventTable.h"

#include "runtime/Error.h"

using namespace zrt;

void EventTable::checkNumber(uint32_t event) const {
  if (event >= issued.size())
    fail("event {} does not exist: the plan has {} events", event,
         issued.size());
}

void EventTable::issueRecord(uint32_t event, uint64_t step) {
  checkNumber(event);
  if (issued[event] == step)
    fail("event {} is recorded twice in step {}", event, step);
  issued[event] = step;
}

void EventTable::checkWait(uint32_t event, uint64_t step) const {
  checkNumber(event);
  if (issued[event] != step)
    fail("event {} is waited for before it is recorded in step {}", event,
         step);
}

void EventTable::reach(uint32_t event, uint64_t step) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    reached[event] = step;
  }
  changed.notify_all();
}

void EventTable::wait(uint32_t event, uint64_t step) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return reached[event] == step; });
}
