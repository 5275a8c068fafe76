//===- TrainingReport.h - The lines before and after the steps --*- C++ -*-===//
#pragma once

#include "train/report/StepHook.h"
#include "train/report/StepTimes.h"
#include "train/report/Utilization.h"
#include "train/run/BestEvaluation.h"
#include "train/run/Checkpoints.h"
#include "train/run/Digests.h"
#include "train/run/Evaluation.h"
#include "train/run/Run.h"

#include <string>

namespace zrt {

/// Prints how a run begins and ends, and which steps --spike-guard skips.
class TrainingReport : public StepHook {
public:
  /// `evaluation`, `best` and `utilization` are null without their options.
  TrainingReport(const Run &run, const Checkpoints &checkpoints,
                 const Digests &digests, const Evaluation *evaluation,
                 const BestEvaluation *best, const Utilization *utilization)
      : run(run), checkpoints(checkpoints), digests(digests),
        evaluation(evaluation), best(best), utilization(utilization) {}

  /// `matmuls` is MatmulAlgorithms::text().
  void printStart(const std::string &matmuls) const;
  void afterStep(StepMetrics &step) override;
  void printEnd() const;

private:
  /// The origin of the state, and what a resumed run does otherwise.
  std::string stateText() const;
  /// A line with the number of epochs that --steps makes; "" if at most one.
  std::string repetitionText() const;
  void printSummary() const;

  const Run &run;
  const Checkpoints &checkpoints;
  const Digests &digests;
  const Evaluation *const evaluation;
  const BestEvaluation *const best;
  const Utilization *const utilization;
  StepTimes laterSteps; ///< all but the first
};

} // namespace zrt
