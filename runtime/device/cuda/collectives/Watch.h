//===- Watch.h - Calls a function periodically ------------------*- C++ -*-===//
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace zrt::cuda {

/// A thread that calls `look` every kLookEvery between `begin` and `end`.
class Watch {
public:
  /// Throws zrt::Error if the system cannot create a thread.
  explicit Watch(std::function<void()> look);
  ~Watch();
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;

  void begin() { tell(State::Polling); }
  /// Returns when `look` is not running.
  void end();

private:
  enum class State { Idle, Polling, Stopped };
  void tell(State next);
  void work();

  const std::function<void()> look;
  std::mutex mutex;
  std::condition_variable changed;
  State state = State::Idle;
  bool isLooking = false;
  std::thread thread;
};

} // namespace zrt::cuda
