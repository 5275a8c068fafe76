//===- StopSignal.cpp - Ends a run early, on all ranks together -----------===//
#include "train/run/StopSignal.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fmt/format.h>
#include <unistd.h>

using namespace zrt;

namespace {

/// A second signal within this time, in nanoseconds, is a copy of the first: a
/// signal to all processes of a job reaches a rank directly, and again by way
/// of its launcher.
constexpr int64_t kSameSignal = 1'000'000'000;

std::atomic<int> notedSignal{0};
static_assert(std::atomic<int>::is_always_lock_free);
/// The time of the first signal of each kind, in nanoseconds; 0: none.
std::atomic<int64_t> firstAt[NSIG];

/// What the handler prints.  It may not allocate, so this is made before.
char firstNote[256];
std::atomic<size_t> firstNoteSize;

void note(int signal) {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const int64_t now = int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec + 1;
  int64_t first = 0;
  if (firstAt[signal].compare_exchange_strong(first, now)) {
    notedSignal = signal;
    if (signal == SIGINT) {
      const int before = errno;
      (void)!write(STDERR_FILENO, firstNote, firstNoteSize);
      errno = before;
    }
  } else if (now - first > kSameSignal) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
}

} // namespace

std::string zrt::stopNote(const std::string &program) {
  // "^C" and a bar may be on the line.
  return fmt::format("{}{}: note: stopping after this step; Ctrl-C again stops "
                     "now\n",
                     isatty(STDERR_FILENO) == 1 ? "\n" : "", program);
}

void zrt::catchStopSignals(const CaughtSignals &caught) {
  firstNoteSize = 0; // a signal may come now
  firstNoteSize = caught.note.copy(firstNote, sizeof firstNote);
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  notedSignal = 0;
  for (std::atomic<int64_t> &first : firstAt)
    first = 0;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // Under nohup SIGHUP stays ignored.
  struct sigaction now = {};
  if (sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
  if (caught.user)
    sigaction(SIGUSR1, &action, nullptr);
  if (!caught.grow)
    return;
  sigaction(kGrowSignal, &action, nullptr);
  sigset_t growth;
  sigemptyset(&growth);
  sigaddset(&growth, kGrowSignal);
  pthread_sigmask(SIG_UNBLOCK, &growth, nullptr);
}

int zrt::agreedReason(const std::vector<uint8_t> &noted) {
  // One rank is enough.  All ranks must choose the same of several reasons.
  return noted.empty() ? 0 : *std::max_element(noted.begin(), noted.end());
}

int zrt::stopReason(World &world, uint8_t own) {
  const auto mine = std::max(own, static_cast<uint8_t>(notedSignal.load()));
  return world.size() == 1 ? mine : agreedReason(world.gather(mine));
}
