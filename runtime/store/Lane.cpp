//===- Lane.cpp - Transfers to and from a store ---------------------------===//
#include "runtime/store/Lane.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

using namespace zrt;

namespace {

/// The number of requests in flight.
constexpr uint32_t kDepth = 16;
/// The smallest request in bytes: a small transfer still keeps several requests
/// in flight, and a large one makes few.
constexpr uint64_t kSmallest = uint64_t{128} << 10;

/// Attempts without progress; with the pauses between them about 10 s.
constexpr int kMostTries = 1000;

uint64_t requestBytes(uint64_t bytes) {
  return std::clamp(roundUpToBlock(bytes / kDepth), kSmallest, kStripe);
}

} // namespace

Lane::Lane(Space &space) : space(space), requests(kDepth) {
  for (uint32_t slot = kDepth; slot-- > 0;)
    unused.push_back(slot);
  if (!space.faults->is(Fault::NoUring))
    queue = makeUringQueue(kDepth);
  else
    errno = EPERM;
  if (!queue) {
    remark = fmt::format("nvme tier: no io_uring here ({}), so there is one "
                         "request at a time, by pread and pwrite, and drives "
                         "give less than they could",
                         errnoText());
    queue = makePlainQueue();
  }
  if (!space.faults->is(Fault::None))
    queue = Faults::around(std::move(queue), space.faults);
}

std::string Lane::pin(std::byte *memory, uint64_t bytes) {
  if (bytes == 0 || queue->pin(memory, bytes))
    return "";
  return fmt::format("nvme tier: the {} of host memory that it copies to "
                     "and from cannot be locked ({}), so each request pins its "
                     "own and drives give less than they could; raise the "
                     "limit (ulimit -l)",
                     shownBytes(bytes), errnoText());
}

uint64_t Lane::transfer(const Transfer &t) {
  const uint64_t rest = t.bytes % kBlock, whole = t.bytes - rest;
  if (rest > 0 && t.writes) {
    std::memcpy(last.data(), t.memory + whole, rest);
    std::memset(last.data() + rest, 0, kBlock - rest);
  }
  const uint64_t most = requestBytes(whole);
  uint64_t next = 0, moved = 0;
  std::optional<Error> error;
  const auto begin = [&] {
    const uint32_t slot = unused.back();
    unused.pop_back();
    const uint64_t at = t.offset + next;
    if (next < whole) {
      const uint64_t bytes =
          std::min({most, whole - next, kStripe - at % kStripe});
      requests[slot] = {{t.writes, at, t.memory + next, bytes}};
      next += bytes;
    } else {
      requests[slot] = {{t.writes, at, last.data(), kBlock}};
      next = t.bytes;
    }
    const Transfer &one = requests[slot].all;
    if (BlockHashes *hashes = space.hashes(); hashes && one.writes)
      hashes->keep(one.offset, one.bytes, one.memory);
    start(slot);
  };
  // After an error starts no more requests, but waits for those in flight,
  // which still use the memory.
  while (true) {
    while (!error && !unused.empty() && next < t.bytes)
      begin();
    if (unused.size() == kDepth)
      break;
    const BlockResult result = queue->wait();
    bool isOver = true;
    try {
      isOver = error || finish(result);
    } catch (const Error &failure) {
      error = failure;
    }
    if (isOver) {
      moved += requests[result.slot].done;
      unused.push_back(result.slot);
    }
  }
  if (error)
    throw *error;
  if (rest > 0 && !t.writes)
    std::memcpy(t.memory + whole, last.data(), rest);
  return rest > 0 ? moved - (kBlock - rest) : moved;
}

void Lane::start(uint32_t slot) {
  const Request &request = requests[slot];
  const Transfer &all = request.all;
  const Space::Place place = space.placeOf(all.offset);
  queue->start(slot,
               {place.file->number(), all.writes, place.offset + request.done,
                all.memory + request.done, all.bytes - request.done});
}

bool Lane::finish(const BlockResult &result) {
  Request &request = requests[result.slot];
  const Transfer &all = request.all;
  if (result.result == -EAGAIN || result.result == -EINTR) {
    retry(request, static_cast<int>(-result.result));
  } else if (result.result < 0) {
    const auto number = static_cast<int>(-result.result);
    failAt(request,
           number == ENOSPC || number == EDQUOT
               ? errnoText(number) + ", though it was reserved; make room there"
               : errnoText(number) +
                     "; the kernel's log (dmesg) may say more of the drive");
  } else if (result.result == 0) {
    failAt(request, all.writes ? "nothing was written"
                               : "the file ends there; it has been cut");
  } else {
    // Re-reads partially read blocks whole: requests are whole blocks.
    const uint64_t blocks = uint64_t(result.result) / kBlock * kBlock;
    request.done += blocks;
    if (blocks > 0)
      request.tries = 0;
    else
      retry(request, EIO);
    if (request.done == all.bytes) {
      const BlockHashes *hashes = space.hashes();
      if (hashes && !all.writes)
        if (const uint64_t at =
                hashes->firstOther(all.offset, all.bytes, all.memory);
            at != UINT64_MAX) {
          request.done = at - all.offset;
          failAt(request, "this is not what was written there; the drive, its "
                          "cable or the machine's memory has changed it");
        }
      return true;
    }
  }
  start(result.slot);
  return false;
}

void Lane::retry(Request &request, int number) {
  if (++request.tries > kMostTries)
    failAt(request,
           fmt::format("{}, {} times in a row", errnoText(number), kMostTries));
  std::this_thread::sleep_for(
      std::chrono::microseconds(100 * std::min(request.tries, 100)));
}

void Lane::failAt(const Request &request, const std::string &why) const {
  const Transfer &all = request.all;
  const Space::Place place = space.placeOf(all.offset);
  fail("{} {} at byte {} of the nvme tier's file in {}: {}",
       all.writes ? "writing" : "reading", shownBytes(all.bytes - request.done),
       withCommas(place.offset + request.done), place.file->folder(), why);
}
