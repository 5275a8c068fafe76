//===- BlockQueue.h - Requests to the files of a store ----------*- C++ -*-===//
//
// The seam below the store: whoever moves blocks between memory and files, with
// several requests in flight.  The store decides what is moved, and what is
// done about a result; a queue only says what the system said.
//
//     Lane            start, start, start ... wait         BlockQueue
//     cuts, retries   ---------------------------->        io_uring, or
//     errors          <----------------------------        pread and pwrite
//                        slot 7: 1048576, or -EIO
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace zrt {

/// Whole blocks, in memory and in the file at multiples of one.
struct BlockRequest {
  int file = -1; ///< descriptor
  bool writes = false;
  uint64_t offset = 0; ///< in the file
  std::byte *memory = nullptr;
  uint64_t bytes = 0;
};

/// What has become of a request: the bytes that were moved, which may be fewer
/// than were asked for, or -errno.
struct BlockResult {
  uint32_t slot = 0;
  int64_t result = 0;
};

/// Of one thread at a time.
class BlockQueue {
public:
  virtual ~BlockQueue() = default;
  /// Lets the system pin memory that many requests will use, which outlives
  /// this, so that it need not do so for each.  False where it will not, and
  /// errno says why; requests may use that memory all the same.
  virtual bool pin(std::byte *, uint64_t) { return true; }
  /// Starts `request` in a slot below the queue's depth that is not in use; its
  /// memory stays until it is done.
  virtual void start(uint32_t slot, const BlockRequest &request) = 0;
  /// Sleeps until any request is done, whose slot is then free.  At least one
  /// has been started.  Throws zrt::Error when the queue itself fails.
  virtual BlockResult wait() = 0;
};

} // namespace zrt
