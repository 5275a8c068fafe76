//===- RunCounts.cpp - How far a run is -----------------------------------===//
#include "runtime/main/RunCounts.h"

#include <cmath>
#include <fmt/format.h>

using namespace zrt;

/// Steps in a row without finite gradients after which a run has diverged.
constexpr int64_t kMostSkipped = 10;

void RunCounts::goOnFrom(const RunPosition &was) {
  begun = steps = was.step;
  skips = was.skipped;
  skippedInRow = was.skippedInRow;
  if (const auto &scale = was.lossScale;
      scale && scale->moves && !hasFixedScale)
    lossScale = LossScale(LossScale::State{
        scale->value, true, scale->hysteresis, scale->sinceOverflow});
}

RunPosition RunCounts::position(const RunPosition &start,
                                uint64_t samplesPerStep,
                                const StepRunner &runner) const {
  RunPosition now = start;
  now.step = steps;
  now.skipped = skips;
  now.skippedInRow = skippedInRow;
  now.sequences += uint64_t(here()) * samplesPerStep;
  if (const auto &left = runner.pendingUpdate())
    now.pending = {
        left->step,         left->scalars.update,    left->scalars.lr,
        left->scalars.clip, left->scalars.lossScale, left->scalars.rounding};
  if (runner.scalesLoss()) {
    const LossScale::State scale = lossScale.state();
    now.lossScale = {scale.value, scale.moves, scale.hysteresis,
                     scale.sinceOverflow};
  }
  return now;
}

std::string RunCounts::add(StepMetrics &metrics, bool maySkip,
                           bool scalesLoss) {
  const bool isFinite = std::isfinite(metrics.gradNorm.value_or(0));
  std::string why = judge(metrics, isFinite, maySkip);
  if (scalesLoss)
    lossScale.update(isFinite);
  ++steps;
  return why;
}

std::string RunCounts::judge(StepMetrics &metrics, bool isFinite,
                             bool maySkip) {
  const double norm = metrics.gradNorm.value_or(0);
  if (isFinite || !maySkip) {
    skippedInRow = 0;
    if (!std::isfinite(metrics.loss))
      return fmt::format("step {}: the loss is {}", steps, metrics.loss);
    return isFinite ? ""
                    : fmt::format("step {}: the norm of the gradients is {}",
                                  steps, norm);
  }
  metrics.skipped = ++skips;
  ++skippedInRow;
  return lossScale.canShrink() || skippedInRow != kMostSkipped
             ? ""
             : fmt::format("step {}: the norm of the gradients is {}, for the "
                           "{}th step in a row",
                           steps, norm, kMostSkipped);
}
