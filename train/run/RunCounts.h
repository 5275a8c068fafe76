//===- RunCounts.h - Counts the steps of a run ------------------*- C++ -*-===//
#pragma once

#include "train/report/Metrics.h"
#include "train/run/StepRunner.h"
#include "train/schedule/LossScale.h"
#include "train/schedule/SpikeGuard.h"
#include "train/state/checkpoint/Manifest.h"

#include <cstdint>
#include <optional>
#include <string>

namespace zrt {

/// The counts of a run, which continue when a run is resumed.
class RunCounts {
public:
  RunCounts(const LossScale &scale, const SpikeGuard::Options &guard)
      : lossScale(scale), guard(guard) {}

  int64_t first() const { return begun; } ///< the first step of this run
  int64_t done() const { return steps; }  ///< steps, including earlier runs
  int64_t here() const { return steps - begun; }
  int64_t skipped() const { return skips; }
  /// The number of the next update; skipped steps do not count.
  int64_t update() const { return steps - skips; }
  double scale() const { return lossScale.value(); }
  /// The limits for the next step.
  const SpikeGuard::Limits &limits() const { return guard.limits(); }
  /// Steps that the guard has skipped; skipped() includes them.
  int64_t spikes() const { return guard.spikes(); }

  /// Samples of steps that updated, in a run that began at `start`.
  int64_t updatedSamples(const RunPosition &start,
                         uint64_t samplesPerStep) const;

  /// Continues from the position of another run.
  void resumeFrom(const RunPosition &was);
  /// The position of this run, which began at `start`, for a checkpoint.
  RunPosition position(const RunPosition &start, uint64_t samplesPerStep,
                       const StepRunner &runner) const;

  /// Counts a step and sets the skipped steps in `metrics`.  Returns the reason
  /// if the run has diverged, else "".  A skipped step changes nothing, and the
  /// next may succeed, above all with a smaller loss scale.
  std::string add(StepMetrics &metrics, bool scalesLoss);

private:
  /// `canShrink`: whether the loss scale can still be reduced.
  std::string judge(StepMetrics &metrics, bool canShrink);
  std::string judgeSkipped(StepMetrics &metrics, bool canShrink);

  LossScale lossScale;
  int64_t begun = 0, steps = 0;
  int64_t skips = 0, skippedInRow = 0; ///< among `steps`
  int64_t skipsBefore = 0;             ///< among the steps of earlier runs
  SpikeGuard guard;
};

} // namespace zrt
