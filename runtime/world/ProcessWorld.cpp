//===- ProcessWorld.cpp - Common part of multi-process worlds -------------===//
#include "runtime/world/ProcessWorld.h"

#include "runtime/world/Waiting.h"

#include <utility>

using namespace zrt;

ProcessWorld::ProcessWorld() : timeOut(timeOutOfArrival()) {}

void ProcessWorld::exchangeCards() {
  const ProcessCard mine = ProcessCard::mine();
  std::vector<ProcessCard> all(static_cast<size_t>(size()));
  allGather(&mine, sizeof mine, all.data());
  cards = std::move(all);
}

std::unique_ptr<PeerWait> ProcessWorld::waitFor(int peer, const char *what) {
  if (pages)
    return pages->waitFor(peer, what);
  return std::make_unique<EarlyWait>(*this, cards, timeOut, peer, what);
}

void ProcessWorld::sendAlarm(const Alarm &alarm) {
  if (sent.exchange(true))
    return;
  static AlarmPacket packet;
  packet = AlarmPacket(alarm);
  sendToAll(packet);
}

const Alarm *ProcessWorld::receivedAlarm() {
  if (received.load(std::memory_order_acquire))
    return &first;
  const std::lock_guard<std::mutex> lock(mutex);
  if (!received.load(std::memory_order_relaxed))
    if (std::optional<AlarmPacket> packet = takePacket()) {
      first = packet->alarm();
      received.store(true, std::memory_order_release);
    }
  return received.load(std::memory_order_relaxed) ? &first : nullptr;
}
