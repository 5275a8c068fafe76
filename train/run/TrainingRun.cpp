//===- TrainingRun.cpp - A run of a training binary -----------------------===//
#include "train/run/TrainingRun.h"

#include "runtime/system/Clock.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "train/options/RunLength.h"
#include "train/report/Progress.h"
#include "train/report/StandardStreams.h"
#include "train/run/Fingerprint.h"
#include "train/run/SampleText.h"
#include "train/run/StopSignal.h"
#include "train/schedule/RandomBits.h"

#include <csignal>

using namespace zrt;

int Training::run() {
  openFiles();
  // Ranks communicate while they start, so they fail together.
  together(world, [&] { context.start(options, zrt_start, digests->ranks()); });
  together(world, [&] {
    weights = std::make_unique<const Weights>(
        plan, options, world, context.get(), runner->delaysUpdates());
  });
  if (!options.checkpoint.resume.empty())
    goOn();
  together(world, [&] { countEpochs(); });
  if (!resumed)
    together(world, [&] {
      weights->checkBase();
      weights->initialize();
    });
  together(world, [&] {
    if (options.until && options.until < counts.first())
      fail("--until={} is before step {}, with which the run goes on",
           options.until, counts.first());
    if (options.until > options.schedule.steps)
      fail("--until={} is above the {} steps of --epochs={}", options.until,
           options.schedule.steps, options.epochs);
    digests->checkSteps(counts.first(), options.end());
  });
  together(world, [&] { weights->checkInitial(resumed ? resumed->path : ""); });
  checkpoints.start(counts.first(), weights->state(), folder.get(),
                    arenaBytes(), zrt_threads(context.get()));
  together(world, [&] {
    if (options.utilization)
      utilization.measure(context.get(), plan);
  });
  together(world, [&] {
    if (isFirst)
      logs.open(counts.first(), digests->header(counts.first()));
    catchStopSignals(options.checkpoint.atExit, options.elastic);
  });
  if (!quiet)
    printStart();
  loop();
  // A run without steps reports its initial weights.
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
  // Make the pending update before the weights are read.
  if (!divergence)
    runner->flush(context.get());
  if (const std::string wrong = report(ZRT_UNPREDICTED); !wrong.empty())
    fail("{}; please report this", wrong);
  if (!divergence)
    checkWeights();
  checkpoints.finish(divergence.has_value());
  if (!divergence && !options.save.empty() && !isGrowing())
    savedWider = !weights->save();
  if (isFirst)
    printReport();
  return status();
}

void Training::openFiles() {
  Fingerprint fingerprint;
  together(world, [&] {
    context.create(plan);
    feed = std::make_unique<Feed>(plan, options);
    runner = std::make_unique<StepRunner>(plan, *feed, world.rank());
    if (options.eval.isWanted())
      evaluation = std::make_unique<Evaluation>(plan, options, world.rank());
    if (options.sample.isWanted())
      sampling = std::make_unique<Sampling>(plan, options.sample, options.seed,
                                            world.rank());
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
    position = describeRun(plan, options, feed->format());
    position.begunWith = samplesPerStep();
    digests = std::make_unique<Digests>(plan, options, world, position);
    if (isFirst && feed->samples() < samplesPerStep())
      complain(fmt::format(
          "{}: warning: the data have {} sample{}, and a step reads {}: it "
          "reads some of them again; give it more data",
          options.program, withCommas(feed->samples()),
          feed->samples() == 1 ? "" : "s", withCommas(samplesPerStep())));
  });
  if (world.size() > 1)
    compareFingerprints(world, fingerprint);
}

void Training::goOn() {
  resumed = resume(plan, options, position, samplesPerStep(), weights->memory(),
                   zrt_threads(context.get()), world);
  if (!resumed)
    return;
  if (isFirst)
    for (const auto &[option, value] :
         {std::pair("--init", options.init), {"--adapter", options.adapter}})
      if (!value.empty())
        complain(fmt::format("{}: warning: {}={} is not read: the run goes on "
                             "from {}",
                             options.program, option, value, resumed->path));
  const RunPosition &was = resumed->run;
  counts.goOnFrom(was);
  position.sequences = was.sequences;
  position.skippedSequences = was.skippedSequences;
  if (was.begunWith > 0)
    position.begunWith = was.begunWith;
  runner->shiftData(was.sequences - uint64_t(was.step) * samplesPerStep());
  if (const auto &left = was.pending)
    runner->resumeWith(
        {{left->lr, left->update, left->lossScale, left->rounding, left->clip},
         left->step});
  if (isFirst)
    for (const std::string &warning : resumed->warnings)
      complain(fmt::format("{}: warning: {}", options.program, warning));
}

