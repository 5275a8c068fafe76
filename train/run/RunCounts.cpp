//===- RunCounts.cpp - Counts the steps of a run --------------------------===//
#include "train/run/RunCounts.h"

#include <cmath>
#include <fmt/format.h>

using namespace zrt;

/// A run has diverged after this many skipped steps in a row.
constexpr int64_t kMostSkipped = 10;

void RunCounts::resumeFrom(const RunPosition &was) {
  begun = steps = was.step;
  skips = skipsBefore = was.skipped;
  skippedInRow = was.skippedInRow;
  if (was.lossScale)
    lossScale.resumeFrom(*was.lossScale);
  if (was.guard)
    guard.resumeFrom(*was.guard);
}

int64_t RunCounts::updatedSamples(const RunPosition &start,
                                  uint64_t samplesPerStep) const {
  return int64_t(start.sequences - start.skippedSequences) +
         (here() - (skips - skipsBefore)) * int64_t(samplesPerStep);
}

RunPosition RunCounts::position(const RunPosition &start,
                                uint64_t samplesPerStep,
                                const StepRunner &runner) const {
  RunPosition now = start;
  now.step = steps;
  now.skipped = skips;
  now.skippedInRow = skippedInRow;
  now.sequences += uint64_t(here()) * samplesPerStep;
  now.skippedSequences += uint64_t(skips - skipsBefore) * samplesPerStep;
  if (const auto &left = runner.pendingUpdate())
    now.pending = {
        left->step,         left->scalars.update,    left->scalars.lr,
        left->scalars.clip, left->scalars.lossScale, left->scalars.rounding};
  if (runner.scalesLoss())
    now.lossScale = lossScale.state();
  if (guard.isOn())
    now.guard = guard.state();
  return now;
}

std::string RunCounts::add(StepMetrics &metrics, bool scalesLoss) {
  std::string why = judge(metrics, scalesLoss && lossScale.canShrink());
  if (scalesLoss)
    lossScale.update(std::isfinite(metrics.gradNorm.value_or(0)));
  ++steps;
  return why;
}

std::string RunCounts::judge(StepMetrics &metrics, bool canShrink) {
  const double norm = metrics.gradNorm.value_or(0);
  const bool isFinite = std::isfinite(norm);
  if (!std::isfinite(metrics.loss) && (isFinite || !metrics.wasSkipped))
    return fmt::format("step {}: the loss is {}", steps, metrics.loss);
  if (metrics.wasSkipped)
    return judgeSkipped(metrics, canShrink);
  skippedInRow = 0;
  if (!isFinite)
    return fmt::format("step {}: the norm of the gradients is {}", steps, norm);
  guard.add(metrics.loss, norm);
  return "";
}

std::string RunCounts::judgeSkipped(StepMetrics &metrics, bool canShrink) {
  const double norm = metrics.gradNorm.value_or(0);
  metrics.skipped = ++skips;
  ++skippedInRow;
  if (std::isfinite(norm)) {
    guard.countSpike();
    metrics.spikes = guard.spikes();
    metrics.spike = fmt::format(
        "step {} is skipped: loss {:.6g} and gradient norm {:.6g}, where "
        "--spike-guard allows {:.6g} and {:.6g}",
        steps, metrics.loss, norm, limits().loss, limits().norm);
    return skippedInRow < kMostSkipped
               ? ""
               : metrics.spike +
                     fmt::format(", the {}th in a row", skippedInRow);
  }
  if (canShrink || skippedInRow < kMostSkipped)
    return "";
  return fmt::format("step {}: the norm of the gradients is {}, and {} steps "
                     "in a row are skipped",
                     steps, std::fabs(norm), skippedInRow);
}
