//===- EarlyWait.h - Waits before ranks share memory ------------*- C++ -*-===//
//
// Before the transport's pages show the state of a peer (PeerPages), a wait
// looks at alarms, at the peer's process if it runs on this host, and at the
// clock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace zrt {

/// Identifies the process of a rank; plain bytes.
struct ProcessCard {
  uint64_t host = 0, space = 0;
  int32_t process = 0;

  static ProcessCard mine();
};

class EarlyWait final : public PeerWait {
public:
  /// `cards` are those of all ranks, or empty while they are not known.
  /// `timeOut`: see timeOutOfArrival().
  EarlyWait(World &world, const std::vector<ProcessCard> &cards,
            std::chrono::seconds timeOut, int peer, const char *what)
      : world(world), cards(cards), timeOut(timeOut), peer(peer), what(what) {}

  void look() override;

private:
  using Clock = std::chrono::steady_clock;

  World &world;
  const std::vector<ProcessCard> &cards;
  const std::chrono::seconds timeOut;
  const int peer;
  const char *const what;
  const Clock::time_point start = Clock::now();
  Clock::time_point lastLook = start;
  std::chrono::nanoseconds still{0}; ///< time since the peer was last seen
                                     ///< running
};

} // namespace zrt
