//===- Evaluation.h - Computes the loss on other data -----------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/data/Feed.h"
#include "train/report/StepHook.h"
#include "train/run/Measures.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

struct Run;

/// Runs a plan's program eval on --eval-data, between steps.  It changes inputs
/// and outputs only.
///
/// Batch j of rank r consists of the B samples from (j x N + r) x B on, in file
/// order, with N ranks.  The last samples are left out if they do not fill a
/// batch on every rank.
class Evaluation : public StepHook {
public:
  /// Opens the files.  Throws zrt::Error as Feed does, or if there is less than
  /// one batch.
  explicit Evaluation(Run &run);

  /// The mean loss over all targets that count, or over batches if the plan has
  /// no count of targets.  Equal on all ranks.  Throws zrt::Error.
  double loss() const;
  /// What else the objective of the model is measured by.  Equal on all ranks.
  /// Throws zrt::Error.
  std::vector<std::pair<std::string, double>> measure() const;
  /// A line for each file, and one with the share that is read.
  std::string text() const;

  /// Before the first step of a run that is not resumed, and of one that has
  /// no steps.
  void betweenSteps(StepMetrics &next) override;
  /// When --eval-every says so, and after the last step.
  void afterStep(StepMetrics &step) override;

private:
  EvalMetrics evaluate() const;
  Run &run;
  const zrt_plan &plan;
  const Feed feed;
  const Measures measures;
  uint64_t runs;
};

/// The samples of one run of eval, on all ranks.
uint64_t samplesAtOnce(const zrt_plan &plan, const BatchSource &source);
/// The mean loss, as of Evaluation, of so many runs of eval.
double meanLoss(const Run &run, const BatchSource &source, uint64_t runs);

/// Throws UsageError if `plan` has no evaluation, or if the given files do not
/// fit.  Opens no file.
void checkEvaluation(const zrt_plan &plan, const TrainOptions &options);

} // namespace zrt
