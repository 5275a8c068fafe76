//===- Progress.h - What one sees while training ----------------*- C++ -*-===//
#pragma once

#include "runtime/main/Metrics.h"
#include "runtime/main/Options.h"

#include <chrono>

namespace zrt {

/// "evaluation after step 99: loss 2.345678, ..."
std::string evaluationText(const StepMetrics &metrics);

/// A bar: one line, no wider than the terminal, that is drawn again and again.
/// Or lines for the first step, about every 5 %, and the last: the default
/// wherever nobody looks on.
class Progress {
public:
  /// `first` of the steps are done already.
  Progress(int64_t first, int64_t steps, ProgressKind kind);
  /// Finishes, so that an error message gets a line of its own.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// A step has finished.
  void show(const StepMetrics &metrics);
  /// No more steps: leaves the line as it is.
  void finish();

private:
  int64_t first, steps;
  ProgressKind kind; ///< not Auto
  int terminal;      ///< a descriptor; -1: none
  int64_t every;     ///< plain lines: one in so many steps
  size_t drawn = 0;  ///< width of the line on the terminal
  std::chrono::steady_clock::time_point start, last;
};

} // namespace zrt
