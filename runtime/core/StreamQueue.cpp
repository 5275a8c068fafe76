//===- StreamQueue.cpp - The queue and the thread of a stream -------------===//
#include "runtime/core/StreamQueue.h"

#include "runtime/system/StartThread.h"

#include <fmt/format.h>
#include <pthread.h>

using namespace zrt;

StreamQueue::StreamQueue(const std::string &name, Executor theExecutor)
    : execute(std::move(theExecutor)) {
  thread = startThread(fmt::format("the thread of {}", name), [this, name] {
    // Linux limits the name to 15 characters.
    pthread_setname_np(pthread_self(), ("zrt-" + name).substr(0, 15).c_str());
    work();
  });
}

StreamQueue::~StreamQueue() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  thread.join();
}

void StreamQueue::start(const std::vector<uint32_t> &operations) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    queued = &operations;
  }
  changed.notify_all();
}

void StreamQueue::join() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return !queued; });
}

void StreamQueue::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return queued || stopping; });
    if (!queued)
      return;
    const std::vector<uint32_t> &operations = *queued;
    lock.unlock();
    for (const uint32_t operation : operations)
      execute(operation);
    lock.lock();
    queued = nullptr;
    changed.notify_all();
  }
}
