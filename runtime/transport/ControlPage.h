//===- ControlPage.h - What a rank tells the ranks of its host --*- C++ -*-===//
//
// One page per rank, written by it and mapped for reading by the others: how
// far its streams are, whether it still moves, and why it failed.
//
// `arrived` and `done` count the collectives of a stream.  Both only grow, and
// all ranks count alike, so a collective is a number, and "rank r has arrived"
// is a comparison: nothing has to be cleared, and late readers see no less.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zrt {

/// A number that others sleep on, on a cache line of its own.
struct alignas(64) SharedWord {
  std::atomic<uint32_t> value{0};
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

struct StreamPage {
  SharedWord arrived; ///< the source of this collective can be read
  SharedWord done;    ///< no source of a peer is read any more
  /// Operands of all_reduce; collective n uses number n % 2 (Transport.cpp
  /// says why two are enough).
  alignas(64) std::byte small[2][ZRT_SMALL_BYTES];
};

enum class RankState : uint32_t { Running, Failed, Left };

struct ControlPage {
  std::atomic<RankState> state{RankState::Running};
  std::atomic<uint32_t> beats{0}; ///< grows while the process runs
  /// Of a failure: the rank that failed first, or -1 when `message` says it.
  int32_t origin = -1;
  int32_t late = -1; ///< the rank that has not come in time, or -1
  char message[1024] = {};
  StreamPage streams[ZRT_MAX_STREAMS];
};

/// Whether a counter has come to `target`; right across the wrap at 2^32.
inline bool reached(const SharedWord &word, uint32_t target) {
  return static_cast<int32_t>(word.value.load(std::memory_order_acquire) -
                              target) >= 0;
}

/// Sets a counter of this rank's page and wakes whoever sleeps on it.
void publish(SharedWord &word, uint32_t value);

/// Sleeps until `word` is not `seen`, at most `milliseconds`; may return early.
void sleepOn(const SharedWord &word, uint32_t seen, int milliseconds);

} // namespace zrt
