//===- Patience.h - How long to wait for a peer -----------------*- C++ -*-===//
//
// Whoever waits for a peer asks every few milliseconds whether that still makes
// sense.  It does not when
//
//   some rank has failed     its control page says so (or an alarm between
//                            hosts), with the rank that was first
//   the process is gone      /proc tells, within two looks
//   the process is stopped   its heartbeat stands still for limits.silence
//   nothing happens          for limits.arrival, though the process moves
//
// A process that computes for long moves.  Of a rank on another host neither
// process nor heartbeat can be seen: its alarm, the launcher (mpirun and srun
// end the whole job when a process dies) and limits.arrival remain.
//
// Time in which this process itself was stopped does not count: between two
// looks at most twice the time that they should be apart is added up.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/transport/Peers.h"

#include <chrono>

namespace zrt {

class Patience final : public PeerWait {
public:
  /// This rank waits for `peer` in `what`, e.g. "all_gather of b2".
  Patience(Peers &peers, int peer, const char *what)
      : peers(peers), peer(peer), what(what) {}

  void look() override;

private:
  [[noreturn]] void giveUp(const Alarm &alarm);
  /// That the peer has not come in time.
  Alarm describeLate() const;
  void lookForAlarms();
  void lookAtProcess();
  std::string describeWait() const;

  Peers &peers;
  const int peer;
  const char *const what;
  std::chrono::steady_clock::time_point lastLook =
      std::chrono::steady_clock::now();
  std::chrono::nanoseconds waited{0}, silent{0};
  uint32_t beats = 0;
  bool wasGone = false, hadLeft = false;
};

} // namespace zrt
