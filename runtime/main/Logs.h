//===- Logs.h - What a run writes about itself ------------------*- C++ -*-===//
#pragma once

#include "runtime/io/EventFile.h"
#include "runtime/main/Metrics.h"
#include "runtime/main/Options.h"

namespace zrt {

/// --metrics and --tensorboard, of rank 0.  A disk that is full ends a log, with
/// a warning, and not the training.
class Logs {
public:
  explicit Logs(const TrainOptions &options) : options(options) {}

  /// Of a run that begins with step `first`.  Throws zrt::Error.
  void open(int64_t first);
  void write(const StepMetrics &metrics);
  /// A line of --metrics alone, begun by "step".
  void writeLine(const std::string &line, int64_t step);
  void close();
  /// Whether one has ended early.
  bool isLost() const { return lost; }

private:
  template <typename Log, typename Action>
  void attempt(Log &log, const char *what, Action action);

  const TrainOptions &options;
  MetricsFile lines;
  EventFile events;
  bool lost = false;
};

} // namespace zrt
