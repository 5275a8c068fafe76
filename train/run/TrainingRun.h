//===- TrainingRun.h - A run of a training binary ---------------*- C++ -*-===//
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

#include "runtime/world/Agree.h"
#include "train/data/Feed.h"
#include "train/options/Options.h"
#include "train/report/Logs.h"
#include "train/report/Metrics.h"
#include "train/report/StepTimes.h"
#include "train/report/Utilization.h"
#include "train/run/Checkpoints.h"
#include "train/run/Digests.h"
#include "train/run/Evaluation.h"
#include "train/run/PlanContext.h"
#include "train/run/Resume.h"
#include "train/run/RunCounts.h"
#include "train/run/Sampling.h"
#include "train/run/StepRunner.h"
#include "train/run/StopSignal.h"
#include "train/run/Weights.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace zrt {

/// Exit statuses other than 0 and those of signals.
enum Status : int {
  kFailed = 1,
  kMisused = 2,
  kDiverged = 3,
  kIncomplete = 4,
  kDifferent = 5, ///< from --against
  kTryAgain = 75  ///< EX_TEMPFAIL of sysexits.h
};

/// Prints an error; nothing if `message` is empty, as another rank prints it.
void printError(const std::string &who, const std::string &message);

class Training {
public:
  /// `who`: this rank, for messages.
  Training(const zrt_plan &plan, const TrainOptions &given, World &world,
           const std::string &who)
      : plan(plan), options(given), world(world), isFirst(world.rank() == 0),
        quiet(options.quiet || !isFirst), who(who), context(world),
        checkpoints(options, world), logs(options),
        counts(options.lossScale, options.guard) {}

  /// Returns the exit status.
  int run();

private:
  using Clock = std::chrono::steady_clock;

  void openFiles();

  std::string report(uint32_t what) { return zrt_report(context.get(), what); }

  /// Loads the state of the checkpoint of --resume, if there is one.
  void goOn();

  /// Converts --epochs to steps, before anything depends on their number.
  void countEpochs();

  /// Whether the run stops so that more ranks can go on with it.
  bool isGrowing() const { return options.elastic && stoppedBy == kGrowSignal; }

  /// Saves a checkpoint unless the last update has made weights nonfinite.
  void saveAtExit();

  /// Saves a checkpoint between two steps.
  void save();

  void loop();

  /// Returns true at the end, and after each `every` steps if that is not 0.
  bool isDue(int64_t every) const;

  void evaluate();

  void showSamples();

  /// Makes the pending update now, and the next step becomes a first one.  The
  /// bits are the same, except with --delayed-update, where this does nothing.
  void makeLeftUpdate();

  /// Returns true if another step could end after --time-limit.
  bool isOutOfTime() const;

  /// Returns true if the output is a pipe whose reader has closed it.
  bool isUnread() const;

  /// Records a divergence.  All ranks do so at the same step; rank 0 prints it.
  void diverge(const std::string &what);

  /// Records a divergence if a weight is not finite: no loss shows that after
  /// the last update.
  void checkWeights();

  int status() const;

  StepMetrics runStep(int64_t step);

  void printReport();

  /// Prints the profile of rank 0.
  void printProfile();

  void printStart();
  /// A line with the origin of the weights.
  std::string weightsText() const;
  /// A line with the number of epochs that --steps makes; "" if at most one.
  std::string repetitionText() const;

  void printEnd();

  /// Tokens, or samples, per step of all ranks.
  double perStep() const;

  /// Samples per step of all ranks and micro-steps.
  uint64_t samplesPerStep() const;

  /// The mean over the steps after the first, if there are any.
  double secondsOfStep() const;

  uint64_t arenaBytes() const;

  const zrt_plan &plan;
  TrainOptions options; ///< as given, with the steps of --epochs
  World &world;
  const bool isFirst; ///< rank 0, which prints and writes
  const bool quiet;
  const std::string who;
  std::unique_ptr<const Feed> feed;
  std::unique_ptr<StepRunner> runner;
  std::unique_ptr<const Evaluation> evaluation; ///< with --eval-data
  std::unique_ptr<const Sampling> sampling;     ///< with --sample
  PlanContext context;
  std::unique_ptr<Digests> digests;
  std::unique_ptr<const Weights> weights;
  std::unique_ptr<CheckpointFolder> folder; ///< on rank 0, with --checkpoint
  std::optional<Resumed> resumed;
  std::string epochsText; ///< a line with the number of steps of --epochs
  RunPosition position;   ///< before the first step of this run
  Checkpoints checkpoints;
  Logs logs;
  StepMetrics metrics; ///< of the last step
  RunCounts counts;
  int stoppedBy = 0;                     ///< a signal or a reason of
                                         ///< StopSignal.h; 0: none
  bool savedWider = false;               ///< in a wider type than requested
  std::optional<AgreedError> divergence; ///< on all ranks or none
  Utilization utilization;               ///< with --utilization
  StepTimes laterSteps;                  ///< all but the first
  const Clock::time_point begun = Clock::now();
};

} // namespace zrt
