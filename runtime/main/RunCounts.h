//===- RunCounts.h - How far a run is ---------------------------*- C++ -*-===//
#pragma once

#include "runtime/checkpoint/Manifest.h"
#include "runtime/main/LossScale.h"
#include "runtime/main/Metrics.h"
#include "runtime/main/SpikeGuard.h"
#include "runtime/main/StepRunner.h"

#include <cstdint>
#include <optional>
#include <string>

namespace zrt {

/// What a run counts from step to step, and across runs.
class RunCounts {
public:
  /// With --loss-scale, if it is a number.
  RunCounts(std::optional<double> fixedScale, const SpikeGuard::Options &guard)
      : lossScale(fixedScale ? LossScale(*fixedScale) : LossScale()),
        hasFixedScale(fixedScale.has_value()), guard(guard) {}

  int64_t first() const { return begun; } ///< step of this run
  int64_t done() const { return steps; }  ///< steps, of runs before it, too
  int64_t here() const { return steps - begun; }
  int64_t skipped() const { return skips; }
  /// Of the next step; those that are skipped do not count.
  int64_t update() const { return steps - skips; }
  double scale() const { return lossScale.value(); }
  /// What the next step must stay below.
  const SpikeGuard::Limits &limits() const { return guard.limits(); }
  /// Steps that the guard has skipped; they are among skipped().
  int64_t spikes() const { return guard.spikes(); }

  /// Goes on where another run was.
  void goOnFrom(const RunPosition &was);
  /// Of this run, which began at `start`, for a checkpoint.
  RunPosition position(const RunPosition &start, uint64_t samplesPerStep,
                       const StepRunner &runner) const;

  /// Counts a step and says of it how many were skipped.  Why the run has
  /// diverged, or "".  A step that was skipped has changed nothing; the next may
  /// fare better, and with a smaller scale will.
  std::string add(StepMetrics &metrics, bool scalesLoss);

private:
  /// `mayHelp`: a smaller loss scale, which the next step has.
  std::string judge(StepMetrics &metrics, bool mayHelp);
  std::string judgeSkipped(StepMetrics &metrics, bool mayHelp);

  LossScale lossScale;
  const bool hasFixedScale;
  int64_t begun = 0, steps = 0;
  int64_t skips = 0, skippedInRow = 0; ///< of `steps`
  SpikeGuard guard;
};

} // namespace zrt
