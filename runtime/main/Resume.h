//===- Resume.h - Going on from a checkpoint --------------------*- C++ -*-===//
//
// Before anything is changed, all ranks agree on one checkpoint; each looks
// whether it fits the plan, and all together at every byte of it.  What the
// command line says otherwise than the run that wrote it is refused where the
// order of samples or what is random would be another, and said where not.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/Reader.h"
#include "runtime/main/Feed.h"
#include "runtime/main/Options.h"
#include "runtime/world/World.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zrt {

/// What a checkpoint says of a run with these options, before its first step.
/// Reads a sample of its data, which are of `format`.  Throws zrt::Error.
RunPosition describeRun(const zrt_plan &plan, const TrainOptions &options,
                        const std::string &format);

/// What the ranks begin with.
struct Resumed {
  RunPosition run;
  std::string path;
  /// A line each, for those who watch.
  std::vector<std::string> notes, warnings;
};

/// Rank 0 takes --checkpoint, and refuses one that holds another run's, unless
/// this one goes on from there; NULL without it.  Throws zrt::Error.
std::unique_ptr<CheckpointFolder> takeFolder(const TrainOptions &options);

/// Loads what --resume says into the state of `plan`; nothing where the run begins anew.
/// `now` is describeRun's, `perStep` how many samples a step reads.  All ranks
/// call it together.  Throws AgreedError, before anything has changed if the
/// checkpoint does not fit or is damaged.
std::optional<Resumed> resume(const zrt_plan &plan, const TrainOptions &options,
                              const RunPosition &now, uint64_t perStep,
                              const ParameterMemory &memory, int threads,
                              World &world);

} // namespace zrt
