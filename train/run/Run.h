//===- Run.h - The state of a training run ----------------------*- C++ -*-===//
#pragma once

#include "runtime/world/Agree.h"
#include "runtime/world/SocketWorld.h"
#include "train/data/BatchSource.h"
#include "train/drive/GivenRows.h"
#include "train/options/Options.h"
#include "train/report/Metrics.h"
#include "train/run/PlanContext.h"
#include "train/run/Resume.h"
#include "train/run/RunCounts.h"
#include "train/run/StepRunner.h"
#include "train/run/Weights.h"

#include <memory>
#include <optional>
#include <string>

namespace zrt {

/// A run of a plan on this rank: its files, its state, and how far it is.
struct Run {
  /// `who`: this rank, for messages.
  Run(const zrt_plan &plan, const TrainOptions &given, World &world,
      const std::string &who)
      : plan(plan), options(given), world(world), isFirst(world.rank() == 0),
        quiet(options.quiet || !isFirst), who(who), context(world),
        counts(options.lossScale, options.guard) {}

  /// Opens the data of the plan, which it checks.  Throws zrt::Error.
  void open();
  /// Converts --epochs to steps, before anything depends on their number.
  void countEpochs();

  /// Whether the run stops so that more ranks can go on with it.
  bool isGrowing() const { return options.elastic && stoppedBy == kGrowSignal; }
  /// Whether no step follows.
  bool isOver() const {
    return divergence || stoppedBy || counts.done() == options.end();
  }
  /// Returns true at the end, and after each `every` steps if that is not 0;
  /// never after a divergence.
  bool isDue(int64_t every) const {
    const int64_t done = counts.done();
    return !divergence &&
           (done == options.end() || (every > 0 && done % every == 0));
  }
  /// Whether no step was made here, and none is prevented by a signal.
  bool hasNoSteps() const { return counts.here() == 0 && !stoppedBy; }

  /// Where the run is now, for a checkpoint.
  RunPosition position() const {
    RunPosition now = counts.position(begin, samplesPerStep(plan), *runner);
    now.best = best;
    return now;
  }
  /// Tokens, or samples, that a step of all ranks reads.
  double unitsPerStep() const {
    return double(samplesPerStep(plan) * feed->unitsPerSample());
  }
  uint64_t arenaBytes() const;

  /// Makes the pending update now, and the next step becomes a first one.  The
  /// bits are the same, except with --delayed-update, where this does nothing.
  void makeLeftUpdate() {
    if (!runner->delaysUpdates())
      runner->flush(context.get());
  }
  /// Records a divergence.  All ranks do so at the same step; rank 0 prints it.
  void diverge(const std::string &what) {
    divergence.emplace(what, /*printedElsewhere=*/!isFirst);
  }
  /// Records a divergence if a weight is not finite: no loss shows that after
  /// the last update.  All ranks call it together.
  void checkWeights();

  const zrt_plan &plan;
  TrainOptions options; ///< as given, with the steps of --epochs
  World &world;
  const bool isFirst; ///< rank 0, which prints and writes
  const bool quiet;
  const std::string who;
  std::unique_ptr<const BatchSource> feed;
  GivenRows *given = nullptr; ///< the feed, with --drive
  std::unique_ptr<StepRunner> runner;
  PlanContext context;
  std::unique_ptr<Weights> weights;
  std::optional<Resumed> resumed;
  std::string epochsText; ///< a line with the number of steps of --epochs
  RunPosition begin;      ///< before the first step of this run
  RunCounts counts;
  /// Of the evaluations until now, with --keep-best or --patience.
  std::optional<RunPosition::Best> best;
  StepMetrics last;  ///< the last step
  int stoppedBy = 0; ///< a signal or a reason of StopSignal.h; 0: none
  std::optional<AgreedError> divergence; ///< on all ranks or none
};

} // namespace zrt
