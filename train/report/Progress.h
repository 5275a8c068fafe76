//===- Progress.h - Shows the progress of training --------------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"
#include "train/report/StepHook.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace zrt {

/// "evaluation after step 99: loss 2.345678, ..."; `step` -1: before step 0.
std::string evaluationText(const EvalMetrics &metrics, int64_t step);

/// A line on a terminal, of work that may take long, which goes when the work
/// is done.  Without a terminal there is none, nor with None or Lines.
class PassingLine {
public:
  PassingLine(const std::string &text, ProgressKind kind);
  ~PassingLine();
  PassingLine(const PassingLine &) = delete;
  PassingLine &operator=(const PassingLine &) = delete;

private:
  bool isShown = false;
};

/// Either a bar: one line, at most as wide as the terminal, that is redrawn.
/// Or lines for the first step, about every 5 %, and the last; the default
/// unless the output is a terminal.  Steps of several micro-batches may take
/// minutes: the bar has the micro-batch, and a line comes after the first of
/// them that ends late, and then after a longer time without one.
class Progress : public StepHook {
public:
  using Clock = std::chrono::steady_clock;
  /// `first` of the `steps` are done already.
  Progress(int64_t first, int64_t steps, ProgressKind kind,
           std::function<Clock::time_point()> now = Clock::now);
  /// Finishes, so that an error message gets a line of its own.
  ~Progress() override;
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void beforeMicroStep(const MicroStep &next) override;
  void afterStep(StepMetrics &step) override;
  /// Ends the line of the bar, before another line and after the last step.
  void finish();

private:
  /// Draws the bar, at `done` of the steps, with as many of the fields behind
  /// it as the terminal has room for.
  void draw(int64_t done, const std::vector<std::string> &fields);
  /// "1:05": how long the other steps will take when `done` are.
  std::string left(double done) const;

  std::function<Clock::time_point()> now;
  int64_t first, steps;
  ProgressKind kind;              ///< not Auto
  int terminal;                   ///< a descriptor; -1: none
  int64_t every;                  ///< plain lines: one in so many steps
  size_t drawn = 0;               ///< width of the line on the terminal
  std::vector<std::string> known; ///< of the last step, for the next one's bar
  bool hasLine = false;
  Clock::time_point start, stepStart;
  Clock::time_point last; ///< when the bar was drawn, or a line printed
};

} // namespace zrt
