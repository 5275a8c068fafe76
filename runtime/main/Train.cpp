//===- Train.cpp - The training loop --------------------------------------===//
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
#include "runtime/main/Train.h"

#include "runtime/Error.h"
#include "runtime/main/Checkpoints.h"
#include "runtime/main/Evaluation.h"
#include "runtime/main/Feed.h"
#include "runtime/main/Fingerprint.h"
#include "runtime/main/Generate.h"
#include "runtime/main/LinkReport.h"
#include "runtime/main/Logs.h"
#include "runtime/main/MemoryUse.h"
#include "runtime/main/Metrics.h"
#include "runtime/main/Options.h"
#include "runtime/main/PlanContext.h"
#include "runtime/main/PlanText.h"
#include "runtime/main/Progress.h"
#include "runtime/main/Report.h"
#include "runtime/main/Resume.h"
#include "runtime/main/RoundingBits.h"
#include "runtime/main/RunCounts.h"
#include "runtime/main/RunLength.h"
#include "runtime/main/SampleText.h"
#include "runtime/main/Sampling.h"
#include "runtime/main/StandardStreams.h"
#include "runtime/main/StepRunner.h"
#include "runtime/main/StepTimes.h"
#include "runtime/main/StopSignal.h"
#include "runtime/main/TierOptions.h"
#include "runtime/main/Utilization.h"
#include "runtime/main/Weights.h"
#include "runtime/world/Agree.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <memory>
#include <optional>
#include <sstream>

using namespace zrt;
using Clock = std::chrono::steady_clock;

namespace {

/// The exit status, beside 0 and those of signals.
enum Status : int {
  kFailed = 1,
  kMisused = 2,
  kDiverged = 3,
  kIncomplete = 4,
  kOutOfTimeStatus = 75 ///< EX_TEMPFAIL of sysexits.h: to be tried again
};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// No message: another rank says it.
void printError(const std::string &who, const std::string &message) {
  if (!message.empty())
    complain(fmt::format("{}: error: {}", who, message));
}

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
  int run() {
    openFiles();
    // Its ranks talk to each other, and fail together.
    together(world, [&] { context.start(options); });
    together(world, [&] {
      weights = std::make_unique<const Weights>(
          plan, options, world, context.get(), runner->delaysUpdates());
    });
    if (!options.checkpoint.resume.empty())
      goOn();
    together(world, [&] { countEpochs(); });
    if (!resumed)
      together(world, [&] { weights->initialize(); });
    together(world, [&] { weights->checkInitial(startOfWeights()); });
    checkpoints.start(counts.first(), weights->state(), folder.get(),
                      arenaBytes(), zrt_threads(context.get()));
    together(world, [&] {
      if (options.utilization)
        utilization.measure(context.get(), plan);
    });
    together(world, [&] {
      if (isFirst)
        logs.open(counts.first());
      catchStopSignals(options.checkpoint.atExit);
    });
    if (!quiet)
      printStart();
    loop();
    // A run of no step says what it has begun with.
    if (evaluation && counts.here() == 0 && !stoppedBy) {
      metrics.step = counts.done() - 1;
      evaluate();
      if (!quiet)
        say("{}\n", evaluationText(metrics));
    }
    if (sampling && counts.here() == 0 && !stoppedBy) {
      metrics.step = counts.done() - 1;
      showSamples();
    }
    saveAtExit();
    // Before anyone reads weights.
    if (!divergence)
      runner->flush(context.get());
    if (const std::string wrong = report(ZRT_UNPREDICTED); !wrong.empty())
      fail("{}; please report this", wrong);
    if (!divergence)
      checkWeights();
    checkpoints.finish(divergence.has_value());
    if (!divergence && !options.save.empty())
      savedWider = !weights->save();
    if (isFirst)
      printReport();
    return status();
  }

private:
  void openFiles() {
    Fingerprint fingerprint;
    together(world, [&] {
      context.create(plan);
      feed = std::make_unique<Feed>(plan, options);
      runner = std::make_unique<StepRunner>(plan, *feed, world.rank());
      if (options.eval.isWanted())
        evaluation = std::make_unique<Evaluation>(plan, options, world.rank());
      if (options.sample.isWanted())
        sampling = std::make_unique<Sampling>(plan, options.sample,
                                              options.seed, world.rank());
      if (!options.lossScaleText.empty() && !runner->scalesLoss())
        fail("--loss-scale={}: the loss of this plan is not scaled; compile "
             "the model with --precision=fp16, or drop the option",
             options.lossScaleText);
      if (options.guard.sigmas > 0 && !runner->hasLimits())
        fail("--spike-guard={}: no step of this plan can be skipped; compile "
             "with --skip-nonfinite=on",
             options.guard.sigmas);
      if (world.size() > 1)
        fingerprint = fingerprintOf(options);
      if (isFirst)
        folder = takeFolder(options);
      position = describeRun(plan, options);
    });
    if (world.size() > 1)
      compareFingerprints(world, fingerprint);
  }

