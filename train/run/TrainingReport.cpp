//===- TrainingReport.cpp - The lines before and after the steps ----------===//
#include "train/run/TrainingReport.h"

#include "abi/Counts.h"
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"
#include "train/run/StopSignal.h"

#include <csignal>
#include <fmt/format.h>
#include <sstream>

using namespace zrt;

std::string TrainingReport::repetitionText() const {
  const TrainOptions &options = run.options;
  const uint64_t perStep = samplesPerStep(run.plan),
                 samples = run.feed->samples();
  const auto steps = uint64_t(options.schedule.steps);
  // --epochs states the number, and with --data-weights each source has its
  // own.
  if (options.epochs > 0 || !options.sources.empty() ||
      (options.data.empty() && options.inputs.empty()) ||
      double(steps) * double(perStep) <= double(samples))
    return "";
  return fmt::format(
      "epochs    {:.3g}: {} steps read {} each, and the data have {}\n",
      double(steps) * double(perStep) / double(samples), withCommas(steps),
      plural(perStep, "sample"), withCommas(samples));
}

std::string TrainingReport::stateText() const {
  const TrainOptions &options = run.options;
  std::string text;
  if (run.resumed) {
    text = fmt::format("resumed   step {}, {} samples, from {}\n",
                       run.counts.first(), withCommas(run.begin.sequences),
                       run.resumed->path);
    if (const auto &base = run.weights->state().base)
      text += fmt::format("base      {}, for the parameters that are frozen\n",
                          base->path);
    for (const std::string &note : run.resumed->notes)
      text += fmt::format("note      {}\n", note);
    return text;
  }
  text = "weights   " + (options.init.empty()
                             ? fmt::format("random, seed {}", options.seed)
                             : options.init);
  if (!options.adapter.empty())
    text += fmt::format(", adapters from {}", options.adapter);
  text += "\n";
  if (!options.checkpoint.resume.empty())
    text += fmt::format("note      {} has no checkpoint yet: the run begins "
                        "with step 0\n",
                        options.checkpoint.folder);
  return text;
}

void TrainingReport::printStart(const std::string &matmuls) const {
  if (run.quiet)
    return;
  zrt_context *ctx = run.context.get();
  std::string text = startBlock(
      run.plan, ctx, run.feed->text() + run.epochsText + repetitionText(),
      zrt_threads(ctx));
  if (evaluation)
    text += evaluation->text();
  text += checkpoints.startText() + matmuls + stateText();
  const TrainOptions &options = run.options;
  const bool hasCheckpoints = !options.checkpoint.folder.empty();
  if (!options.digest.empty() && options.isReplayed && !hasCheckpoints)
    text += "note      there is no --checkpoint, with which zeroc replay of "
            "--digest begins\n";
  // --against is no training of one's own.
  if (options.save.empty() && !hasCheckpoints && options.against.empty())
    text += "note      what is trained is not kept: add --save FILE, or "
            "--checkpoint DIR --save-at-exit\n";
  const Schedule &schedule = run.options.schedule;
  if (schedule.warmup > schedule.steps && schedule.steps > 0)
    text += fmt::format(
        "note      --warmup={} is above {}{}: the learning rate ends at "
        "{:.3g}\n",
        schedule.warmup,
        run.options.epochs > 0 ? "the number of steps, " : "--steps=",
        schedule.steps, schedule.at(schedule.last()));
  std::istringstream notes(zrt_report(ctx, ZRT_NOTE));
  for (std::string note; std::getline(notes, note);)
    text += fmt::format("note      {}\n", note);
  sayText(text);
}

void TrainingReport::afterStep(StepMetrics &step) {
  if (run.counts.here() > 1)
    laterSteps.add(step.milliseconds);
  if (run.isFirst && !run.divergence && !step.spike.empty())
    complain(fmt::format("{}: note: {}", run.who, step.spike));
}

void TrainingReport::printEnd() const {
  if (!run.isFirst)
    return;
  // Standard error may still have a reader.
  if (run.stoppedBy == SIGPIPE)
    sayOnStandardError();
  if (!run.quiet)
    printSummary();
  if (!run.quiet && digests.isCompared() && digests.difference().empty() &&
      run.counts.here() > 0)
    sayText(digests.agreement());
  if (run.options.profile) {
    sayText(zrt_report(run.context.get(), ZRT_TIMES));
    sayText(zrt_report(run.context.get(), ZRT_TRAFFIC));
  }
}

void TrainingReport::printSummary() const {
  const int stoppedBy = run.stoppedBy;
  const RunCounts &counts = run.counts;
  const TrainOptions &options = run.options;
  if (stoppedBy)
    say("stopped by {} after {}{} steps\n",
        stoppedBy == SIGINT       ? "Ctrl-C"
        : stoppedBy == SIGTERM    ? "SIGTERM"
        : stoppedBy == SIGHUP     ? "SIGHUP"
        : stoppedBy == SIGPIPE    ? "a closed pipe"
        : stoppedBy == kOutOfTime ? "--time-limit"
        : run.isGrowing()         ? "SIGUSR2"
                                  : "SIGUSR1",
        counts.done(),
        options.drives ? "" : fmt::format(" of {}", options.end()));
  const int64_t here = counts.here();
  if (here > 0)
    say("final loss {:.6f} (step {})\n", run.last.loss, run.last.step);
  if (counts.skipped() > 0)
    say("skipped {} of {} steps: {} above --spike-guard, {} whose gradients "
        "were not finite\n",
        counts.skipped(), counts.done(), counts.spikes(),
        counts.skipped() - counts.spikes());
  // The first step includes page faults and kernel generation.
  if (here > 1)
    say("{:.0f} {}/s\n{}\n",
        run.unitsPerStep() * double(laterSteps.count()) / laterSteps.seconds(),
        run.feed->unit(), laterSteps.text());
  if (here > 1 && utilization)
    say("{}\n", utilization->text(laterSteps.quantile(0.5)));
  if (here > 0 && writtenPerStep(run.plan) > 0)
    say("{}\n", enduranceText(run.plan,
                              here > 1 ? laterSteps.seconds() / double(here - 1)
                                       : run.last.milliseconds * 1e-3,
                              options.nvmeEndurance));
  say("peak memory{} {} (arenas {})\n",
      run.world.size() > 1 ? " of rank 0" : "", withUnit(peakResidentBytes()),
      withUnit(run.arenaBytes()));
  sayText(run.feed->mixText(run.position().sequences));
  sayText(checkpoints.endText());
  const bool isBest = best && best->isSaved();
  if (best)
    sayText(best->endText());
  if (!options.save.empty() && (!run.divergence || isBest))
    say("{}weights saved to {}\n", isBest ? "its " : "", options.save);
}
