//===- Folder.h - The folder that holds a run's checkpoints -----*- C++ -*-===//
//
//   DIR/.lock                          held by rank 0 of the run that writes here
//   DIR/.step-300.<16 digits>.zrt/     being written, or removed
//   DIR/step-200/                      complete
//     manifest.json
//     rank-00000.safetensors
//     rank-00001.safetensors
//
// A checkpoint gets its name by a rename, once all of it is on the disk; it loses
// it by one before any of it is removed.  So whatever is called step-N is
// complete, and all else is work in progress.  Who holds the lock is alone here:
// what is in progress then is what dead runs have left.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/checkpoint/Faults.h"

#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

/// The steps of the checkpoints in `folder`, ascending.  Throws zrt::Error when
/// it cannot be read.
std::vector<int64_t> checkpointSteps(const std::string &folder);
/// FOLDER/step-N
std::string checkpointPath(const std::string &folder, int64_t step);
/// Makes the names in a folder durable.  False, with errno.
bool syncFolder(const std::string &folder);

/// Where one run writes.
class CheckpointFolder {
public:
  /// Makes `path` where it does not exist, takes its lock, and removes what dead
  /// runs have left.  Throws zrt::Error: when another run has the lock, and when
  /// nothing can be written here.
  explicit CheckpointFolder(const std::string &path);
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder &) = delete;
  CheckpointFolder &operator=(const CheckpointFolder &) = delete;

  const std::string &path() const { return folder; }
  /// Bytes that may be written here now.
  uint64_t freeBytes() const;
  /// A folder for the files of a checkpoint, which `commit` takes; its path.
  /// Throws zrt::Error.
  std::string begin(int64_t step) const;
  /// Gives it its name.  Throws zrt::Error, and leaves it where it is.
  void commit(const std::string &temporary, int64_t step,
              CheckpointFaults &faults) const;
  /// Removes a folder that `begin` made, as far as that is possible.
  void discard(const std::string &temporary) const;
  /// Removes all checkpoints but the `keep` newest, as far as that is possible.
  void keepNewest(int64_t keep, CheckpointFaults &faults) const;

private:
  void lock();
  void removeLeftovers() const;
  std::string temporaryPath(int64_t step) const;

  const std::string folder;
  int lockFile = -1;
};

} // namespace zrt
