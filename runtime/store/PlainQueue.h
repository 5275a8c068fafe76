//===- PlainQueue.h - Blocks by pread and pwrite ----------------*- C++ -*-===//
//
// Where io_uring is not to be had.  One request at a time: most drives give less
// than they could.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/store/BlockQueue.h"

#include <vector>

namespace zrt {

class PlainQueue final : public BlockQueue {
public:
  void start(uint32_t slot, const BlockRequest &request) override {
    waiting.push_back({slot, request});
  }
  BlockResult wait() override;

private:
  struct Started {
    uint32_t slot;
    BlockRequest request;
  };
  std::vector<Started> waiting; ///< from `next` on, in their order
  size_t next = 0;
};

} // namespace zrt
