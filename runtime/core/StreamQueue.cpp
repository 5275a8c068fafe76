//===- StreamQueue.cpp - One stream: a queue with its own thread ----------===//
#include "runtime/core/StreamQueue.h"

#include "runtime/StartThread.h"
#include "runtime/Vocabulary.h"

#include <pthread.h>
#include <string>

using namespace zrt;

StreamQueue::~StreamQueue() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  pushed.notify_one();
  if (thread.joinable())
    thread.join();
}

void StreamQueue::push(const Entry &entry) {
  bool first = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!thread.joinable())
      thread = startThread(fmt::format("the thread of {}", streamName(stream)),
                           [this] { work(); });
    first = done == entries.size();
    entries.push_back(entry);
  }
  // The thread sleeps only when it has nothing left to execute.
  if (first)
    pushed.notify_one();
}

void StreamQueue::join() {
  std::unique_lock<std::mutex> lock(mutex);
  drained.wait(lock, [&] { return done == entries.size(); });
}

void StreamQueue::rewind() {
  std::lock_guard<std::mutex> lock(mutex);
  entries.clear();
  done = 0;
}

void StreamQueue::work() {
  // Linux cuts thread names at 15 characters; ours fit.
  const std::string name = std::string("zrt-") + streamName(stream);
  pthread_setname_np(pthread_self(), name.c_str());

  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    pushed.wait(lock, [&] { return done < entries.size() || stopping; });
    if (done == entries.size())
      return;
    const Entry entry = entries[done];
    lock.unlock();
    execute(stream, entry);
    lock.lock();
    if (++done == entries.size())
      drained.notify_all();
  }
}
