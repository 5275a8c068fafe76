//===- StreamQueue.h - One stream: a queue with its own thread --*- C++ -*-===//
//
// The host pushes entries and runs ahead; the stream's thread executes them in
// order.  The thread starts with the first entry ever pushed, so streams that a
// plan does not use cost nothing.  Waiting sleeps: a spinning thread would cost
// `compute` a core.
//
// The entries of a step stay in the vector until `rewind`, so after the first
// step pushing allocates nothing.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CORE_STREAM_QUEUE_H
#define ZRT_CORE_STREAM_QUEUE_H

#include "runtime/core/Entry.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace zrt {

class StreamQueue {
public:
  using Executor = std::function<void(zrt_stream, const Entry &)>;

  /// `execute` runs on the stream's thread and must not throw.
  StreamQueue(zrt_stream stream, Executor execute)
      : stream(stream), execute(std::move(execute)) {}
  /// Executes what is queued, then ends the thread.
  ~StreamQueue();
  StreamQueue(const StreamQueue &) = delete;
  StreamQueue &operator=(const StreamQueue &) = delete;

  /// Throws zrt::Error when the thread cannot be started.
  void push(const Entry &entry);
  /// Sleeps until every entry has been executed.
  void join();
  /// Forgets the executed entries; after `join` only.
  void rewind();

private:
  void work();

  const zrt_stream stream;
  const Executor execute;
  std::mutex mutex;
  std::condition_variable pushed, drained;
  std::vector<Entry> entries;
  size_t done = 0;
  bool stopping = false;
  std::thread thread;
};

} // namespace zrt

#endif // ZRT_CORE_STREAM_QUEUE_H
