//===- Training.cpp - The training loop -----------------------------------===//
#include "train/run/Training.h"

#include "abi/Counts.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "train/report/Progress.h"
#include "train/report/StandardStreams.h"
#include "train/run/Fingerprint.h"
#include "train/run/Mains.h"
#include "train/run/StopSignal.h"
#include "train/schedule/RandomBits.h"

#include <csignal>

using namespace zrt;

int Training::train() {
  openFiles();
  {
    // Those of billions of parameters take a minute.
    const PassingLine line("weights   are read ...",
                           run.quiet ? ProgressKind::None
                                     : run.options.progress);
    loadState();
  }
  openOutputs();
  TrainingReport report(run, checkpoints, *digests, evaluation.get(),
                        best.get(), utilization.get());
  report.printStart(matmuls.text());
  loop(report);
  saveWeights();
  report.printEnd();
  return status();
}

void Training::openFiles() {
  const TrainOptions &options = run.options;
  const zrt_plan &plan = run.plan;
  Fingerprint fingerprint;
  together(run.world, [&] {
    run.open();
    if (options.eval.isWanted())
      evaluation = std::make_unique<Evaluation>(run);
    if (options.sample.isWanted())
      sampling = std::make_unique<Sampling>(plan, options.sample, options.seed,
                                            run.world.rank());
    if (!options.lossScaleText.empty() && !run.runner->scalesLoss())
      fail("--loss-scale={}: the loss of this plan is not scaled; compile "
           "the model with --precision=fp16, or drop the option",
           options.lossScaleText);
    if (options.guard.sigmas > 0 && !run.runner->hasLimits())
      fail("--spike-guard={}: no step of this plan can be skipped; compile "
           "with --skip-nonfinite=on",
           options.guard.sigmas);
    if (run.world.size() > 1)
      fingerprint = fingerprintOf(options);
    checkpoints.takeFolder();
    matmuls.open();
    run.begin = describeRun(run);
    digests = std::make_unique<Digests>(run, logs);
    const uint64_t samples = run.feed->samples(),
                   perStep = samplesPerStep(plan);
    if (run.isFirst && samples < perStep)
      complain(fmt::format(
          "{}: warning: the data have {}, and a step reads {}: it reads some "
          "of them again; give it more data",
          options.program, plural(samples, "sample"), withCommas(perStep)));
  });
  if (run.world.size() > 1)
    compareFingerprints(run.world, fingerprint);
}

void Training::loadState() {
  const TrainOptions &options = run.options;
  World &world = run.world;
  // Ranks communicate while they start, so they fail together.
  together(world,
           [&] { run.context.start(options, zrt_start, digests->ranks()); });
  matmuls.choose();
  together(world, [&] {
    run.weights =
        std::make_unique<Weights>(run.plan, options, world, run.context.get(),
                                  run.runner->delaysUpdates());
  });
  if (!options.checkpoint.resume.empty())
    resume(run);
  together(world, [&] {
    matmuls.checkResumed();
    run.countEpochs();
  });
  if (!run.resumed) {
    together(world, [&] { run.weights->checkBase(); });
    run.weights->hashBase();
    together(world, [&] { run.weights->initialize(); });
  }
  together(world, [&] {
    const int64_t first = run.counts.first();
    if (options.until && options.until < first)
      fail("--until={} is before step {}, with which the run goes on",
           options.until, first);
    if (options.until > options.schedule.steps)
      fail("--until={} is above the {} steps of --epochs={}", options.until,
           options.schedule.steps, options.epochs);
    digests->checkSteps(first, options.end());
  });
  together(world, [&] {
    run.weights->checkInitial(run.resumed ? run.resumed->path : "");
  });
}

void Training::openOutputs() {
  const TrainOptions &options = run.options;
  checkpoints.start();
  together(run.world, [&] {
    if (options.eval.keepsBest || options.eval.patience > 0)
      best = std::make_unique<BestEvaluation>(run);
    if (options.utilization)
      utilization = std::make_unique<Utilization>(run.context.get(), run.plan);
  });
  together(run.world, [&] {
    const int64_t first = run.counts.first();
    if (run.isFirst)
      logs.open(first, digests->header(first));
    catchStopSignals({.user = options.checkpoint.atExit,
                      .grow = options.elastic,
                      .note = run.quiet ? "" : stopNote(options.program)});
  });
}

void Training::loop(TrainingReport &report) {
  // Here, so that an error that ends the loop is printed on a line of its own.
  Progress progress(run.counts.first(), run.options.end(),
                    run.quiet || run.options.drives ? ProgressKind::None
                                                    : run.options.progress);
  SamplingHook samples(run, sampling.get(), logs, progress);
  // Each event calls them in this order.  Digests come first, as a difference
  // ends the run without an evaluation; then what adds to the metrics, and may
  // end the run, before what writes and shows them.  Checkpoints are last: what
  // fails at the end of the run fails before its state is saved.
  std::vector<StepHook *> hooks = {
      utilization.get(), digests.get(), &report,
      evaluation.get(),  best.get(),    &logs,
      &progress,         &samples,      &checkpoints};
  std::erase(hooks, nullptr);
  if (run.options.drives)
    drive(hooks);
  else
    makeSteps(hooks);
  progress.finish();
  for (StepHook *hook : hooks)
    hook->atEnd();
}

void Training::makeSteps(const std::vector<StepHook *> &hooks) {
  while (true) {
    vote();
    StepMetrics step;
    for (StepHook *hook : hooks)
      hook->betweenSteps(step);
    if (run.isOver())
      break;
    makeStep(step, scheduledRate(), hooks);
  }
}

