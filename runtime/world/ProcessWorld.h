//===- ProcessWorld.h - Common part of multi-process worlds -----*- C++ -*-===//
//
// Ranks in several processes share this, however they are connected: the
// process cards of all ranks, the limits of a wait, and alarms, which are sent
// only once and kept when received.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace zrt {

/// Identifies the process of a rank; plain bytes.
struct ProcessCard {
  uint64_t host = 0, space = 0;
  int32_t process = 0;
};

/// An alarm as plain bytes; a longer message is cut.
struct AlarmPacket {
  int32_t origin = -1;
  int32_t late = -1;
  char message[1024] = {};

  AlarmPacket() = default;
  explicit AlarmPacket(const Alarm &alarm)
      : origin(alarm.origin), late(alarm.late) {
    alarm.message.copy(message, sizeof message - 1);
  }

  Alarm alarm() {
    message[sizeof message - 1] = '\0';
    return {origin, message, late};
  }
};

class ProcessWorld : public World {
public:
  void sendAlarm(const Alarm &alarm) final;
  const Alarm *receivedAlarm() final;

protected:
  ProcessWorld();

  /// Sends this process's card to all ranks and receives theirs.
  void exchangeCards();
  /// Returns a wait of this rank for `peer` in `what`.  It uses the transport's
  /// pages if there are any, otherwise processes and alarms.
  std::unique_ptr<PeerWait> waitFor(int peer, const char *what);

  /// Sends the packet to all other ranks without waiting for any of them.
  /// Called once; the packet lives until the process ends.
  virtual void sendToAll(const AlarmPacket &packet) = 0;
  /// Returns a received packet, if any.  Called by one thread at a time.
  virtual std::optional<AlarmPacket> takePacket() = 0;

  bool hasAlarm() const { return sent || received; }

  /// The limit of a wait before the transport's own limits apply.
  const std::chrono::seconds timeOut;

private:
  std::vector<ProcessCard> cards; ///< of all ranks, once they are known
  std::mutex mutex;               ///< guards takePacket
  std::atomic<bool> sent{false}, received{false};
  Alarm first; ///< the first one received; constant once `received` is set
};

} // namespace zrt
