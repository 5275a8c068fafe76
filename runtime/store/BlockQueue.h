//===- BlockQueue.h - Interface for requests to a store ---------*- C++ -*-===//
//
// The interface below the store: a queue moves blocks between memory and files,
// with several requests in flight.  The store decides which blocks to move and
// how to handle results; a queue only reports what the system returned.
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
#include <memory>

namespace zrt {

/// Whole blocks, aligned to the block size in memory and in the file.
struct BlockRequest {
  int file = -1; ///< descriptor
  bool writes = false;
  uint64_t offset = 0; ///< in the file
  std::byte *memory = nullptr;
  uint64_t bytes = 0;
};

/// The result of a request: the number of bytes moved, which may be fewer than
/// requested, or -errno.
struct BlockResult {
  uint32_t slot = 0;
  int64_t result = 0;
};

/// May be used by one thread at a time.
class BlockQueue {
public:
  virtual ~BlockQueue() = default;
  /// Lets the system pin memory that many requests will use, which must outlive
  /// this, instead of pinning it for each request.  Returns false and sets
  /// errno if the system refuses; requests may use the memory all the same.
  virtual bool pin(std::byte *, uint64_t) { return true; }
  /// Starts `request` in a free slot below the queue's depth; the request's
  /// memory must stay valid until it is done.
  virtual void start(uint32_t slot, const BlockRequest &request) = 0;
  /// Sleeps until any request is done, which frees its slot.  At least one must
  /// have been started.  Throws zrt::Error if the queue itself fails.
  virtual BlockResult wait() = 0;
};

/// A queue of `depth` slots by io_uring; nullptr if the system refuses, and
/// errno has the reason.
std::unique_ptr<BlockQueue> makeUringQueue(uint32_t depth);

/// A queue by pread and pwrite, for where io_uring is not available.  It does
/// one request at a time, so most drives do not reach their full speed.
std::unique_ptr<BlockQueue> makePlainQueue();

} // namespace zrt
