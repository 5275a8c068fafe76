//===- Waiting.h - Limits of a wait for another rank ------------*- C++ -*-===//
#pragma once

#include <chrono>
#include <cstdint>

namespace zrt {

/// The time between two looks at a peer, and the longest sleep in a wait.
constexpr std::chrono::milliseconds kLookEvery{20};

/// The times after which a wait gives up.
struct WaitLimits {
  /// A process whose heartbeat stands still for this time counts as stopped.
  std::chrono::milliseconds silence{5000};
  /// The limit for a process that runs but does not arrive;
  /// ZRT_TIMEOUT=seconds.
  std::chrono::milliseconds arrival{600'000};
};

/// Reads a number from the environment; returns `otherwise` if it is not set.
/// Throws if it is not a number from 1 to `most`.
int64_t environmentNumber(const char *name, int64_t otherwise, int64_t most);

/// Returns the time that a rank waits for a peer that runs but does not arrive:
/// ZRT_TIMEOUT, at most 30 years, which 64-bit nanoseconds can represent.
inline std::chrono::seconds timeOutOfArrival() {
  return std::chrono::seconds(
      environmentNumber("ZRT_TIMEOUT", 600, 1'000'000'000));
}

} // namespace zrt
