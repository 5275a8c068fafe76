//===- Lane.h - One thread's way to a store ---------------------*- C++ -*-===//
//
// A transfer is cut into requests, at most one stripe each, of which many are in
// flight.  It is over when all bytes are where they belong.
//
//   space     |  block  |  block  |  block  |      whole blocks
//   memory    |  bytes of the transfer  |           what follows is another's
//                                 ^^^^^^
//                                 by way of a block of the lane's own
//
// What the system moves only in part, or asks to try again, is asked for again.
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
  /// To `space`, which outlives this.  Throws zrt::Error.
  explicit Lane(Space &space);

  /// Copies `bytes` bytes that begin with a block, to memory or from it, which
  /// is aligned to blocks.  How many have arrived.  Throws zrt::Error.
  uint64_t read(uint64_t offset, uint64_t bytes, std::byte *to) {
    return transfer({false, offset, to, bytes});
  }
  uint64_t write(uint64_t offset, uint64_t bytes, const std::byte *from) {
    return transfer({true, offset, const_cast<std::byte *>(from), bytes});
  }

  /// Lets the system pin memory that many transfers will use, once; it outlives
  /// this.  Why it will not, or "".
  std::string pin(std::byte *memory, uint64_t bytes);

  /// Why it has no io_uring; "" when it has.
  const std::string &note() const { return remark; }

private:
  struct Transfer {
    bool writes;
    uint64_t offset; ///< in the space
    std::byte *memory;
    uint64_t bytes;
  };
  /// One that is in flight: whole blocks of one stripe.
  struct Request {
    Transfer all;
    uint64_t done = 0; ///< bytes
    int tries = 0;     ///< since something was moved
  };

  uint64_t transfer(const Transfer &transfer);
  /// Starts what is left of a request.
  void start(uint32_t slot);
  /// Whether the request of that slot is over.  Throws zrt::Error.
  bool finish(const BlockResult &result);
  void retry(Request &request, int number);
  [[noreturn]] void failAt(const Request &request,
                           const std::string &why) const;

  Space &space;
  std::string remark;
  const BlockMemory last{kBlock}; ///< of a transfer, where it is not whole
  std::vector<Request> requests;  ///< by slot
  std::vector<uint32_t> unused;   ///< slots
  /// After the memory that it uses.
  std::unique_ptr<BlockQueue> queue;
};

} // namespace zrt
