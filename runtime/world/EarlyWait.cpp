//===- EarlyWait.cpp - Waits before ranks share memory --------------------===//
#include "runtime/world/EarlyWait.h"

#include "runtime/Error.h"
#include "runtime/world/Process.h"
#include "runtime/world/Waiting.h"

#include <algorithm>
#include <unistd.h>

using namespace zrt;

ProcessCard ProcessCard::mine() {
  return {hostIdentity(), processSpace(), static_cast<int32_t>(getpid())};
}

void EarlyWait::look() {
  const auto now = Clock::now();
  // Time in which this process itself was stopped does not count.
  still += std::min<std::chrono::nanoseconds>(now - lastLook, 2 * kLookEvery);
  lastLook = now;
  if (const Alarm *alarm = world.receivedAlarm()) {
    // Forwards the original alarm, so that ranks which wait for this one name
    // the same origin.
    world.sendAlarm(*alarm);
    if (alarm->origin < 0)
      fail("{}", alarm->message);
    fail("rank {} failed: {}", alarm->origin, alarm->message);
  }
  const std::string waits =
      fmt::format("while rank {} waited for it in {}", world.rank(), what);
  if (now - start > timeOut)
    fail("rank {} has not come for {} s {}; set ZRT_TIMEOUT to more seconds if "
         "it takes so long",
         peer, timeOut.count(), waits);
  if (cards.empty())
    return;
  const ProcessCard &mine = cards[size_t(world.rank())],
                    &its = cards[size_t(peer)];
  if (its.host != mine.host || its.space != mine.space ||
      !isStopped(its.process))
    still = std::chrono::nanoseconds(0);
  if (still >= WaitLimits().silence)
    fail("rank {} (process {}) has not moved for {} s (it is stopped) {}", peer,
         its.process, WaitLimits().silence.count() / 1000.0, waits);
}
