//===- Faults.h - Disks that fail, for tests --------------------*- C++ -*-===//
//
// ZRT_STORE_FAULT=KIND[@N][:RANK] in the environment lets every N-th request
// (default 1) of the nvme tier fail, on all ranks or on one:
//
//   eio      a drive that cannot read or write
//   enospc   a file system that has no room for a write
//   eagain   "try again"; so does eintr
//   short    a part of what was asked for, not even whole blocks
//   cut      a read finds the end of the file
//   flip     a bit of what was read is another
//   nouring  no io_uring
//   nodirect no O_DIRECT
//   nopin    memory cannot be locked
//   full     no room at the start
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/store/BlockQueue.h"

#include <atomic>
#include <memory>
#include <string_view>

namespace zrt {

enum class Fault {
  None,
  Eio,
  Enospc,
  Eagain,
  Eintr,
  Short,
  Cut,
  Flip,
  NoUring,
  NoDirect,
  NoPin,
  Full
};

/// What goes wrong in a store.  Shared by its queues, which count together.
class Faults {
public:
  explicit Faults(Fault kind = Fault::None, uint64_t every = 1)
      : kind(kind), every(every) {}
  /// Throws zrt::Error when ZRT_STORE_FAULT means nothing.
  static std::shared_ptr<Faults> fromEnvironment(int rank);
  static std::shared_ptr<Faults> parse(std::string_view text, int rank);

  bool is(Fault fault) const { return kind == fault; }
  /// Puts the faults of requests around `queue`.
  static std::unique_ptr<BlockQueue> around(std::unique_ptr<BlockQueue> queue,
                                            std::shared_ptr<Faults> faults);

private:
  friend class FaultyQueue;

  const Fault kind;
  const uint64_t every;
  std::atomic<uint64_t> requests{0}; ///< that the fault may befall
};

} // namespace zrt
