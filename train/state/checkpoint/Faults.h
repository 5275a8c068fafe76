//===- Faults.h - Injects faults into checkpoints, for tests ----*- C++ -*-===//
//
// ZRT_CHECKPOINT_FAULT=KIND@POINT[#N][:RANK] in the environment makes one rank,
// or all, fail on reaching a point for the N-th time (default 1):
//
//   kill     by SIGKILL
//   eio      the drive cannot write
//   enospc   the file system has no room
//   slow     wait 20 ms, each time from then on
//
//   copy     state is about to be copied
//   block    a block is about to be written
//   sync     a file is about to be synced
//   manifest half of the manifest is written
//   rename   all is written and synced
//   renamed  the checkpoint has its name, its folder is not synced
//   remove   an older checkpoint is about to be removed
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace zrt {

class CheckpointFaults {
public:
  CheckpointFaults() = default;
  /// Reads the environment.  Throws zrt::Error for an invalid value.
  explicit CheckpointFaults(int rank);

  /// Call at `point`: returns 0, or the errno to fail with.  Any thread.
  int reach(std::string_view point);

private:
  enum class Kind { None, Kill, Eio, Enospc, Slow };
  Kind kind = Kind::None;
  std::string where;
  uint64_t number = 1;
  std::atomic<uint64_t> reached{0};
};

} // namespace zrt
