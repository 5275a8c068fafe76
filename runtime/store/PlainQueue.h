//===- PlainQueue.h - Moves blocks by pread and pwrite ----------*- C++ -*-===//
//
// Used where io_uring is not available.  It does one request at a time, so most
// drives do not reach their full speed.
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
  std::vector<Started> waiting; ///< from `next` on, in order
  size_t next = 0;
};

} // namespace zrt
