//===- Checkpoints.h - The checkpoints of a training ------------*- C++ -*-===//
#pragma once

#include "runtime/world/Agree.h"
#include "train/options/Options.h"
#include "train/report/StandardStreams.h"
#include "train/state/checkpoint/Folder.h"
#include "train/state/checkpoint/State.h"
#include "train/state/checkpoint/Writer.h"

#include <memory>
#include <string>

namespace zrt {

/// Decides when a run saves, and reports on it.  All ranks call each method
/// together, except for the texts.  Without --checkpoint nothing happens.
class Checkpoints {
public:
  Checkpoints(const TrainOptions &options, World &world)
      : options(options.checkpoint), program(options.program), world(world) {}

  /// Allocates the memory, before step `first`.  `folder` is rank 0's; `arenas`
  /// (bytes) and `threads` are this rank's.  Throws AgreedError.
  void start(int64_t first, const State &state, CheckpointFolder *folder,
             uint64_t arenas, int threads);
  /// The line "saves     ..." of the start block, or "".
  std::string startText() const;

  /// Between steps: polls the checkpoint in progress, and returns true if one
  /// is due after `done` steps.  Throws AgreedError for a checkpoint that
  /// failed, if its failure is to end the run.
  bool isDue(int64_t done);
  /// Returns true if a run that ends without an error saves once more; it may
  /// be asked to.
  bool isDueAtExit(int64_t done, bool isAsked) const;
  void save(const RunPosition &run, const ParameterMemory &memory);
  /// Waits for the checkpoint in progress.  If the run has diverged, abandons a
  /// checkpoint that no later step has shown to be sound.
  void finish(bool hasDiverged);
  /// The time for which checkpoints have stopped the training since the last
  /// call.
  double takeMilliseconds();

  bool hasFailed() const { return failed; }
  /// The line "checkpoints ..." of the final report, or "".
  std::string endText() const;

private:
  void reportFailure();

  const CheckpointOptions &options;
  const std::string &program;
  World &world;
  std::unique_ptr<CheckpointWriter> writer; ///< null without --checkpoint
  int64_t last = 0; ///< steps done at the last checkpoint, or at the start
  bool failed = false;
  double told = 0; ///< seconds that takeMilliseconds has reported
};

} // namespace zrt
