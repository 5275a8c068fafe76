//===- BlockQueue.cpp - Moves blocks by io_uring, or by pread and pwrite --===//
#include "runtime/store/BlockQueue.h"

#include "runtime/text/Error.h"

#include <algorithm>
#include <cerrno>
#include <liburing.h>
#include <optional>
#include <queue>
#include <sched.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace zrt;

namespace {

/// The largest buffer that io_uring can register.
constexpr uint64_t kBuffer = uint64_t{1} << 30;

/// Requests are submitted to the system only in wait(), all started ones
/// together.
class UringQueue final : public BlockQueue {
public:
  ~UringQueue() override {
    if (isOpen)
      io_uring_queue_exit(&ring);
  }

  /// Called first.  Returns -errno on failure; then nothing else may be called.
  int open(uint32_t depth) {
    const int status = io_uring_queue_init(depth, &ring, 0);
    isOpen = status >= 0;
    return status;
  }

  bool pin(std::byte *memory, uint64_t bytes) override {
    std::vector<iovec> buffers;
    for (uint64_t at = 0; at < bytes; at += kBuffer)
      buffers.push_back({memory + at, std::min(kBuffer, bytes - at)});
    if (const int status = io_uring_register_buffers(
            &ring, buffers.data(), static_cast<unsigned>(buffers.size()));
        status < 0) {
      errno = -status;
      return false;
    }
    pinned = memory;
    pinnedBytes = bytes;
    return true;
  }

  void start(uint32_t slot, const BlockRequest &r) override {
    // There are as many entries as slots.
    io_uring_sqe *entry = io_uring_get_sqe(&ring);
    if (!entry)
      fail("io_uring has no room for request {}", slot);
    const auto bytes = static_cast<unsigned>(r.bytes);
    const auto buffer = bufferOf(r);
    if (buffer && r.writes)
      io_uring_prep_write_fixed(entry, r.file, r.memory, bytes, r.offset,
                                *buffer);
    else if (buffer)
      io_uring_prep_read_fixed(entry, r.file, r.memory, bytes, r.offset,
                               *buffer);
    else if (r.writes)
      io_uring_prep_write(entry, r.file, r.memory, bytes, r.offset);
    else
      io_uring_prep_read(entry, r.file, r.memory, bytes, r.offset);
    io_uring_sqe_set_data64(entry, slot);
  }

  BlockResult wait() override {
    io_uring_cqe *done = nullptr;
    while (true) {
      const int status = io_uring_submit_and_wait(&ring, 1);
      if (io_uring_peek_cqe(&ring, &done) == 0 && done)
        break;
      // Tolerates a signal, and a system that is short of memory for requests.
      if (status < 0 && status != -EINTR && status != -EAGAIN &&
          status != -EBUSY)
        fail("io_uring_enter: {}", errnoText(-status));
      sched_yield();
    }
    const BlockResult result = {
        static_cast<uint32_t>(io_uring_cqe_get_data64(done)), done->res};
    io_uring_cqe_seen(&ring, done);
    return result;
  }

private:
  /// Returns the pinned buffer that contains the request's memory, if any.
  std::optional<int> bufferOf(const BlockRequest &r) const {
    if (!pinned || r.memory < pinned ||
        r.memory + r.bytes > pinned + pinnedBytes)
      return std::nullopt;
    const auto first = static_cast<uint64_t>(r.memory - pinned);
    const uint64_t last = first + r.bytes - 1;
    if (first / kBuffer != last / kBuffer)
      return std::nullopt;
    return static_cast<int>(first / kBuffer);
  }

  io_uring ring = {};
  bool isOpen = false;
  std::byte *pinned = nullptr;
  uint64_t pinnedBytes = 0;
};

class PlainQueue final : public BlockQueue {
public:
  void start(uint32_t slot, const BlockRequest &request) override {
    waiting.emplace(slot, request);
  }
  BlockResult wait() override {
    const auto [slot, r] = waiting.front();
    waiting.pop();
    const auto at = static_cast<off_t>(r.offset);
    const ssize_t moved = r.writes ? pwrite(r.file, r.memory, r.bytes, at)
                                   : pread(r.file, r.memory, r.bytes, at);
    return {slot, moved < 0 ? -int64_t{errno} : moved};
  }

private:
  std::queue<std::pair<uint32_t, BlockRequest>> waiting; ///< with their slots
};

} // namespace

std::unique_ptr<BlockQueue> zrt::makeUringQueue(uint32_t depth) {
  auto queue = std::make_unique<UringQueue>();
  if (const int status = queue->open(depth); status < 0) {
    errno = -status;
    return nullptr;
  }
  return queue;
}

std::unique_ptr<BlockQueue> zrt::makePlainQueue() {
  return std::make_unique<PlainQueue>();
}
