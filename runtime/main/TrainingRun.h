//===- TrainingRun.h - A run of a training binary ---------------*- C++ -*-===//
//
// Whatever can be refused is refused before the first step: the command line,
// the plan, the data, initial weights, files that cannot be written, and ranks
// that were given different things.  What can fail on one rank alone is a phase
// that all ranks vote on (runtime/world/Agree.h).  A metrics file is emptied
// last, when nothing else can fail any more.
//
// A run diverges when its loss, its norm or a weight is not finite.  It ends
// with that step, and its weights replace nothing.
//
// Every rank runs the loop; rank 0 alone prints and writes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/main/Checkpoints.h"
#include "runtime/main/Evaluation.h"
#include "runtime/main/Feed.h"
#include "runtime/main/Logs.h"
#include "runtime/main/Metrics.h"
#include "runtime/main/Options.h"
#include "runtime/main/PlanContext.h"
#include "runtime/main/Resume.h"
#include "runtime/main/RunCounts.h"
#include "runtime/main/Sampling.h"
#include "runtime/main/StepRunner.h"
#include "runtime/main/StepTimes.h"
#include "runtime/main/Utilization.h"
#include "runtime/main/Weights.h"
#include "runtime/world/Agree.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace zrt {

/// The exit status, beside 0 and those of signals.
enum Status : int {
  kFailed = 1,
  kMisused = 2,
  kDiverged = 3,
  kIncomplete = 4,
  kOutOfTimeStatus = 75 ///< EX_TEMPFAIL of sysexits.h: to be tried again
};

/// No message: another rank says it.
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

  /// The exit status.
  int run();

private:
  using Clock = std::chrono::steady_clock;

  void openFiles();

  std::string report(uint32_t what) { return zrt_report(context.get(), what); }

  /// All that was at the end of another run, if there is one to go on from.
  void goOn();

  /// Says in steps where --epochs ends, before anything depends on it.
  void countEpochs();

  /// Unless the last update has spoilt the weights.
  void saveAtExit();

  /// Between two steps.
  void save();

  void loop();

  /// What is done at the end, and after each `every` steps if that is not 0.
  bool isDue(int64_t every) const;

  void evaluate();

  void showSamples();

  /// An update that was left to the next step is made now, and that step is a
  /// first one: the same bits, unless it would have come later still.
  void makeLeftUpdate();

  /// Whether another step could end too late.
  bool isOutOfTime() const;

  /// Whether nobody reads what is printed any more.
  bool isUnread() const;

  /// All ranks do at the same step; the first one says it.
  void diverge(const std::string &what);

  /// The last update may have gone where no later loss has shown it.
  void checkWeights();

  int status() const;

  StepMetrics runStep(int64_t step);

  void printReport();

  /// Of rank 0.
  void printProfile();

  void printStart();
  /// Where the weights come from, a line.
  std::string weightsText() const;
  /// How often --steps reads the data, a line; "" if at most once.
  std::string repetitionText() const;

  void printEnd();

  /// Tokens, or samples, of all ranks.
  double perStep() const;

  /// Of all ranks and micro-steps.
  uint64_t samplesPerStep() const;

  /// Of the steps after the first, where there are any.
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
  std::unique_ptr<const Weights> weights;
  std::unique_ptr<CheckpointFolder> folder; ///< of rank 0, with --checkpoint
  std::optional<Resumed> resumed;
  std::string epochsText; ///< a line that says how many steps --epochs makes
  RunPosition position;   ///< before the first step of this run
  Checkpoints checkpoints;
  Logs logs;
  StepMetrics metrics; ///< of the last step
  RunCounts counts;
  int stoppedBy = 0;                     ///< signal
  bool savedWider = false;               ///< than was asked for
  std::optional<AgreedError> divergence; ///< on all ranks or none
  Utilization utilization;               ///< if it is wanted
  StepTimes laterSteps;                  ///< all but the first
  const Clock::time_point begun = Clock::now();
};

} // namespace zrt
