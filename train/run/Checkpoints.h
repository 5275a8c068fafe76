//===- Checkpoints.h - The checkpoints of a training ------------*- C++ -*-===//
#pragma once

#include "train/report/StepHook.h"
#include "train/run/Run.h"
#include "train/state/checkpoint/Folder.h"
#include "train/state/checkpoint/Writer.h"

#include <memory>
#include <optional>
#include <string>

namespace zrt {

/// Decides when a run saves, and reports on it.  All ranks call each method
/// together, except for the texts.  Without --checkpoint nothing happens.
class Checkpoints : public StepHook {
public:
  explicit Checkpoints(Run &run) : run(run), options(run.options.checkpoint) {}

  /// Rank 0 takes the folder --checkpoint.  Throws zrt::Error if it holds
  /// checkpoints and --resume is not given.
  void takeFolder();
  /// Allocates the memory, before the first step.  Throws AgreedError.
  void start();
  /// The line "saves     ..." of the start block, or "".
  std::string startText() const;

  /// Polls the checkpoint in progress, and saves if one is due.  Throws
  /// AgreedError for a checkpoint that failed, if its failure is to end the
  /// run.
  void betweenSteps(StepMetrics &next) override;
  /// Saves once more a run that ends without an error, if that is asked for.
  void atEnd() override;
  /// Saves now, unless the last checkpoint is of this step, and waits until it
  /// is complete; returns its folder.  Throws zrt::Error on all ranks if there
  /// is none then; the run may go on.
  std::string saveNow();
  /// Counts from the checkpoint on that the run has loaded, if it has.
  void restart();
  /// Waits for the checkpoint in progress.  If the run has diverged, abandons a
  /// checkpoint that no later step has shown to be sound.
  void finish();

  bool hasFailed() const { return failed; }
  /// The line "checkpoints ..." of the final report, or "".
  std::string endText() const;

private:
  void save();
  void begin();
  void reportFailure();

  Run &run;
  const CheckpointOptions &options;
  std::unique_ptr<CheckpointFolder> folder; ///< on rank 0, with --checkpoint
  std::unique_ptr<CheckpointWriter> writer; ///< null without --checkpoint
  int64_t last = 0; ///< steps done at the last checkpoint, or at the start
  /// The steps of the last checkpoint in the folder, if it did not fail.
  std::optional<int64_t> saved;
  bool failed = false;
  bool toldOfBase = false; ///< that it has changed
  double told = 0;         ///< seconds of stopped training that metrics have
};

} // namespace zrt
