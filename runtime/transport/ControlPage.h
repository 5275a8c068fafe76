//===- ControlPage.h - State that a rank shows its host ---------*- C++ -*-===//
//
// There is one page per rank, which this rank writes and the others map for
// reading: the progress of its streams, its heartbeat, and the reason of a
// failure.
//
// `arrived` and `done` count the collectives of a stream.  Both only grow, and
// all ranks count the same way.  So a number identifies a collective, and "rank
// r has arrived" is a comparison: nothing has to be cleared, and a late reader
// still sees that the number was reached.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zrt {

/// A number that others sleep on; it has a cache line of its own.
struct alignas(64) SharedWord {
  std::atomic<uint32_t> value{0};
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

struct StreamPage {
  SharedWord arrived; ///< the source of this collective can be read
  SharedWord done;    ///< this rank no longer reads any peer's source
  /// Operands of a few values; exchange n of them on the stream uses number
  /// n % 2 (Collectives.cpp explains why two are enough).
  alignas(64) std::byte small[2][ZRT_SMALL_BYTES];
};

enum class RankState : uint32_t { Running, Failed, Left };

struct ControlPage {
  std::atomic<RankState> state{RankState::Running};
  std::atomic<uint32_t> beats{0}; ///< grows while the process runs
  /// The rank that failed first, or -1 if `message` names it.
  int32_t origin = -1;
  int32_t late = -1; ///< the rank that has not arrived in time, or -1
  char message[1024] = {};
  StreamPage streams[ZRT_MAX_STREAMS];
};

/// Returns true if a counter has reached `target`; correct across the wrap at
/// 2^32.
constexpr bool hasReached(uint32_t counter, uint32_t target) {
  return static_cast<int32_t>(counter - target) >= 0;
}

} // namespace zrt
