//===- Patience.cpp - Decides when a wait for a peer gives up -------------===//
#include "runtime/transport/Patience.h"

#include "runtime/text/Error.h"
#include "runtime/world/Process.h"

#include <algorithm>

using namespace zrt;

void Patience::giveUp(const Alarm &heard) {
  // If this rank is said to be late but itself waits, it names the rank that it
  // waits for.
  const Alarm alarm = heard.late == peers.rank() ? describeLate() : heard;
  std::string text = alarm.message;
  if (alarm.origin >= 0)
    text = fmt::format("rank {} failed: {} (rank {} was waiting for {} in {})",
                       alarm.origin, alarm.message, peers.rank(),
                       alarm.origin == peer ? std::string("it")
                                            : fmt::format("rank {}", peer),
                       what);
  // Another stream of this rank may have failed.
  if (alarm.origin != peers.rank())
    peers.world().noteLostPeer();
  // Forwards the original alarm, so that ranks which wait for this one name the
  // same origin.
  peers.raise(alarm, text);
  throw Error(text);
}

std::string Patience::describeWait() const {
  return fmt::format("rank {} waited for it in {}", peers.rank(), what);
}

void Patience::look() {
  const auto now = std::chrono::steady_clock::now();
  const auto passed =
      std::min<std::chrono::nanoseconds>(now - lastLook, 2 * kLookEvery);
  lastLook = now;
  waited += passed;
  silent += passed;
  lookForAlarms();
  if (peers.local(peer))
    lookAtProcess();
  if (waited >= peers.limits.arrival)
    giveUp(describeLate());
}

Alarm Patience::describeLate() const {
  const auto time =
      std::chrono::duration_cast<std::chrono::milliseconds>(waited);
  return {-1,
          fmt::format("rank {} has not come for {:.1f} s while {}; set "
                      "ZRT_TIMEOUT to more seconds if a step takes so long",
                      peer, time.count() / 1000.0, describeWait()),
          peer};
}

void Patience::lookForAlarms() {
  // Another stream of this rank has failed; the peers have stopped and do not
  // wait.
  if (const std::string *text = peers.failure())
    throw Error(*text);
  for (int rank = 0; rank < peers.ranks(); ++rank) {
    if (!peers.local(rank))
      continue;
    const ControlPage &page = peers.page(rank);
    if (page.state.load(std::memory_order_acquire) == RankState::Failed)
      giveUp({page.origin, page.message, page.late});
  }
  if (const Alarm *alarm = peers.world().receivedAlarm())
    giveUp(*alarm);
}

void Patience::lookAtProcess() {
  const ControlPage &page = peers.page(peer);
  const RankCard &card = peers.card(peer);
  // The peer may have done what this rank waits for just before it ended.  So
  // gives up only at the second look: the caller checks once more in between.
  const bool left =
      page.state.load(std::memory_order_acquire) == RankState::Left;
  if (left && hadLeft)
    giveUp({-1, fmt::format("rank {} has finished while {}", peer,
                            describeWait())});
  hadLeft = left;
  const bool gone =
      !left && processStart(card.control.process) != card.processStart;
  if (gone && wasGone)
    giveUp({-1, fmt::format("rank {} (process {}) is gone while {}", peer,
                            card.control.process, describeWait())});
  wasGone = gone;

  const uint32_t now = page.beats.load(std::memory_order_relaxed);
  if (now != beats)
    silent = std::chrono::nanoseconds(0);
  beats = now;
  if (silent >= peers.limits.silence)
    giveUp({-1, fmt::format(
                    "rank {} (process {}) has not moved for {} s (it is "
                    "stopped) while {}",
                    peer, card.control.process,
                    peers.limits.silence.count() / 1000.0, describeWait())});
}
