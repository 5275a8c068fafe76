//===- Progress.h - Shows the progress of training --------------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"
#include "train/report/StepHook.h"

#include <chrono>

namespace zrt {

/// "evaluation after step 99: loss 2.345678, ..."
std::string evaluationText(const StepMetrics &metrics);

/// Either a bar: one line, at most as wide as the terminal, that is redrawn.
/// Or lines for the first step, about every 5 %, and the last; the default
/// unless the output is a terminal.
class Progress : public StepHook {
public:
  /// `first` of the `steps` are done already.
  Progress(int64_t first, int64_t steps, ProgressKind kind);
  /// Finishes, so that an error message gets a line of its own.
  ~Progress() override;
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void afterStep(StepMetrics &step) override;
  /// Ends the line of the bar, before another line and after the last step.
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