void Training::countEpochs() {
  if (options.epochs == 0)
    return;
  const EpochLength length = {options.epochs, feed->samples(),
                              samplesPerStep()};
  const RunPosition from = resumed ? resumed->run : RunPosition();
  Schedule &schedule = options.schedule;
  schedule.steps = length.steps(from);
  const auto perStep = int64_t(samplesPerStep());
  schedule.samples = {perStep, int64_t(position.begunWith),
                      int64_t(from.sequences) +
                          (schedule.steps - from.step) * perStep};
  epochsText = fmt::format("epochs    {}\n", length.text(from));
  if (!schedule.hasRoom())
    fail("--warmup={} and --cooldown={} are more than the {} steps of "
         "--epochs={}",
         schedule.warmup, schedule.cooldown, schedule.steps, options.epochs);
}

void Training::saveAtExit() {
  if (divergence || !checkpoints.isDueAtExit(counts.done(), isGrowing()))
    return;
  checkWeights();
  if (!divergence)
    save();
}

void Training::save() {
  makeLeftUpdate();
  checkpoints.save(counts.position(position, samplesPerStep(), *runner),
                   weights->memory());
}

void Training::loop() {
  Progress progress(counts.first(), options.end(),
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
    if (reason || counts.done() == options.end())
      break;
    // The first step also touches the arenas.
    if (options.profile && isFirst && counts.here() <= 1)
      zrt_profile(context.get());
    const double stoodStill = checkpoints.takeMilliseconds();
    metrics = runStep(counts.done());
    metrics.checkpointMilliseconds = stoodStill;
    if (counts.here() > 0)
      laterSteps.add(metrics.milliseconds);
    if (digests->ranks() != 0)
      logs.writeDigest(metrics.step,
                       digests->take(context.get(), metrics.step));
    std::string wrong = counts.add(metrics, runner->scalesLoss());
    if (!digests->difference().empty())
      wrong = digests->difference();
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

bool Training::isDue(int64_t every) const {
  const int64_t done = counts.done();
  return !divergence &&
         (done == options.end() || (every > 0 && done % every == 0));
}

void Training::evaluate() {
  makeLeftUpdate();
  const auto start = Clock::now();
  metrics.evalLoss = evaluation->run(context.get());
  metrics.isOfText = feed->isOfText();
  metrics.evalMilliseconds = secondsSince(start) * 1e3;
}

void Training::showSamples() {
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
                            : fmt::format("after step {}", metrics.step),
                        positionsOf(plan)));
}

void Training::makeLeftUpdate() {
  if (!runner->delaysUpdates())
    runner->flush(context.get());
}

bool Training::isOutOfTime() const {
  return options.timeLimit > 0 &&
         secondsSince(begun) + metrics.milliseconds * 1e-3 >= options.timeLimit;
}

bool Training::isUnread() const {
  return isFirst && (!quiet || options.metrics == "-") && outputIsClosed();
}

void Training::diverge(const std::string &what) {
  divergence.emplace(what, /*printedElsewhere=*/!isFirst);
}

void Training::checkWeights() {
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

int Training::status() const {
  if (!digests->difference().empty()) {
    if (isFirst)
      printError(who, digests->difference());
    return kDifferent;
  }
  if (divergence) {
    if (!divergence->printedElsewhere)
      printError(who,
                 fmt::format("{}; the training has diverged and ends "
                             "here{}; try a lower --lr or a --warmup",
                             divergence->what(),
                             options.save.empty() ? "" : ", nothing is saved"));
    return kDiverged;
  }
  // The starter of an elastic run goes on with more ranks.
  if (isGrowing())
    return 128 + stoppedBy;
  if (checkpoints.hasFailed())
    return kIncomplete;
  if (stoppedBy)
    return stoppedBy == kOutOfTime ? kTryAgain : 128 + stoppedBy;
  return logs.isLost() || savedWider || !lostOutput().empty() ? kIncomplete : 0;
}

StepMetrics Training::runStep(int64_t step) {
  zrt_context *ctx = context.get();
  const auto start = Clock::now();
  const int64_t update = counts.update();
  const auto lr = static_cast<float>(options.schedule.at(
      options.schedule.samples
          ? counts.updatedSamples(position, samplesPerStep())
          : update));
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
  if (options.utilization) {
    result.mfu = utilization.ofModel(result.milliseconds);
    result.hfu = utilization.ofExecuted(result.milliseconds);
  }
  return result;
}

double Training::perStep() const {
  return double(feed->perBatch()) * double(plan.accumulate) *
         double(plan.world_size);
}

uint64_t Training::samplesPerStep() const {
  return feed->samplesPerBatch() * plan.accumulate * plan.world_size;
}
