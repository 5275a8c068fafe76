//===- Logs.h - Writes --metrics and --tensorboard --------------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"
#include "train/report/DigestFile.h"
#include "train/report/StepHook.h"
#include "train/state/io/EventFile.h"

namespace zrt {

/// The logs of rank 0.  A full disk ends a log with a warning, but does not end
/// the training.
class Logs : public StepHook {
public:
  explicit Logs(const TrainOptions &options) : options(options) {}

  /// Opens the logs of a run that begins with step `first`; `header` is that
  /// of --digest.  Throws zrt::Error.
  void open(int64_t first, const nlohmann::json &header);
  void afterStep(StepMetrics &step) override;
  /// Writes a line that begins with "step" to --metrics only.
  void writeLine(const std::string &line, int64_t step);
  /// Writes the checksums of a step to --digest.
  void writeDigest(int64_t step, const std::vector<Checksums> &sums);
  /// Closes them.
  void atEnd() override;
  /// Returns true if a log has ended early.
  bool isLost() const { return lost; }

private:
  template <typename Log, typename Action>
  void attempt(Log &log, const char *what, Action action);

  const TrainOptions &options;
  MetricsFile lines;
  EventFile events;
  DigestWriter digests;
  bool lost = false;
};

} // namespace zrt