  std::string report(uint32_t what) { return zrt_report(context.get(), what); }

  /// All that was at the end of another run, if there is one to go on from.
  void goOn() {
    resumed = resume(plan, options, position, samplesPerStep(),
                     weights->memory(), zrt_threads(context.get()), world);
    if (!resumed)
      return;
    const RunPosition &was = resumed->run;
    counts.goOnFrom(was);
    position.sequences = was.sequences;
    runner->shiftData(was.sequences - uint64_t(was.step) * samplesPerStep());
    if (const auto &left = was.pending)
      runner->resumeWith({{left->lr, left->update, left->lossScale,
                           left->rounding, left->clip},
                          left->step});
    if (isFirst)
      for (const std::string &warning : resumed->warnings)
        complain(fmt::format("{}: warning: {}", options.program, warning));
  }

  /// Says in steps where --epochs ends, before anything depends on it.
  void countEpochs() {
    if (options.epochs == 0)
      return;
    const EpochLength length = {options.epochs, feed->samples(),
                                samplesPerStep()};
    const RunPosition from = resumed ? resumed->run : RunPosition();
    Schedule &schedule = options.schedule;
    schedule.steps = length.steps(from);
    epochsText = fmt::format("epochs    {}\n", length.text(from));
    if (!schedule.hasRoom())
      fail("--warmup={} and --cooldown={} are more than the {} steps of "
           "--epochs={}",
           schedule.warmup, schedule.cooldown, schedule.steps, options.epochs);
  }

  std::string startOfWeights() const {
    if (resumed)
      return resumed->path;
    return options.init.empty() ? "initial weights" : options.init;
  }

  /// Unless the last update has spoilt the weights.
  void saveAtExit() {
    if (divergence || !checkpoints.isDueAtExit(counts.done()))
      return;
    checkWeights();
    if (!divergence)
      save();
  }

  /// Between two steps.
  void save() {
    makeLeftUpdate();
    checkpoints.save(counts.position(position, samplesPerStep(), *runner),
                     weights->memory());
  }

  void loop() {
    Progress progress(counts.first(), options.schedule.steps,
                      quiet ? ProgressKind::None : options.progress);
    while (true) {
      const int reason = stopReason(world, divergence      ? kDivergence
                                           : isOutOfTime() ? kOutOfTime
                                           : isUnread()    ? SIGPIPE
                                                           : 0);
      if (reason == kDivergence && !divergence)
        diverge(fmt::format("step {}: a number of another rank is not finite",
                            metrics.step));
      else if (reason != kDivergence)
        stoppedBy = reason;
      if (reason != kDivergence && checkpoints.isDue(counts.done()))
        save();
      if (reason || counts.done() == options.schedule.steps)
        break;
      // The first step also touches the arenas.
      if (options.profile && isFirst && counts.here() <= 1)
        zrt_profile(context.get());
      const double stoodStill = checkpoints.takeMilliseconds();
      metrics = runStep(counts.done());
      metrics.checkpointMilliseconds = stoodStill;
      if (counts.here() > 0)
        laterSteps.add(metrics.milliseconds);
      const std::string wrong = counts.add(metrics, runner->scalesLoss());
      if (!wrong.empty())
        diverge(wrong);
      else if (isFirst && !metrics.spike.empty())
        complain(fmt::format("{}: note: {}", who, metrics.spike));
      if (isDue(options.eval.every) && evaluation)
        evaluate();
      logs.write(metrics);
      progress.show(metrics);
      if (isDue(options.sample.every) && sampling) {
        progress.finish();
        showSamples();
      }
    }
    progress.finish();
    logs.close();
  }

  /// What is done at the end, and after each `every` steps if that is not 0.
  bool isDue(int64_t every) const {
    const int64_t done = counts.done();
    return !divergence &&
           (done == options.schedule.steps || (every > 0 && done % every == 0));
  }

  void evaluate() {
    makeLeftUpdate();
    const auto start = Clock::now();
    metrics.evalLoss = evaluation->run(context.get());
    metrics.evalMilliseconds = secondsSince(start) * 1e3;
  }

  void showSamples() {
    makeLeftUpdate();
    const std::vector<Sample> samples = sampling->run(context.get(), world);
    if (!isFirst)
      return;
    logs.writeLine(
        samplesLine(options.sample, sampling->prompt(), samples, metrics.step),
        metrics.step);
    if (!quiet)
      sayText(samplesText(options.sample, sampling->prompt(), samples,
                          metrics.step < 0
                              ? "before step 0"
                              : fmt::format("after step {}", metrics.step)));
  }

