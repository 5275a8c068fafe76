//===- Metrics.h - One line of JSON per step --------------------*- C++ -*-===//
#pragma once

#include "runtime/files/LineFile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

/// The results of an evaluation.
struct EvalMetrics {
  double loss = 0;
  double milliseconds = 0;
  bool isOfText = true; ///< the loss is that of tokens, and has a perplexity
  /// What else is measured, by name (Measures.h).
  std::vector<std::pair<std::string, double>> measures;
};

/// The results of a finished step.
struct StepMetrics {
  int64_t step = 0; ///< from 0
  double loss = 0;
  std::optional<double> gradNorm; ///< if the plan has it
  double lr = 0;
  double perSecond = 0;
  double milliseconds = 0;
  const char *unit = "tokens"; ///< or "samples": the unit of perSecond
  std::optional<double> lossScale = std::nullopt; ///< if the plan has one
  int64_t skipped = 0;     ///< skipped steps until now, including this one
  int64_t spikes = 0;      ///< those of them that --spike-guard skipped
  std::string spike = "";  ///< the guard's message if it skipped this step
  bool wasSkipped = false; ///< its update changes nothing, now or later
  std::optional<double> mfu = std::nullopt,
                        hfu = std::nullopt; ///< Utilization.h
  /// The time that a checkpoint stopped the training before this step; or 0.
  double checkpointMilliseconds = 0;
  /// On --eval-data after the step's update, and before a run's first step.
  std::optional<EvalMetrics> evaluated = std::nullopt,
                             evaluatedBefore = std::nullopt;
};

/// A value of a step.
struct NamedValue {
  std::string key; ///< in --metrics
  std::string tag; ///< in --tensorboard; "": it is not there
  double value;
};

/// The values of a step that there are.
std::vector<NamedValue> valuesOf(const StepMetrics &metrics);

/// {"step":0,"loss":5.545,...} without a newline.  Nine digits identify an f32
/// uniquely.  JSON has no NaN: such a value is null, and "nonfinite" is true.
std::string metricsLine(const StepMetrics &metrics);

/// Writes a line per step, each immediately; errors as in LineFile.
/// StandardStreams.h tracks what standard output loses.
class MetricsFile {
public:
  /// Keeps the lines of an earlier run of steps before `step`, and removes
  /// those after them.  "-" is the standard output.
  void open(const std::string &path, int64_t step = 0, bool isForced = false);
  bool isOpen() const { return isPrinted || file.isOpen(); }
  void write(const StepMetrics &metrics);
  /// Writes another line that belongs to step `step`.
  void write(const std::string &line, int64_t step);
  void close() {
    isPrinted = false;
    file.close();
  }
  /// Closes the file and ignores errors.
  void abandon() { file.abandon(); }

private:
  LineFile file{"metrics", kMetricsFile};
  bool isPrinted = false;
};

} // namespace zrt
