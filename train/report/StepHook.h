//===- StepHook.h - The events of a training run ----------------*- C++ -*-===//
//
// A training run is a loop of steps, and all else that happens in it is in
// hooks, which train/run/Training.cpp lists:
//
//   vote  betweenSteps  step  afterStep  vote  betweenSteps  step  afterStep
//   ...                                  vote  betweenSteps  atEnd
//
// An event calls all hooks in the order of that list, on every rank.  Between a
// vote and the next step all ranks have done the same, and agree on whether the
// run goes on; so a hook may communicate.  Its work that can fail on one rank
// alone is a phase (runtime/world/Agree.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/report/Metrics.h"

namespace zrt {

class StepHook {
public:
  virtual ~StepHook() = default;

  /// Before each step, of which `next` will tell, and after the last one.
  virtual void betweenSteps([[maybe_unused]] StepMetrics &next) {}
  /// After a step, which is counted.  Hooks add to `step`; later ones show it.
  virtual void afterStep([[maybe_unused]] StepMetrics &step) {}
  /// After all steps, before a pending update is made and weights are saved.
  virtual void atEnd() {}
};

} // namespace zrt
