//===- Metrics.h - One line of JSON per step --------------------*- C++ -*-===//
#pragma once

#include "runtime/io/LineFile.h"

#include <cstdint>
#include <optional>
#include <string>

namespace zrt {

/// What is known of a finished step.
struct StepMetrics {
  int64_t step = 0; ///< from 0
  double loss = 0;
  std::optional<double> gradNorm; ///< when the plan has it
  double lr = 0;
  double perSecond = 0;
  double milliseconds = 0;
  const char *unit = "tokens"; ///< or "samples": what is counted by the second
  std::optional<double> lossScale = std::nullopt; ///< when the plan has one
  int64_t skipped = 0;     ///< steps until now, this one included
  int64_t spikes = 0;      ///< of them, for --spike-guard
  std::string spike = "";  ///< of this step, when the guard has skipped it
  bool wasSkipped = false; ///< its update has changed nothing, or will not
  std::optional<double> mfu = std::nullopt,
                        hfu = std::nullopt; ///< Utilization.h
  /// Before this step the training stood still for a checkpoint; 0: not.
  double checkpointMilliseconds = 0;
  /// Of --eval-data, after the step's update, if that was evaluated.
  std::optional<double> evalLoss = std::nullopt;
  double evalMilliseconds = 0;
};

/// {"step":0,"loss":5.545,...} without a newline.  Nine digits tell all f32
/// apart.  JSON has no NaN: such a value is null, and "nonfinite" is true.
std::string metricsLine(const StepMetrics &metrics);

/// A line per step, each written at once; errors as in LineFile.  What is lost
/// of standard output is known to StandardStreams.h.
class MetricsFile {
public:
  /// Keeps the lines of steps before `step` that an earlier run has left, and
  /// nothing after them.  "-" is the standard output.
  void open(const std::string &path, int64_t step = 0);
  bool isOpen() const { return isPrinted || file.isOpen(); }
  void write(const StepMetrics &metrics);
  /// A line of something else that step `step` has led to.
  void write(const std::string &line, int64_t step);
  void close() {
    isPrinted = false;
    file.close();
  }
  /// Closes it, whatever that says.
  void abandon() { file.abandon(); }

private:
  LineFile file{"metrics"};
  bool isPrinted = false;
};

} // namespace zrt
