//===- Watch.cpp - Calls a function periodically --------------------------===//
#include "runtime/device/cuda/collectives/Watch.h"

#include "runtime/system/StartThread.h"
#include "runtime/world/World.h"

using namespace zrt;
using namespace zrt::cuda;

Watch::Watch(std::function<void()> theLook) : look(std::move(theLook)) {
  thread = startThread("the thread that looks after GPUs", [this] { work(); });
}

Watch::~Watch() {
  tell(State::Stopped);
  thread.join();
}

void Watch::tell(State next) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    state = next;
  }
  changed.notify_all();
}

void Watch::end() {
  std::unique_lock<std::mutex> lock(mutex);
  state = State::Idle;
  changed.notify_all();
  changed.wait(lock, [&] { return !isLooking; });
}

void Watch::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return state != State::Idle; });
    if (state == State::Stopped)
      return;
    changed.wait_for(lock, kLookEvery, [&] { return state != State::Polling; });
    if (state != State::Polling)
      continue;
    isLooking = true;
    lock.unlock();
    look();
    lock.lock();
    isLooking = false;
    changed.notify_all();
  }
}
