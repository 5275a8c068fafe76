//===- StepHook.h - The events of a training run ----------------*- C++ -*-===//
//
// A training run is a loop of steps, and all else that happens in it is in
// hooks, which train/run/Training.cpp lists:
//
//   vote  betweenSteps  step  afterStep  vote  betweenSteps  step  afterStep
//   ...                                  vote  betweenSteps  atEnd
//
// and step is, for each micro-batch:  beforeMicroStep  program
//
// An event calls all hooks in the order of that list, on every rank.  Between a
// vote and the next step all ranks have done the same, and agree on whether the
// run goes on; so a hook may communicate.  Its work that can fail on one rank
// alone is a phase (runtime/world/Agree.h).
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/report/Metrics.h"

#include <cstdint>
#include <string_view>

namespace zrt {

/// How far a step is.
struct MicroStep {
  int64_t step;        ///< counted from 0
  int64_t done, all;   ///< its micro-batches, or 0 of 1 if they are one program
  double unitsPerStep; ///< tokens, or samples, of all ranks
  std::string_view unit;
};

class StepHook {
public:
  virtual ~StepHook() = default;

  /// Before each step, of which `next` will tell, and after the last one.
  virtual void betweenSteps([[maybe_unused]] StepMetrics &next) {}
  /// Before each micro-batch of a step, which takes most of its time: no
  /// communication here.
  virtual void beforeMicroStep([[maybe_unused]] const MicroStep &next) {}
  /// After a step, which is counted.  Hooks add to `step`; later ones show it.
  virtual void afterStep([[maybe_unused]] StepMetrics &step) {}
  /// After all steps, before a pending update is made and weights are saved.
  virtual void atEnd() {}
};

} // namespace zrt
