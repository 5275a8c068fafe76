//===- Heartbeat.cpp - Counts up while this process runs ------------------===//
#include "runtime/transport/Heartbeat.h"

#include "runtime/StartThread.h"

#include <chrono>
#include <pthread.h>

using namespace zrt;

Heartbeat::Heartbeat(std::atomic<uint32_t> &beats)
    : thread(startThread("the heartbeat of this rank", [this, &beats] {
        pthread_setname_np(pthread_self(), "zrt-heartbeat");
        std::unique_lock<std::mutex> lock(mutex);
        while (!changed.wait_for(lock, std::chrono::milliseconds(100),
                                 [&] { return stopping; }))
          beats.fetch_add(1, std::memory_order_relaxed);
      })) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  thread.join();
}
