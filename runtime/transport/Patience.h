//===- Patience.h - Decides when a wait for a peer gives up -----*- C++ -*-===//
//
// A rank that waits for a peer checks every few milliseconds whether the peer
// can still arrive.  It gives up when
//
//   some rank has failed     its control page says so (or an alarm between
//                            hosts), and names the rank that failed first
//   the process is gone      /proc shows it, within two looks
//   the process is stopped   its heartbeat stands still for limits.silence
//   nothing happens          for limits.arrival, though the process moves
//
// A process that computes for a long time still beats.  The process and
// heartbeat of a rank on another host cannot be seen: what remains is its
// alarm, the launcher (mpirun and srun end the whole job when a process dies)
// and limits.arrival.
//
// Time in which this process itself was stopped does not count: each look adds
// at most twice the intended time between two looks.
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
  /// Returns the alarm that the peer has not arrived in time.
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
