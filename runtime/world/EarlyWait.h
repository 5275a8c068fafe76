//===- EarlyWait.h - Waiting before ranks share memory ----------*- C++ -*-===//
//
// Until the transport's pages show how a peer fares (PeerPages), a wait looks
// at alarms, at the peer's process where that is on this host, and at the clock.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace zrt {

/// What a rank tells of its process; plain bytes.
struct ProcessCard {
  uint64_t host = 0, space = 0;
  int32_t process = 0;

  static ProcessCard mine();
};

class EarlyWait final : public PeerWait {
public:
  /// `cards` of all ranks; empty while they are not known.  `timeOut`: see
  /// timeOutOfArrival().
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
  std::chrono::nanoseconds still{0}; ///< since the peer was last seen to run
};

} // namespace zrt
