//===- UringQueue.h - Blocks by io_uring ------------------------*- C++ -*-===//
#pragma once

#include "runtime/store/BlockQueue.h"

#include <memory>
#include <optional>

namespace zrt {

class UringQueue final : public BlockQueue {
public:
  /// A queue of so many slots; nullptr where the system gives none, and errno
  /// then says why.
  static std::unique_ptr<UringQueue> make(uint32_t depth);
  ~UringQueue() override;

  bool pin(std::byte *memory, uint64_t bytes) override;
  void start(uint32_t slot, const BlockRequest &request) override;
  BlockResult wait() override;

private:
  struct Ring;
  explicit UringQueue(std::unique_ptr<Ring> ring);
  /// The pinned buffer that has the request's memory, if one has all of it.
  std::optional<int> bufferOf(const BlockRequest &request) const;

  const std::unique_ptr<Ring> ring;
  std::byte *pinned = nullptr;
  uint64_t pinnedBytes = 0;
};

} // namespace zrt
