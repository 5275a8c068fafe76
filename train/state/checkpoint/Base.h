//===- Base.h - The files of frozen parameters ------------------*- C++ -*-===//
//
// A run does not change its frozen parameters, so a checkpoint does not hold
// those that the run has read from files, its base:
//
//   manifest   parameter h.0.weight, trained       -> rank-00000.safetensors
//              parameter h.1.weight, frozen        -> a tensor of the base
//              base: model.safetensors, with a hash of each of its blocks
//
// The base is known by its content.  It is looked for where the run has read
// it, or where a user says that it is now.
//
// Frozen parameters that no file has, such as random ones, are in the
// checkpoint: nobody could name them again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"
#include "train/state/checkpoint/Blocks.h"
#include "train/state/checkpoint/State.h"
#include "train/state/io/WeightFiles.h"

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace zrt {

/// The absolute form of a path, without "." and a slash at its end.
std::string absolutePath(const std::string &path);

/// The files of a base, open for reading.
class Base {
public:
  /// Opens the files of `path` (WeightFiles.h), but hashes nothing.  Throws
  /// zrt::Error.
  explicit Base(const std::string &path);

  const std::string &path() const { return record.path; }
  const BaseRecord &described() const { return record; }
  const WeightFiles &files() const { return opened; }

  /// Hashes all blocks; each rank a share, and all call it together.  Throws
  /// AgreedError.
  void hash(World &world, int threads);
  /// Returns true if `path` is one of the files.
  bool has(const std::string &path) const;
  /// A file that is another now than when this was made, or "".
  std::string changed() const;

  /// Throws zrt::Error unless the files are as many and as long as in `was`.
  void checkSizes(const BaseRecord &was) const;
  /// Throws zrt::Error if a block of `share` is another than in `was`.
  void checkBlocks(const BaseRecord &was, const BlockShare &share) const;

private:
  /// What tells a file from one that replaces it.
  struct Stamp {
    dev_t device = 0;
    ino_t number = 0;
    int64_t bytes = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp &) const = default;
  };
  static Stamp stampOf(const std::string &path);

  const WeightFiles opened;
  std::vector<std::string> paths; ///< of the files, in the order of `record`
  std::vector<Stamp> stamps;
  BaseRecord record;
};

/// This rank's share of files that each host has for itself.  All ranks call it
/// together.
BlockShare shareOfHost(World &world, int threads);

/// Makes `state` leave its frozen parameters to the base that they were read
/// from.
void leaveToBase(State &state, const Base &base);
/// The same as in a checkpoint, whose base is at `path` now.
void leaveToBase(State &state, const Manifest &manifest,
                 const std::string &path);

} // namespace zrt
