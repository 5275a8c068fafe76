//===- UringQueue.cpp - Moves blocks by io_uring --------------------------===//
//
// Requests are submitted to the system only in wait(), all started ones
// together.
//
//===----------------------------------------------------------------------===//
#include "runtime/store/UringQueue.h"

#include "runtime/Error.h"

#include <algorithm>
#include <liburing.h>
#include <sched.h>
#include <vector>

using namespace zrt;

/// The largest buffer that io_uring can register.
static constexpr uint64_t kBuffer = uint64_t{1} << 30;

struct UringQueue::Ring {
  io_uring uring = {};
  bool isOpen = false;
  ~Ring() {
    if (isOpen)
      io_uring_queue_exit(&uring);
  }
};

UringQueue::UringQueue(std::unique_ptr<Ring> aRing) : ring(std::move(aRing)) {}
UringQueue::~UringQueue() = default;

std::unique_ptr<UringQueue> UringQueue::make(uint32_t depth) {
  auto ring = std::make_unique<Ring>();
  if (const int status = io_uring_queue_init(depth, &ring->uring, 0);
      status < 0) {
    errno = -status;
    return nullptr;
  }
  ring->isOpen = true;
  return std::unique_ptr<UringQueue>(new UringQueue(std::move(ring)));
}

bool UringQueue::pin(std::byte *memory, uint64_t bytes) {
  std::vector<iovec> buffers;
  for (uint64_t at = 0; at < bytes; at += kBuffer)
    buffers.push_back({memory + at, std::min(kBuffer, bytes - at)});
  if (const int status = io_uring_register_buffers(
          &ring->uring, buffers.data(), static_cast<unsigned>(buffers.size()));
      status < 0) {
    errno = -status;
    return false;
  }
  pinned = memory;
  pinnedBytes = bytes;
  return true;
}

std::optional<int> UringQueue::bufferOf(const BlockRequest &r) const {
  if (!pinned || r.memory < pinned || r.memory + r.bytes > pinned + pinnedBytes)
    return std::nullopt;
  const auto first = static_cast<uint64_t>(r.memory - pinned);
  const uint64_t last = first + r.bytes - 1;
  if (first / kBuffer != last / kBuffer)
    return std::nullopt;
  return static_cast<int>(first / kBuffer);
}

void UringQueue::start(uint32_t slot, const BlockRequest &r) {
  // There are as many entries as slots.
  io_uring_sqe *entry = io_uring_get_sqe(&ring->uring);
  if (!entry)
    fail("io_uring has no room for request {}", slot);
  const auto bytes = static_cast<unsigned>(r.bytes);
  const auto buffer = bufferOf(r);
  if (buffer && r.writes)
    io_uring_prep_write_fixed(entry, r.file, r.memory, bytes, r.offset,
                              *buffer);
  else if (buffer)
    io_uring_prep_read_fixed(entry, r.file, r.memory, bytes, r.offset, *buffer);
  else if (r.writes)
    io_uring_prep_write(entry, r.file, r.memory, bytes, r.offset);
  else
    io_uring_prep_read(entry, r.file, r.memory, bytes, r.offset);
  io_uring_sqe_set_data64(entry, slot);
}

BlockResult UringQueue::wait() {
  io_uring_cqe *done = nullptr;
  while (true) {
    const int status = io_uring_submit_and_wait(&ring->uring, 1);
    if (io_uring_peek_cqe(&ring->uring, &done) == 0 && done)
      break;
    // Tolerates a signal, and a system that is short of memory for requests.
    if (status < 0 && status != -EINTR && status != -EAGAIN && status != -EBUSY)
      fail("io_uring_enter: {}", errnoText(-status));
    sched_yield();
  }
  const BlockResult result = {
      static_cast<uint32_t>(io_uring_cqe_get_data64(done)), done->res};
  io_uring_cqe_seen(&ring->uring, done);
  return result;
}
