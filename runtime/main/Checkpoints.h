//===- Checkpoints.h - The checkpoints of a training ------------*- C++ -*-===//
#pragma once

#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/State.h"
#include "runtime/checkpoint/Writer.h"
#include "runtime/main/Options.h"
#include "runtime/main/StandardStreams.h"
#include "runtime/world/Agree.h"

#include <memory>
#include <string>

namespace zrt {

/// When a run saves, and what it says of that.  All ranks call all of it
/// together but for texts; without --checkpoint nothing happens.
class Checkpoints {
public:
  Checkpoints(const TrainOptions &options, World &world)
      : options(options.checkpoint), program(options.program), world(world) {}

  /// Takes the memory, before step `first`.  `folder` is rank 0's; `arenas` and
  /// `threads` are what the rank has.  Throws AgreedError.
  void start(int64_t first, const State &state, CheckpointFolder *folder,
             uint64_t arenas, int threads);
  /// "saves     ..." for the block at the start, a line or none.
  std::string startText() const;

  /// Between steps: looks after what is in progress, and says whether now, after
  /// `done` steps, a checkpoint is due.  Throws AgreedError for one that failed,
  /// if that is to end the run.
  bool isDue(int64_t done);
  /// At the end, where nothing has gone wrong.
  bool isDueAtExit(int64_t done) const;
  void save(const RunPosition &run, const ParameterMemory &memory);
  /// Waits for what is in progress; where the run has diverged, gives up what the
  /// next step has not shown to be sound.
  void finish(bool hasDiverged);
  /// In which the training stood still since the last call.
  double takeMilliseconds();

  bool hasFailed() const { return failed; }
  /// "checkpoints ..." for the end, a line or none.
  std::string endText() const;

private:
  void reportFailure();

  const CheckpointOptions &options;
  const std::string &program;
  World &world;
  std::unique_ptr<CheckpointWriter> writer; ///< without --checkpoint none
  int64_t last = 0; ///< steps that were done at the last one, or the start
  bool failed = false;
  double told = 0; ///< seconds of takeMilliseconds
};

} // namespace zrt
