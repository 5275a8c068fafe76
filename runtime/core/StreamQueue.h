//===- StreamQueue.h - One stream: a queue with its own thread --*- C++ -*-===//
//
// The stream's thread executes its part of a program in order, while the host
// waits.  Waiting sleeps: a spinning thread would cost `compute` a core.
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
  /// throw.  Throws zrt::Error when there is no thread to be had.
  StreamQueue(const std::string &name, Executor execute);
  /// Executes what is queued, then ends the thread.
  ~StreamQueue();
  StreamQueue(const StreamQueue &) = delete;
  StreamQueue &operator=(const StreamQueue &) = delete;

  /// Queues `operations`, which outlive their execution; after `join` only.
  void start(const std::vector<uint32_t> &operations);
  /// Sleeps until all of them have been executed.
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
