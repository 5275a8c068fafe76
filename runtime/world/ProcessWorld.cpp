//===- ProcessWorld.cpp - Common part of multi-process worlds -------------===//
#include "runtime/world/ProcessWorld.h"

#include "runtime/system/Clock.h"
#include "runtime/text/Error.h"
#include "runtime/world/Process.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

using namespace zrt;

namespace {

/// Before the transport's pages show the state of a peer (PeerPages), a wait
/// looks at alarms, at the peer's process if it runs on this host, and at the
/// clock.
class EarlyWait final : public PeerWait {
public:
  /// `cards` are those of all ranks, or empty while they are not known.
  EarlyWait(World &world, const std::vector<ProcessCard> &cards,
            std::chrono::seconds timeOut, int peer, const char *what)
      : world(world), cards(cards), timeOut(timeOut), peer(peer), what(what) {}

  void look() override {
    const auto now = Clock::now();
    // Time in which this process itself was stopped does not count.
    still += std::min<std::chrono::nanoseconds>(now - lastLook, 2 * kLookEvery);
    lastLook = now;
    if (const Alarm *alarm = world.receivedAlarm()) {
      // Forwards the original alarm, so that ranks which wait for this one name
      // the same origin.
      world.sendAlarm(*alarm);
      if (alarm->origin < 0)
        giveUp("{}", alarm->message);
      giveUp("rank {} failed: {}", alarm->origin, alarm->message);
    }
    const std::string waits =
        fmt::format("while rank {} waited for it in {}", world.rank(), what);
    if (now - start > timeOut)
      giveUp(
          "rank {} has not come for {} s {}; set ZRT_TIMEOUT to more seconds "
          "if it takes so long",
          peer, timeOut.count(), waits);
    if (cards.empty())
      return;
    const ProcessCard &mine = cards[size_t(world.rank())],
                      &its = cards[size_t(peer)];
    if (its.host != mine.host || its.space != mine.space ||
        !isStopped(its.process))
      still = std::chrono::nanoseconds(0);
    if (still >= WaitLimits().silence)
      giveUp("rank {} (process {}) has not moved for {} s (it is stopped) {}",
             peer, its.process, WaitLimits().silence.count() / 1000.0, waits);
  }

private:
  template <typename... Args>
  [[noreturn]] void giveUp(fmt::format_string<Args...> text, Args &&...args) {
    world.noteLostPeer();
    fail(text, std::forward<Args>(args)...);
  }

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

} // namespace

ProcessWorld::ProcessWorld() : timeOut(timeOutOfArrival()) {}

void ProcessWorld::exchangeCards() {
  cards = gather(ProcessCard{hostIdentity(), processSpace(),
                             static_cast<int32_t>(getpid())});
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
