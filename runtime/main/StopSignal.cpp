//===- StopSignal.cpp - Ending early, on all ranks together ---------------===//
#include "runtime/main/StopSignal.h"

#include <algorithm>
#include <csignal>

using namespace zrt;

static volatile std::sig_atomic_t notedSignal = 0;

void zrt::catchStopSignals(bool alsoUser) {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { notedSignal = signal; };
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  notedSignal = 0;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  if (alsoUser)
    sigaction(SIGUSR1, &action, nullptr);
}

int zrt::agreedReason(const std::vector<uint8_t> &noted) {
  // Any one rank is enough.  Of several reasons all must name the same one.
  return noted.empty() ? 0 : *std::max_element(noted.begin(), noted.end());
}

int zrt::stopReason(World &world, uint8_t own) {
  const auto mine = std::max(own, static_cast<uint8_t>(notedSignal));
  if (world.size() == 1)
    return mine;
  std::vector<uint8_t> all(static_cast<size_t>(world.size()));
  world.allGather(&mine, sizeof(mine), all.data());
  return agreedReason(all);
}
