//===- Writer.h - Writes checkpoints during training ------------*- C++ -*-===//
//
// A checkpoint has three phases, and between steps ranks vote on when the next
// one begins:
//
//             save          |votes: all written?     |votes: ended?
//   rank 0   copy | steps, and a thread writes | ... a thread ends it | ...
//   rank 1   copy | steps, and a thread writes | ...                  | ...
//                                              ^
//                            hashes go to rank 0, which writes the manifest,
//                            renames the folder, and removes old checkpoints
//
// A vote is a collective of all ranks between two steps; there is none while no
// checkpoint is in progress.  A rank that fails to write reports it in its
// vote.  Then all ranks together abandon the checkpoint, and the training
// decides how to continue.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"
#include "train/state/checkpoint/FileWriter.h"
#include "train/state/checkpoint/Folder.h"
#include "train/state/checkpoint/Manifest.h"
#include "train/state/checkpoint/State.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace zrt {

/// The settings of a rank's writer.
struct WriterSettings {
  int64_t keep = 0;       ///< number of checkpoints to keep; 0: all
  bool keepsBest = false; ///< that of the best evaluation, too
  uint64_t memory = 0;    ///< most bytes of staging; 0: free memory
  /// Bytes that this rank will still allocate for other purposes.
  uint64_t reserved = 0;
  int threads = 1; ///< for copying
};

/// All ranks call each function together, between two steps, except for
/// accessors.
class CheckpointWriter {
public:
  /// Allocates staging.  `folder` is null on all ranks but 0.  Throws
  /// AgreedError.
  CheckpointWriter(World &world, const State &state,
                   const WriterSettings &settings, CheckpointFolder *folder);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter &) = delete;
  CheckpointWriter &operator=(const CheckpointWriter &) = delete;

  /// Finishes the previous checkpoint and begins one; afterwards the state may
  /// change.
  void save(const RunPosition &run, const ParameterMemory &memory);
  /// Advances the checkpoint in progress, without waiting for a drive.
  void look();
  /// Waits for the checkpoint in progress.
  void finish();
  /// Call this if the run has diverged.  Abandons a checkpoint that is still
  /// being written, because its state may be bad already, and returns its step.
  /// Otherwise finishes the checkpoint in progress and returns nullopt.
  std::optional<int64_t> abandon();

  /// The reason why a checkpoint was abandoned since the last call, if one was;
  /// the same on all ranks.
  std::optional<std::string> takeFailure();

  int64_t written() const { return count; } ///< complete checkpoints
  /// Bytes of a checkpoint, over all ranks.
  uint64_t totalBytes() const { return allBytes; }
  /// Bytes of staging on this rank.
  uint64_t stagingBytes() const { return staging->bytes(); }
  /// Returns true if some rank's data do not fit into its staging; then steps
  /// wait for drives.
  bool waitsForDrive() const { return isBounded; }
  /// The time for which checkpoints have stopped this rank.
  double exposedSeconds() const { return exposed; }
  /// For complete checkpoints: the time until the slowest rank's file was on
  /// disk.
  double writtenSeconds() const { return writing; }

private:
  enum class Phase { Idle, Writing, Ending };
  void planMemory(const WriterSettings &settings);
  void begin(const RunPosition &run, const ParameterMemory &memory);
  void vote();
  void giveUp(const std::string &why);
  void collect();
  /// Completes the checkpoint; runs on rank 0, on its own thread.
  void end();
  void writeManifest();

  World &world;
  const State &state;
  const int64_t keep;
  const bool keepsBest;
  const int threads;
  CheckpointFolder *const folder;
  CheckpointFaults faults;
  std::vector<std::vector<StateRange>> shares; ///< by rank
  RankFile file;
  std::unique_ptr<Staging> staging;
  uint64_t wanted = 0; ///< bytes of staging
  uint64_t allBytes = 0;
  bool isBounded = false;

  Phase phase = Phase::Idle;
  std::string temporary; ///< the folder in progress
  std::unique_ptr<FileWriter> writer;
  Manifest manifest; ///< of the checkpoint in progress; complete on rank 0 only
  std::thread ender;
  std::atomic<bool> ended{false};
  std::optional<std::string> endFailure;

  std::optional<std::string> failure;
  int64_t count = 0;
  double exposed = 0, writing = 0, lastWriting = 0;
};

} // namespace zrt
