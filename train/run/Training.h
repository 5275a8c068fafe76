//===- Training.h - The training loop ---------------------------*- C++ -*-===//
//
// A run rejects all invalid inputs before the first step: the command line, the
// plan, the data, initial weights, files that cannot be written, and ranks with
// different inputs.  Work that can fail on one rank alone is a phase that all
// ranks vote on (runtime/world/Agree.h).  A metrics file is truncated last,
// when nothing else can fail.
//
// A run diverges when its loss, its norm or a weight is not finite.  It ends
// with that step, and does not save its weights.
//
// Every rank runs the loop; rank 0 alone prints and writes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/system/Clock.h"
#include "train/report/Logs.h"
#include "train/report/Utilization.h"
#include "train/run/BestEvaluation.h"
#include "train/run/Checkpoints.h"
#include "train/run/Digests.h"
#include "train/run/Driving.h"
#include "train/run/Evaluation.h"
#include "train/run/MatmulAlgorithms.h"
#include "train/run/Run.h"
#include "train/run/Sampling.h"
#include "train/run/TrainingReport.h"

#include <memory>
#include <string>
#include <vector>

namespace zrt {

class Training {
public:
  /// `who`: this rank, for messages.
  Training(const zrt_plan &plan, const TrainOptions &options, World &world,
           const std::string &who)
      : run(plan, options, world, who), matmuls(run), checkpoints(run),
        logs(run.options) {}

  /// Returns the exit status.
  int train();

private:
  void openFiles();
  /// Loads weights, or the checkpoint of --resume, into the plan's memory.
  void loadState();
  void openOutputs();

  void loop(TrainingReport &report);
  /// Agrees on whether the run goes on.
  void vote();
  /// Makes steps until the run is over.
  void makeSteps(const std::vector<StepHook *> &hooks);
  /// The same, as requests say.
  void drive(const std::vector<StepHook *> &hooks);
  /// The rate of the next step by the schedule.
  float scheduledRate() const;
  void makeStep(StepMetrics &step, float lr,
                const std::vector<StepHook *> &hooks);
  /// Throws on all ranks if two that share sequences have read others.
  void checkBatches() const;

  void saveWeights();
  int status() const;

  Run run;
  std::unique_ptr<Evaluation> evaluation;   ///< with --eval-data
  std::unique_ptr<BestEvaluation> best;     ///< with --keep-best, --patience
  std::unique_ptr<const Sampling> sampling; ///< with --sample
  MatmulAlgorithms matmuls;
  Checkpoints checkpoints;
  Logs logs;
  std::unique_ptr<Digests> digests;
  std::unique_ptr<Utilization> utilization; ///< with --utilization
  bool savedWider = false;                  ///< in a wider type than requested
  const Clock::time_point begun = Clock::now();
};

} // namespace zrt
