//===- Writer.h - Checkpoints of all ranks, beside the training -*- C++ -*-===//
//
// A checkpoint goes through three phases, and ranks vote between steps on when
// the next one begins:
//
//             save          |votes: all written?     |votes: ended?
//   rank 0   copy | steps, and a thread writes | ... a thread ends it | ...
//   rank 1   copy | steps, and a thread writes | ...                  | ...
//                                              ^
//                            hashes go to rank 0, which writes the manifest,
//                            renames the folder, and removes old checkpoints
//
// A vote is a message between ranks that are between two steps anyway; there are
// none while no checkpoint is in progress.  A rank that fails to write says so in
// its vote: the checkpoint is given up on all ranks together, and the training
// decides what follows.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/checkpoint/FileWriter.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/State.h"
#include "runtime/world/World.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace zrt {

/// How a rank goes about it.
struct WriterSettings {
  int64_t keep = 0;    ///< how many checkpoints; 0: all
  uint64_t memory = 0; ///< bytes of staging at most; 0: what is free
  /// Bytes that this rank will still take for other things.
  uint64_t reserved = 0;
  int threads = 1; ///< that copy
};

/// All functions but those that only tell are called by all ranks together,
/// between two steps.
class CheckpointWriter {
public:
  /// Takes memory.  `folder` is that of rank 0, and NULL on others.  Throws
  /// AgreedError.
  CheckpointWriter(World &world, const State &state,
                   const WriterSettings &settings, CheckpointFolder *folder);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter &) = delete;
  CheckpointWriter &operator=(const CheckpointWriter &) = delete;

  /// Begins a checkpoint, after the one before it; returns when state may change
  /// again.
  void save(const RunPosition &run, const ParameterMemory &memory);
  /// Looks after the one in progress, without waiting for a drive.
  void look();
  /// Waits for it.
  void finish();
  /// The run has diverged.  What was written when the step after it was still fine
  /// is completed; what was not is given up, for nobody should go on from there.
  /// The step of that, or nothing.
  std::optional<int64_t> abandon();

  /// Why a checkpoint was given up since the last call, the same on all ranks.
  std::optional<std::string> takeFailure();

  int64_t written() const { return count; } ///< complete checkpoints
  /// Bytes of one, of all ranks.
  uint64_t totalBytes() const { return allBytes; }
  /// Of host memory, on this rank.
  uint64_t stagingBytes() const { return staging->bytes(); }
  /// Whether, on some rank, not all of it fits there: then steps wait for drives.
  bool waitsForDrive() const { return isBounded; }
  /// In which the training stood still, on this rank.
  double exposedSeconds() const { return exposed; }
  /// Of those that are complete: until the slowest rank's file was on the disk.
  double writtenSeconds() const { return writing; }

private:
  enum class Phase { Idle, Writing, Ending };
  void planMemory(const WriterSettings &settings);
  void begin(const RunPosition &run, const ParameterMemory &memory);
  void vote();
  void giveUp(const std::string &why);
  void collect();
  FileRecord ownRecord() const;
  /// Of rank 0, on a thread of its own.
  void end();
  void writeManifest();

  World &world;
  const State &state;
  const int64_t keep;
  const int threads;
  CheckpointFolder *const folder;
  CheckpointFaults faults;
  std::vector<std::vector<StateRange>> shares; ///< of rank 0: all ranks'
  RankFile file;
  std::unique_ptr<Staging> staging;
  uint64_t wanted = 0; ///< bytes of staging
  uint64_t allBytes = 0;
  bool isBounded = false;

  Phase phase = Phase::Idle;
  std::string temporary; ///< the folder in progress
  std::unique_ptr<FileWriter> writer;
  Manifest manifest; ///< of the checkpoint in progress, on rank 0 whole
  std::thread ender;
  std::atomic<bool> ended{false};
  std::optional<std::string> endFailure;

  std::optional<std::string> failure;
  int64_t count = 0;
  double exposed = 0, writing = 0, lastWriting = 0;
};

} // namespace zrt
