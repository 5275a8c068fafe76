//===- SearchProgress.h - Says which plan a search makes --------*- C++ -*-===//
#pragma once

#include <chrono>
#include <cstddef>

namespace mlir::zero {

/// Says on standard error which plan of a search is made: on a terminal in one
/// line, which clear() takes away; elsewhere in a line every ten seconds.
class SearchProgress {
public:
  /// The next plan begins.
  void next();
  /// Others may print now.
  void clear() const;

private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  Clock::time_point shown = begun;
  size_t plan = 0;
};

} // namespace mlir::zero
