//===- Folder.h - The folder that holds a run's checkpoints -----*- C++ -*-===//
//
//   DIR/.lock                          locked by rank 0 of the run that writes
//   DIR/.step-300.<16 digits>.zrt/     incomplete: being written, or removed
//   DIR/step-200/                      complete
//     manifest.json
//     rank-00000.safetensors
//     rank-00001.safetensors
//
// A rename gives a checkpoint its name once all of it is on the disk, and
// another one takes the name away before anything of it is removed.  So a
// folder step-N is complete, and other folders are work in progress.  Only one
// run holds the lock; incomplete folders that it finds are left over from dead
// runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/files/OpenFile.h"
#include "train/state/checkpoint/Faults.h"

#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

/// The steps of the checkpoints in `folder`, ascending.  Throws zrt::Error if
/// it cannot be read.
std::vector<int64_t> checkpointSteps(const std::string &folder);
/// FOLDER/step-N
std::string checkpointPath(const std::string &folder, int64_t step);

/// The folder to which one run writes its checkpoints.
class CheckpointFolder {
public:
  /// Creates `path` if it does not exist, locks it, and removes what dead runs
  /// have left.  Throws zrt::Error if another run holds the lock, or if the
  /// folder is not writable.
  explicit CheckpointFolder(const std::string &path, bool isForced = false);

  const std::string &path() const { return folder; }
  /// Bytes that are free for writing here.
  uint64_t freeBytes() const;
  /// Creates a temporary folder for the files of a checkpoint and returns its
  /// path, for `commit`.  Throws zrt::Error.
  std::string begin(int64_t step) const;
  /// Renames the folder to step-N.  On an error it leaves the folder and throws
  /// zrt::Error.
  void commit(const std::string &temporary, int64_t step,
              CheckpointFaults &faults) const;
  /// Removes a folder that `begin` made; ignores errors.
  void discard(const std::string &temporary) const;
  /// Removes all checkpoints but the `keep` newest and that of step `best`, if
  /// it is not -1; ignores errors.
  void keepNewest(int64_t keep, CheckpointFaults &faults,
                  int64_t best = -1) const;

private:
  void lock();
  void removeLeftovers() const;
  std::string temporaryPath(int64_t step) const;

  const std::string folder;
  OpenFile lockFile; ///< closing it releases the lock, too
};

} // namespace zrt
