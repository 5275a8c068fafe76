//===- Checkpoints.cpp - The checkpoints of a training --------------------===//
#include "train/run/Checkpoints.h"

#include "runtime/text/Error.h"
#include "train/report/Report.h"
#include "train/report/StandardStreams.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

using namespace zrt;

void Checkpoints::takeFolder() {
  if (options.folder.empty() || !run.isFirst)
    return;
  folder =
      std::make_unique<CheckpointFolder>(options.folder, run.options.force);
  const std::vector<int64_t> steps = checkpointSteps(options.folder);
  if (!steps.empty() && options.resume.empty())
    fail("{} has checkpoints already, up to step {}; continue from them with "
         "--resume=latest, or give this run another folder",
         options.folder, steps.back());
}

void Checkpoints::restart() {
  last = run.counts.first();
  saved.reset();
  std::error_code error;
  if (run.resumed &&
      std::filesystem::equivalent(run.resumed->path,
                                  checkpointPath(options.folder, last), error))
    saved = last;
}

void Checkpoints::start() {
  restart();
  if (options.folder.empty())
    return;
  // The first step touches the rest of the arenas.  Resident bytes count
  // already.
  const uint64_t arenas = run.arenaBytes(),
                 reserved = arenas - std::min(arenas, peakResidentBytes());
  writer = std::make_unique<CheckpointWriter>(
      run.world, run.weights->state(),
      WriterSettings{options.keep, run.options.eval.keepsBest, options.memory,
                     reserved, zrt_threads(run.context.get())},
      folder.get());
}

std::string Checkpoints::startText() const {
  if (!writer)
    return "";
  return fmt::format(
      "saves     {} to {}: {}; {} of host memory{}{}\n",
      (options.every == 0
           ? std::string(run.options.drives ? "on request" : "at the end")
           : fmt::format("every {}{}",
                         options.every == 1
                             ? "step"
                             : fmt::format("{} steps", options.every),
                         options.atExit ? " and at the end" : "")) +
          (run.options.eval.keepsBest ? ", after better evaluations" : ""),
      options.folder, shownBytes(writer->totalBytes()),
      shownBytes(writer->stagingBytes()), run.world.size() > 1 ? " a rank" : "",
      writer->waitsForDrive() ? ", less than a rank writes: steps wait for it"
                              : "");
}

void Checkpoints::betweenSteps(StepMetrics &next) {
  if (!writer || run.divergence)
    return;
  writer->look();
  reportFailure();
  const int64_t done = run.counts.done();
  const bool isDue =
                 options.every > 0 && done > last && done % options.every == 0,
             isBest = run.options.eval.keepsBest && run.best &&
                      run.best->step == done && (done > last || !run.resumed);
  if (isDue || isBest)
    save();
  const double stopped = writer->exposedSeconds();
  next.checkpointMilliseconds += (stopped - std::exchange(told, stopped)) * 1e3;
}

void Checkpoints::atEnd() {
  if (!writer || run.divergence || run.counts.done() == last ||
      !(options.atExit || run.isGrowing() ||
        (run.options.drives && run.stoppedBy)))
    return;
  run.checkWeights();
  if (!run.divergence)
    save();
}

void Checkpoints::save() {
  begin();
  reportFailure();
}

std::string Checkpoints::saveNow() {
  if (!writer)
    fail("there is no folder for checkpoints; start with --checkpoint=DIR");
  finish(); // one that is in progress
  const std::string path = checkpointPath(options.folder, run.counts.done());
  if (saved == run.counts.done())
    return path;
  begin();
  writer->finish();
  if (const std::optional<std::string> failure = writer->takeFailure()) {
    saved.reset();
    fail("{}", *failure);
  }
  return path;
}

void Checkpoints::begin() {
  run.makeLeftUpdate();
  last = run.counts.done();
  saved = last;
  if (const std::string file = run.weights->changedBase();
      run.isFirst && !file.empty() && !toldOfBase) {
    toldOfBase = true;
    complain(fmt::format(
        "{}: warning: {} is not the file any more that the run has read; a run "
        "that goes on from its checkpoints needs that one, by --base=DIR",
        run.options.program, file));
  }
  writer->save(run.position(), run.weights->memory());
}

void Checkpoints::finish() {
  if (!writer)
    return;
  if (run.divergence) {
    const auto step = writer->abandon();
    if (step && run.isFirst)
      complain(fmt::format("{}: warning: the checkpoint of step {} is given "
                           "up; older ones stay",
                           run.options.program, *step));
  } else {
    writer->finish();
  }
  reportFailure();
}

void Checkpoints::reportFailure() {
  const std::optional<std::string> failure = writer->takeFailure();
  if (!failure)
    return;
  failed = true;
  saved.reset();
  if (options.stopOnError)
    throw AgreedError(*failure, /*printedElsewhere=*/!run.isFirst);
  if (run.isFirst)
    complain(fmt::format("{}: warning: {}; training continues without it",
                         run.options.program, *failure));
}

std::string Checkpoints::endText() const {
  if (!writer || writer->written() == 0)
    return "";
  const auto count = double(writer->written());
  return fmt::format(
      "{} checkpoint{} in {}: each {}, written in {:.2f} s at {:.2f} GB/s, for "
      "which training waited {:.1f} ms\n",
      writer->written(), count > 1 ? "s" : "", options.folder,
      withUnit(writer->totalBytes()), writer->writtenSeconds() / count,
      double(writer->totalBytes()) * count / writer->writtenSeconds() * 1e-9,
      writer->exposedSeconds() / count * 1e3);
}