  /// An update that was left to the next step is made now, and that step is a
  /// first one: the same bits, unless it would have come later still.
  void makeLeftUpdate() {
    if (!runner->delaysUpdates())
      runner->flush(context.get());
  }

  /// Whether another step could end too late.
  bool isOutOfTime() const {
    return options.timeLimit > 0 &&
           secondsSince(begun) + metrics.milliseconds * 1e-3 >=
               options.timeLimit;
  }

  /// Whether nobody reads what is printed any more.
  bool isUnread() const {
    return isFirst && (!quiet || options.metrics == "-") && outputIsClosed();
  }

  /// All ranks do at the same step; the first one says it.
  void diverge(const std::string &what) {
    divergence.emplace(what, /*printedElsewhere=*/!isFirst);
  }

  /// The last update may have gone where no later loss has shown it.
  void checkWeights() {
    try {
      together(world, [&] {
        const std::string found = weights->firstNonfinite();
        if (!found.empty() && counts.done() > 0)
          fail("after step {}, the last: {}", counts.done() - 1, found);
      });
    } catch (const AgreedError &error) {
      divergence.emplace(error);
    }
  }

  int status() const {
    if (divergence) {
      if (!divergence->printedElsewhere)
        printError(
            who, fmt::format("{}; the training has diverged and ends "
                             "here{}; try a lower --lr or a --warmup",
                             divergence->what(),
                             options.save.empty() ? "" : ", nothing is saved"));
      return kDiverged;
    }
    if (checkpoints.hasFailed())
      return kIncomplete;
    if (stoppedBy)
      return stoppedBy == kOutOfTime ? kOutOfTimeStatus : 128 + stoppedBy;
    return logs.isLost() || savedWider || !lostOutput().empty() ? kIncomplete
                                                                : 0;
  }

  StepMetrics runStep(int64_t step) {
    zrt_context *ctx = context.get();
    const auto start = Clock::now();
    const int64_t update = counts.update();
    const auto lr = static_cast<float>(options.schedule.at(update));
    const StepRunner::Result outputs =
        runner->run(ctx, step,
                    {.lr = lr,
                     .update = update,
                     .lossScale = static_cast<float>(counts.scale()),
                     .rounding = roundingBits(options.seed, update),
                     .normLimit = counts.limits().norm,
                     .lossLimit = counts.limits().loss});
    const double seconds = secondsSince(start);
    StepMetrics result;
    result.step = step;
    result.loss = outputs.loss;
    result.gradNorm = outputs.gradNorm;
    result.lr = lr;
    if (runner->scalesLoss())
      result.lossScale = counts.scale();
    result.wasSkipped = outputs.wasSkipped;
    result.skipped = counts.skipped();
    result.spikes = counts.spikes();
    result.unit = feed->unit();
    result.perSecond = perStep() / seconds;
    result.milliseconds = seconds * 1e3;
    if (options.utilization)
      result.utilization = utilization.of(result.milliseconds);
    return result;
  }

  void printReport() {
    // It may still be read there what has become of the run.
    if (stoppedBy == SIGPIPE)
      sayOnStandardError();
    if (!quiet)
      printEnd();
    if (options.profile)
      printProfile();
  }

  /// Of rank 0.
  void printProfile() {
    sayText(report(ZRT_TIMES));
    sayText(report(ZRT_TRAFFIC));
  }

  void printStart() {
    std::string text =
        startBlock(plan, context.get(), feed->text() + epochsText,
                   zrt_threads(context.get()));
    if (evaluation)
      text += evaluation->text();
    text += checkpoints.startText();
    if (resumed) {
      text += fmt::format("resumed   step {}, {} samples, from {}\n",
                          counts.first(), withCommas(position.sequences),
                          resumed->path);
      for (const std::string &note : resumed->notes)
        text += fmt::format("note      {}\n", note);
    } else if (!options.checkpoint.resume.empty()) {
      text += fmt::format("note      {} has no checkpoint yet: the run begins "
                          "with step 0\n",
                          options.checkpoint.folder);
    }
    const Schedule &schedule = options.schedule;
    if (schedule.warmup > schedule.steps && schedule.steps > 0)
      text +=
          fmt::format("note      --warmup={} is above {}{}: the learning "
                      "rate ends at {:.3g}\n",
                      schedule.warmup,
                      options.epochs > 0 ? "the number of steps, " : "--steps=",
                      schedule.steps, schedule.at(schedule.steps - 1));
    std::istringstream notes(report(ZRT_NOTE));
    for (std::string note; std::getline(notes, note);)
      text += fmt::format("note      {}\n", note);
    sayText(text);
  }

