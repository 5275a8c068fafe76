//===- ProcessWorld.h - Ranks that are processes ----------------*- C++ -*-===//
//
// What ranks of several processes have in common, however they are connected:
// who is where, how a wait gives up, and that an alarm is sent once and kept
// when it comes in.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/AlarmPacket.h"
#include "runtime/world/EarlyWait.h"
#include "runtime/world/World.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace zrt {

class ProcessWorld : public World {
public:
  void sendAlarm(const Alarm &alarm) final;
  const Alarm *receivedAlarm() final;

protected:
  ProcessWorld();

  /// Tells all ranks of this process, and learns of theirs.
  void exchangeCards();
  /// This rank waits for `peer` in `what`: by the transport's pages if there are
  /// any, otherwise by processes and alarms.
  std::unique_ptr<PeerWait> waitFor(int peer, const char *what);

  /// Sends it to all others, not waiting for any of them.  Called once; the
  /// packet stays until the process ends.
  virtual void sendToAll(const AlarmPacket &packet) = 0;
  /// One that has come in, if any.  Called by one thread at a time.
  virtual std::optional<AlarmPacket> takePacket() = 0;

  bool hasAlarm() const { return sent || received; }

  /// Until the transport's own limits hold.
  const std::chrono::seconds timeOut;

private:
  std::vector<ProcessCard> cards; ///< of all ranks, once they are known
  std::mutex mutex;               ///< of takePacket
  std::atomic<bool> sent{false}, received{false};
  Alarm first; ///< that came in; does not change once `received` is set
};

} // namespace zrt
