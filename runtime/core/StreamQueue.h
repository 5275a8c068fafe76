//===- StreamQueue.h - The queue and the thread of a stream -----*- C++ -*-===//
//
// The stream's thread executes its part of a program in order, while the host
// waits.  Both sleep while they wait: a spinning thread would take a core from
// `compute`.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace zrt {

class StreamQueue {
public:
  using Executor = std::function<void(uint32_t operation)>;

  /// Starts the thread of the stream `name`; `execute` runs on it and must not
  /// throw.  Throws zrt::Error if the system cannot create a thread.
  StreamQueue(const std::string &name, Executor execute);
  /// Executes the queued operations, then ends the thread.
  ~StreamQueue();
  StreamQueue(const StreamQueue &) = delete;
  StreamQueue &operator=(const StreamQueue &) = delete;

  /// Queues `operations`, which must outlive their execution.  The previous
  /// ones must have been joined.
  void start(const std::vector<uint32_t> &operations);
  /// Sleeps until all queued operations have been executed.
  void join();

private:
  void work();

  const Executor execute;
  std::mutex mutex;
  std::condition_variable changed;
  const std::vector<uint32_t> *queued = nullptr; ///< nullptr: all is done
  bool stopping = false;
  std::thread thread;
};

} // namespace zrt