  void printEnd() {
    if (stoppedBy)
      say("stopped by {} after {} of {} steps\n",
          stoppedBy == SIGINT       ? "Ctrl-C"
          : stoppedBy == SIGTERM    ? "SIGTERM"
          : stoppedBy == SIGPIPE    ? "a closed pipe"
          : stoppedBy == kOutOfTime ? "--time-limit"
                                    : "SIGUSR1",
          counts.done(), options.schedule.steps);
    const int64_t here = counts.here();
    if (here > 0)
      say("final loss {:.6f} (step {})\n", metrics.loss, metrics.step);
    if (counts.skipped() > 0)
      say("skipped {} of {} steps: {} above --spike-guard, {} whose gradients "
          "were not finite\n",
          counts.skipped(), counts.done(), counts.spikes(),
          counts.skipped() - counts.spikes());
    // The first step pays for page faults and kernel generation.
    if (here > 1)
      say("{:.0f} {}/s\n{}\n",
          perStep() * double(laterSteps.count()) / laterSteps.seconds(),
          feed->unit(), laterSteps.text());
    if (here > 1 && options.utilization)
      say("{}\n", utilization.text(laterSteps.quantile(0.5)));
    if (here > 0 && writtenPerStep(plan) > 0)
      say("{}\n", enduranceText(plan, secondsOfStep(), options.nvmeEndurance));
    say("peak memory{} {} (arenas {})\n", world.size() > 1 ? " of rank 0" : "",
        withUnit(peakResidentBytes()), withUnit(arenaBytes()));
    sayText(feed->mixText(
        counts.position(position, samplesPerStep(), *runner).sequences));
    sayText(checkpoints.endText());
    if (!options.save.empty() && !divergence)
      say("weights saved to {}\n", options.save);
  }

  /// Tokens, or samples, of all ranks.
  double perStep() const {
    return double(feed->perBatch()) * double(plan.accumulate) *
           double(plan.world_size);
  }

  /// Of all ranks and micro-steps.
  uint64_t samplesPerStep() const {
    return feed->samplesPerBatch() * plan.accumulate * plan.world_size;
  }

  /// Of the steps after the first, where there are any.
  double secondsOfStep() const {
    return laterSteps.count() > 0
               ? laterSteps.seconds() / double(laterSteps.count())
               : metrics.milliseconds * 1e-3;
  }

  uint64_t arenaBytes() const {
    uint64_t bytes = 0;
    for (const uint32_t tier : {ZRT_DEVICE, ZRT_HOST}) // nvme is no memory
      bytes += zrt_arena_bytes(context.get(), tier);
    return bytes;
  }

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

std::string messageOf(const std::exception &error) {
  return dynamic_cast<const std::bad_alloc *>(&error) ? "out of memory"
                                                      : error.what();
}

/// Trains with the ranks of `world`; the exit status.
int trainWith(World &world, const zrt_plan &plan, const TrainOptions &options) {
  const std::string who =
      world.size() > 1
          ? fmt::format("{}: rank {}", options.program, world.rank())
          : options.program;
  Training training(plan, options, world, who);
  try {
    return training.run();
  } catch (const AgreedError &error) {
    // Every rank is on its way out with an error of its own.
    if (!error.printedElsewhere)
      printError(who, error.what());
  } catch (const std::exception &error) {
    // The others do not know yet.  They are told before `training` goes: its
    // streams may be waiting for them.
    const std::string message = messageOf(error);
    printError(who, message);
    world.abort(message);
  }
  return kFailed;
}

} // namespace

int zrt::trainMain(const zrt_plan &plan, int argc, const char *const *argv) {
  const std::string program = programName(argc > 0 ? argv[0] : nullptr);
  openStandardStreams();
  try {
    if (generatesOnly(plan))
      return generateMain(plan, argc, argv);
    const TrainOptions options = parseOptions(argc, argv);
    // These need no other rank, and no launcher.
    if (!options.help.empty()) {
      sayText(options.help);
      return lostOutput().empty() ? 0 : kFailed;
    }
    if (options.certificate || options.plan) {
      sayText(options.plan ? planText(plan)
                           : certificate(plan, options.certificateJson));
      return lostOutput().empty() ? 0 : kFailed;
    }
    if (options.metrics == "-")
      sayOnStandardError();
    checkGiven(plan, options);
    checkEvaluation(plan, options);
    checkSampling(plan, options.sample);
    checkTierOptions(plan, options);
    const std::unique_ptr<World> world = connectWorld(plan.world_size);
    return trainWith(*world, plan, options);
  } catch (const UsageError &error) {
    printError(program, error.what());
    return kMisused;
  } catch (const std::exception &error) {
    printError(program, messageOf(error));
    return kFailed;
  }
}
