//===- TrainingReport.cpp - Prints a run's reports ------------------------===//
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"
#include "train/run/StopSignal.h"
#include "train/run/TrainingRun.h"

#include <csignal>
#include <fmt/format.h>
#include <sstream>

using namespace zrt;

void Training::printReport() {
  // Standard error may still have a reader.
  if (stoppedBy == SIGPIPE)
    sayOnStandardError();
  if (!quiet)
    printEnd();
  if (!quiet && digests->isCompared() && digests->difference().empty() &&
      counts.here() > 0)
    sayText(digests->agreement(counts.first(), counts.done()));
  if (options.profile)
    printProfile();
}

void Training::printProfile() {
  sayText(report(ZRT_TIMES));
  sayText(report(ZRT_TRAFFIC));
}

std::string Training::weightsText() const {
  std::string text = options.init.empty()
                         ? fmt::format("random, seed {}", options.seed)
                         : options.init;
  if (!options.adapter.empty())
    text += fmt::format(", adapters from {}", options.adapter);
  return fmt::format("weights   {}\n", text);
}

std::string Training::repetitionText() const {
  const auto steps = uint64_t(options.schedule.steps);
  // --epochs states the number, and with --data-weights each source has its
  // own.
  if (options.epochs > 0 || !options.sources.empty() ||
      (options.data.empty() && options.inputs.empty()) ||
      double(steps) * double(samplesPerStep()) <= double(feed->samples()))
    return "";
  return fmt::format("epochs    {:.3g}: {} steps read {} samples each, and the "
                     "data have {}\n",
                     double(steps) * double(samplesPerStep()) /
                         double(feed->samples()),
                     withCommas(steps), withCommas(samplesPerStep()),
                     withCommas(feed->samples()));
}

void Training::printStart() {
  std::string text = startBlock(plan, context.get(),
                                feed->text() + epochsText + repetitionText(),
                                zrt_threads(context.get()));
  if (evaluation)
    text += evaluation->text();
  text += checkpoints.startText();
  if (resumed) {
    text +=
        fmt::format("resumed   step {}, {} samples, from {}\n", counts.first(),
                    withCommas(position.sequences), resumed->path);
    for (const std::string &note : resumed->notes)
      text += fmt::format("note      {}\n", note);
  } else {
    text += weightsText();
    if (!options.checkpoint.resume.empty())
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
                    schedule.steps, schedule.at(schedule.last()));
  std::istringstream notes(report(ZRT_NOTE));
  for (std::string note; std::getline(notes, note);)
    text += fmt::format("note      {}\n", note);
  sayText(text);
}

void Training::printEnd() {
  if (stoppedBy)
    say("stopped by {} after {} of {} steps\n",
        stoppedBy == SIGINT       ? "Ctrl-C"
        : stoppedBy == SIGTERM    ? "SIGTERM"
        : stoppedBy == SIGHUP     ? "SIGHUP"
        : stoppedBy == SIGPIPE    ? "a closed pipe"
        : stoppedBy == kOutOfTime ? "--time-limit"
        : isGrowing()             ? "SIGUSR2"
                                  : "SIGUSR1",
        counts.done(), options.end());
  const int64_t here = counts.here();
  if (here > 0)
    say("final loss {:.6f} (step {})\n", metrics.loss, metrics.step);
  if (counts.skipped() > 0)
    say("skipped {} of {} steps: {} above --spike-guard, {} whose gradients "
        "were not finite\n",
        counts.skipped(), counts.done(), counts.spikes(),
        counts.skipped() - counts.spikes());
  // The first step includes page faults and kernel generation.
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

double Training::secondsOfStep() const {
  return laterSteps.count() > 0
             ? laterSteps.seconds() / double(laterSteps.count())
             : metrics.milliseconds * 1e-3;
}

uint64_t Training::arenaBytes() const {
  uint64_t bytes = 0;
  for (const uint32_t tier : {ZRT_DEVICE, ZRT_HOST}) // NVMe is not memory
    bytes += zrt_arena_bytes(context.get(), tier);
  return bytes;
}
