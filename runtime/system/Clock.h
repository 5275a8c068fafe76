//===- Clock.h - Measures times ---------------------------------*- C++ -*-===//
#pragma once

#include <chrono>

namespace zrt {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Adds its lifetime in seconds to a total.
class Stopwatch {
public:
  explicit Stopwatch(double &total) : total(total) {}
  ~Stopwatch() { total += secondsSince(start); }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

private:
  double &total;
  const Clock::time_point start = Clock::now();
};

} // namespace zrt
