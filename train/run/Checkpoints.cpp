//===- Checkpoints.cpp - The checkpoints of a training --------------------===//
#include "train/run/Checkpoints.h"

#include "train/report/Report.h"

#include <algorithm>

using namespace zrt;

void Checkpoints::start(int64_t first, const State &state,
                        CheckpointFolder *folder, uint64_t arenas,
                        int threads) {
  last = first;
  if (options.folder.empty())
    return;
  // The first step touches the rest of the arenas.  Resident bytes count
  // already.
  const uint64_t reserved = arenas - std::min(arenas, peakResidentBytes());
  writer = std::make_unique<CheckpointWriter>(
      world, state,
      WriterSettings{options.keep, options.memory, reserved, threads}, folder);
}

std::string Checkpoints::startText() const {
  if (!writer)
    return "";
  return fmt::format(
      "saves     {} to {}: {}; {} of host memory{}{}\n",
      options.every == 0 ? std::string("at the end")
                         : fmt::format("every {} steps{}", options.every,
                                       options.atExit ? " and at the end" : ""),
      options.folder, shownBytes(writer->totalBytes()),
      shownBytes(writer->stagingBytes()), world.size() > 1 ? " a rank" : "",
      writer->waitsForDrive() ? ", less than a rank writes: steps wait for it"
                              : "");
}

bool Checkpoints::isDue(int64_t done) {
  if (!writer)
    return false;
  writer->look();
  reportFailure();
  return options.every > 0 && done > last && done % options.every == 0;
}

bool Checkpoints::isDueAtExit(int64_t done, bool isAsked) const {
  return writer && (options.atExit || isAsked) && done > last;
}

void Checkpoints::save(const RunPosition &run, const ParameterMemory &memory) {
  last = run.step;
  writer->save(run, memory);
  reportFailure();
}

void Checkpoints::finish(bool hasDiverged) {
  if (!writer)
    return;
  if (hasDiverged) {
    const auto step = writer->abandon();
    if (step && world.rank() == 0)
      complain(fmt::format("{}: warning: the checkpoint of step {} is given "
                           "up; older ones stay",
                           program, *step));
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
  const bool isFirst = world.rank() == 0;
  if (options.stopOnError)
    throw AgreedError(*failure, /*printedElsewhere=*/!isFirst);
  if (isFirst)
    complain(fmt::format("{}: warning: {}; training continues without it",
                         program, *failure));
}

double Checkpoints::takeMilliseconds() {
  if (!writer)
    return 0;
  const double now = writer->exposedSeconds();
  return (now - std::exchange(told, now)) * 1e3;
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
