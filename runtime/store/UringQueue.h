//===- UringQueue.h - Moves blocks by io_uring ------------------*- C++ -*-===//
#pragma once

#include "runtime/store/BlockQueue.h"

#include <memory>
#include <optional>

namespace zrt {

class UringQueue final : public BlockQueue {
public:
  /// Creates a queue of `depth` slots; nullptr if the system refuses, and errno
  /// has the reason.
  static std::unique_ptr<UringQueue> make(uint32_t depth);
  ~UringQueue() override;

  bool pin(std::byte *memory, uint64_t bytes) override;
  void start(uint32_t slot, const BlockRequest &request) override;
  BlockResult wait() override;

private:
  struct Ring;
  explicit UringQueue(std::unique_ptr<Ring> ring);
  /// Returns the pinned buffer that contains the request's memory, if any.
  std::optional<int> bufferOf(const BlockRequest &request) const;

  const std::unique_ptr<Ring> ring;
  std::byte *pinned = nullptr;
  uint64_t pinnedBytes = 0;
};

} // namespace zrt
