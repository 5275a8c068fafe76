//===- ErrorLatch.h - The first error of a context --------------*- C++ -*-===//
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

namespace zrt {

/// Keeps the first error; any thread may set it.
class ErrorLatch {
public:
  bool set() const { return failed.load(std::memory_order_acquire); }
  void latch(std::string text) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (failed.load(std::memory_order_relaxed))
      return;
    first = std::move(text);
    failed.store(true, std::memory_order_release);
  }
  /// The first error, "" if there is none; the pointer stays valid.
  const char *message() const { return set() ? first.c_str() : ""; }

private:
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::string first;
};

} // namespace zrt
