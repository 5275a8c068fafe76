//===- Waiting.h - When a wait for a rank gives up --------------*- C++ -*-===//
#pragma once

#include <chrono>
#include <cstdint>

namespace zrt {

/// The next look at a peer, and at most so long a sleep.
constexpr std::chrono::milliseconds kLookEvery{20};

/// When a wait gives up.
struct WaitLimits {
  /// A process whose heartbeat stands still for so long is stopped.
  std::chrono::milliseconds silence{5000};
  /// A process that moves but does not arrive; ZRT_TIMEOUT=seconds.
  std::chrono::milliseconds arrival{600'000};
};

/// A number from the environment, `otherwise` when it is not set.  Throws when
/// it is not a number from 1 to `most`.
int64_t environmentNumber(const char *name, int64_t otherwise, int64_t most);

/// How long a rank waits for a peer that moves but does not arrive:
/// ZRT_TIMEOUT, at most 30 years, which nanoseconds in 64 bits can count.
inline std::chrono::seconds timeOutOfArrival() {
  return std::chrono::seconds(
      environmentNumber("ZRT_TIMEOUT", 600, 1'000'000'000));
}

} // namespace zrt