void Training::drive(const std::vector<StepHook *> &hooks) {
  StepMetrics next;
  Driving driving(run, checkpoints, [&](StepMetrics &step, float lr) {
    makeStep(step, lr, hooks);
  });
  do {
    if (next.milliseconds > 0) // it was made
      next = {};
    vote();
    for (StepHook *hook : hooks)
      hook->betweenSteps(next);
  } while (!run.isOver() && driving.obeyNext(next));
  driving.finish();
}

float Training::scheduledRate() const {
  const RunCounts &counts = run.counts;
  const Schedule &schedule = run.options.schedule;
  return static_cast<float>(schedule.at(
      schedule.samples
          ? counts.updatedSamples(run.begin, samplesPerStep(run.plan))
          : counts.update()));
}

void Training::vote() {
  const TrainOptions &options = run.options;
  uint8_t own = 0;
  if (run.divergence)
    own = kDivergence;
  else if (options.timeLimit > 0 && // another step could end after it
           secondsSince(begun) + run.last.milliseconds * 1e-3 >=
               options.timeLimit)
    own = kOutOfTime;
  else if (run.isFirst &&
           (!run.quiet || options.metrics == "-" || options.drives) &&
           outputIsClosed())
    own = SIGPIPE;
  const int reason = stopReason(run.world, own);
  if (reason != kDivergence)
    run.stoppedBy = reason;
  else if (!run.divergence)
    run.diverge(fmt::format("step {}: a number of another rank is not finite",
                            run.last.step));
}

void Training::makeStep(StepMetrics &step, float lr,
                        const std::vector<StepHook *> &hooks) {
  const TrainOptions &options = run.options;
  RunCounts &counts = run.counts;
  // The first step also touches the arenas.
  if (options.profile && run.isFirst && counts.here() <= 1)
    zrt_profile(run.context.get());
  const auto start = Clock::now();
  const int64_t update = counts.update();
  const StepRunner::Result outputs = run.runner->run(
      run.context.get(), counts.done(),
      {.lr = lr,
       .update = update,
       .lossScale = static_cast<float>(counts.scale()),
       .rounding = roundingBits(options.seed, update),
       .normLimit = counts.limits().norm,
       .lossLimit = counts.limits().loss},
      [&](uint32_t done, uint32_t all) {
        const MicroStep next = {counts.done(), done, all, run.unitsPerStep(),
                                run.feed->unit()};
        for (StepHook *hook : hooks)
          hook->beforeMicroStep(next);
      });
  checkBatches();
  const double seconds = secondsSince(start);
  step.step = counts.done();
  step.loss = outputs.loss;
  step.gradNorm = outputs.gradNorm;
  step.lr = lr;
  const bool scalesLoss = run.runner->scalesLoss();
  if (scalesLoss)
    step.lossScale = counts.scale();
  step.wasSkipped = outputs.wasSkipped;
  step.skipped = counts.skipped();
  step.spikes = counts.spikes();
  step.unit = run.feed->unit();
  step.perSecond = run.unitsPerStep() / seconds;
  step.milliseconds = seconds * 1e3;
  if (const std::string wrong = counts.add(step, scalesLoss); !wrong.empty())
    run.diverge(wrong);
  run.last = step;
  for (StepHook *hook : hooks)
    hook->afterStep(step);
}

void Training::checkBatches() const {
  const zrt_plan &plan = run.plan;
  if (plan.context < 2)
    return;
  const std::vector<uint64_t> all = run.world.gather(run.runner->batchesHash());
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (const size_t first = rank / plan.context * plan.context;
        all[rank] != all[first])
      throw AgreedError(
          fmt::format("step {}: ranks {} and {} share sequences, and have read "
                      "others; give all ranks the same data",
                      run.counts.done(), first, rank),
          /*printedElsewhere=*/!run.isFirst);
}

void Training::saveWeights() {
  // Make the pending update before the weights are read.
  if (!run.divergence)
    run.runner->flush(run.context.get());
  if (const std::string wrong = zrt_report(run.context.get(), ZRT_UNPREDICTED);
      !wrong.empty())
    fail("{}; please report this", wrong);
  if (!run.divergence)
    run.checkWeights();
  checkpoints.finish();
  if (best && best->isSaved())
    savedWider = best->isSavedWider();
  else if (!run.divergence && !run.options.save.empty() && !run.isGrowing())
    savedWider = !run.weights->save();
}

int Training::status() const {
  if (!digests->difference().empty()) {
    if (run.isFirst)
      printError(run.who, digests->difference());
    return kDifferent;
  }
  if (run.divergence) {
    if (!run.divergence->printedElsewhere)
      printError(run.who, fmt::format("{}; the training has diverged and ends "
                                      "here{}; try a lower --lr or a --warmup",
                                      run.divergence->what(),
                                      run.options.save.empty() ? ""
                                      : best && best->isSaved()
                                          ? ", the best weights are saved"
                                          : ", nothing is saved"));
    return kDiverged;
  }
  const int stoppedBy = run.stoppedBy;
  // The starter of an elastic run goes on with more ranks.
  if (run.isGrowing())
    return 128 + stoppedBy;
  if (checkpoints.hasFailed())
    return kIncomplete;
  if (stoppedBy)
    return stoppedBy == kOutOfTime ? kTryAgain : 128 + stoppedBy;
  return logs.isLost() || savedWider || !lostOutput().empty() ? kIncomplete : 0;
}
