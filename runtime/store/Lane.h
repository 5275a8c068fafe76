//===- Lane.h - Transfers to and from a store -------------------*- C++ -*-===//
//
// Cuts a transfer into requests of at most one stripe, many of which are in
// flight.  A transfer is complete when all of its bytes have been moved.
//
//   space     |  block  |  block  |  block  |      whole blocks
//   memory    |  bytes of the transfer  |           another buffer may follow
//                                 ^^^^^^
//                                 through a block that the lane owns
//
// Requests that the system did only in part, or asks to try again, are
// repeated.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/store/BlockQueue.h"
#include "runtime/store/Blocks.h"
#include "runtime/store/Space.h"

#include <memory>
#include <string>
#include <vector>

namespace zrt {

class Lane {
public:
  /// Accesses `space`, which must outlive this.  Throws zrt::Error.
  explicit Lane(Space &space);

  /// Copies `bytes` bytes from or to the space, where `offset` is a multiple of
  /// the block size and the memory is block-aligned.  Returns the number of
  /// bytes moved.  Throws zrt::Error.
  uint64_t read(uint64_t offset, uint64_t bytes, std::byte *to) {
    return transfer({false, offset, to, bytes});
  }
  uint64_t write(uint64_t offset, uint64_t bytes, const std::byte *from) {
    return transfer({true, offset, const_cast<std::byte *>(from), bytes});
  }

  /// Lets the system pin memory that many transfers will use; called once, and
  /// the memory must outlive this.  Returns "" on success, otherwise the
  /// reason.
  std::string pin(std::byte *memory, uint64_t bytes);

  /// Why there is no io_uring; "" if there is.
  const std::string &note() const { return remark; }

private:
  struct Transfer {
    bool writes;
    uint64_t offset; ///< in the space
    std::byte *memory;
    uint64_t bytes;
  };
  /// A request in flight: whole blocks of one stripe.
  struct Request {
    Transfer all;
    uint64_t done = 0; ///< bytes
    int tries = 0;     ///< since the last progress
  };

  uint64_t transfer(const Transfer &transfer);
  /// Starts the rest of a request.
  void start(uint32_t slot);
  /// Handles a result.  Returns true if the slot's request is complete.  Throws
  /// zrt::Error.
  bool finish(const BlockResult &result);
  void retry(Request &request, int number);
  [[noreturn]] void failAt(const Request &request,
                           const std::string &why) const;

  Space &space;
  std::string remark;
  const BlockMemory last{kBlock}; ///< the last block of a transfer, if partial
  std::vector<Request> requests;  ///< by slot
  std::vector<uint32_t> unused;   ///< slots
  /// Declared after the memory that it uses.
  std::unique_ptr<BlockQueue> queue;
};

} // namespace zrt
