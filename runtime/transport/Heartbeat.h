//===- Heartbeat.h - Counts up while this process runs ----------*- C++ -*-===//
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace zrt {

/// A thread that increments a number every 100 ms, whatever the other threads
/// compute.
class Heartbeat {
public:
  explicit Heartbeat(std::atomic<uint32_t> &beats);
  ~Heartbeat();
  Heartbeat(const Heartbeat &) = delete;
  Heartbeat &operator=(const Heartbeat &) = delete;

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool stopping = false;
  std::thread thread;
};

} // namespace zrt
