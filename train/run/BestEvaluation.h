//===- BestEvaluation.h - The best evaluation of a run ----------*- C++ -*-===//
#pragma once

#include "train/report/StepHook.h"
#include "train/run/Run.h"

#include <string>

namespace zrt {

/// Knows the best evaluation, which a resumed run continues.  With --keep-best
/// it saves the weights of each that is better, so that --save always has the
/// best; Checkpoints.h keeps their checkpoints.  With --patience it ends the
/// run.  All evaluations count, also that before the first step.
class BestEvaluation : public StepHook {
public:
  /// Throws zrt::Error if a run goes on without the weights that it has saved.
  explicit BestEvaluation(Run &run);

  void betweenSteps(StepMetrics &next) override;
  void afterStep(StepMetrics &step) override;

  /// Whether --save has the weights of the best evaluation.
  bool isSaved() const;
  /// In a wider type than requested, by this run.
  bool isSavedWider() const { return savedWider; }
  /// Whether the run ends for --patience, and "best evaluation after step 7:
  /// loss 1.234567".
  std::string endText() const;

private:
  void add(const EvalMetrics &metrics);
  /// Ends the run here, as after its last step, if --patience says so.
  void endIfPatient();

  Run &run;
  const EvalOptions &options;
  RunPosition::Best &best; ///< run.best, which checkpoints have
  bool savedWider = false, isOver = false;
};

} // namespace zrt
