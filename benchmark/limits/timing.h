//===- timing.h - Median seconds of a repeated function ---------*- C++ -*-===//
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

inline double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Runs `work` once unmeasured, then at least three times and for at least
/// `budget` seconds.
template <typename Work>
double medianSeconds(double budget, const Work &work) {
  work();
  std::vector<double> seconds;
  const double start = now();
  do {
    const double before = now();
    work();
    seconds.push_back(now() - before);
  } while (seconds.size() < 3 || now() - start < budget);
  return median(std::move(seconds));
}
