//===- Faults.h - Simulates failing disks for tests -------------*- C++ -*-===//
//
// ZRT_STORE_FAULT=KIND[@N][:RANK] in the environment makes every N-th request
// (default 1) of the nvme tier fail, on all ranks or on one:
//
//   eio      a drive that cannot read or write
//   enospc   a file system that has no room for a write
//   eagain   "try again"; so does eintr
//   short    only a part of the request is done, not even whole blocks
//   cut      a read finds the end of the file
//   flip     one bit of the data is flipped by a read
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

/// A fault and its count of requests, shared by all queues of a store.
class Faults {
public:
  explicit Faults(Fault kind = Fault::None, uint64_t every = 1)
      : kind(kind), every(every) {}
  /// Throws zrt::Error if ZRT_STORE_FAULT is invalid.
  static std::shared_ptr<Faults> fromEnvironment(int rank);
  static std::shared_ptr<Faults> parse(std::string_view text, int rank);

  bool is(Fault fault) const { return kind == fault; }
  /// Wraps `queue` so that its requests fail as described above.
  static std::unique_ptr<BlockQueue> around(std::unique_ptr<BlockQueue> queue,
                                            std::shared_ptr<Faults> faults);

private:
  friend class FaultyQueue;

  const Fault kind;
  const uint64_t every;
  std::atomic<uint64_t> requests{0}; ///< that the fault can affect
};

} // namespace zrt
