//===- StartRanks.cpp - Starts the ranks without a launcher ---------------===//
//
//   ./train                          one process, several ranks, no launcher
//     |-- rank 0                     forked: options are parsed, the plan is
//     |-- rank 1  ...                loaded, nothing else has happened
//
// The ranks are in a process group of their own.  A signal from the terminal
// therefore reaches only the starting process, and each rank receives it once.
//
//===----------------------------------------------------------------------===//
#include "runtime/world/SocketWorld.h"

#include "runtime/system/Clock.h"
#include "runtime/system/Memory.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "runtime/world/Process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <random>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

using namespace zrt;

namespace {

/// The time that the other ranks have to end after one has failed; those of an
/// elastic job are asked to before, as one that connects cannot notice it.
constexpr std::chrono::seconds kFarewell{10}, kPolite{1};

/// The signals that are forwarded to the ranks; SIGTSTP as SIGSTOP, which a
/// rank cannot ignore.
constexpr int kHandedOn[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                             SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

sigset_t watchedSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (const int number : kHandedOn)
    sigaddset(&signals, number);
  return signals;
}

/// Blocks the watched signals in this process; returns the mask before.
sigset_t blockSignals() {
  const sigset_t signals = watchedSignals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  std::signal(SIGCHLD, SIG_DFL); // the parent process may ignore it
  return before;
}

/// Why a rank may have got SIGKILL, which nothing of ours has sent; `isCertain`
/// if the kernel has sent one since the ranks were started.
std::string killText(bool isCertain) {
  const AvailableMemory available = availableMemory();
  std::string text =
      isCertain
          ? "; the kernel has killed a process for lack of memory meanwhile"
          : "; if nobody has sent it, memory ran out";
  if (!available.source.empty())
    text += fmt::format(": {} are available now", withUnit(available.bytes));
  return text + " (--certificate has what a rank needs; compile with a smaller "
                "--batch or --remat=block)";
}

/// The running ranks, and the status of those that have ended.
class Ranks {
public:
  Ranks(std::vector<pid_t> processes, bool isElastic)
      : isElastic(isElastic), processes(std::move(processes)) {}

  void signal(int number) const {
    for (const pid_t process : processes)
      if (process > 0)
        kill(process, number);
  }

  /// Forwards a user's signal.
  void handOn(int number) {
    sigaddset(&handedOn, number);
    if (number == SIGINT || number == SIGTERM || number == SIGQUIT) {
      end.isAsked = true;
      asked = number;
    }
    signal(number);
  }

  /// Ends the ranks that still run after another one has failed.
  void dismiss(int number) {
    if (!isIn(dismissed, number))
      signal(number);
    sigaddset(&dismissed, number);
  }

  /// Records all ranks that have ended.
  void reap() {
    int status = 0;
    std::vector<std::pair<size_t, int>> found;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
      for (size_t rank = 0; rank < processes.size(); ++rank)
        if (processes[rank] == ended) {
          processes[rank] = 0;
          --running;
          found.emplace_back(rank, status);
        }
    // One that was killed is the cause of others that fail at the same time.
    std::ranges::stable_partition(
        found, [](int ended) { return WIFSIGNALED(ended); },
        &std::pair<size_t, int>::second);
    for (const auto &[rank, ended] : found)
      note(rank, ended);
  }

  bool areDone() const { return running == 0; }
  /// Returns true if the others cannot go on because a rank is missing.  All
  /// ranks agree on other failures (a signal, the end of the time), and some
  /// may still save.
  bool isBroken() const { return broken; }

  /// The end of all ranks.
  RanksEnd takeEnd() {
    // All may end with one failure that they agree on, such as bad data.
    if (failing.size() == processes.size())
      failing.clear();
    // A failure may be due to a rank that was ended before, and a rank that did
    // not end to any other.
    for (const std::vector<size_t> *ranks : {&killed, &failing, &stuck})
      if (end.failed == 0)
        end.failed = int(ranks->size());
    if (end.failed > 0 && end.what.empty())
      end.what =
          fmt::format("rank {} {}", failing.empty() ? stuck[0] : failing[0],
                      failing.empty() ? "did not come" : "has failed");
    if (end.failed > 1)
      end.what += fmt::format(", and {} more failed", end.failed - 1);
    if (end.status == 0 && lost && end.what.empty())
      end.what = "all ranks have lost another one, and none has failed";
    if (end.status == 0 && lost)
      end.status = 1;
    // Ranks that had ended to be more of them before the user's signal came.
    if (end.status == 0 && end.grows && asked)
      end.status = 128 + asked;
    return end;
  }

private:
  /// Whether `number`, which may be no signal, is in `set`.
  static bool isIn(const sigset_t &set, int number) {
    return number > 0 && sigismember(&set, number) == 1;
  }

  void note(size_t rank, int status) {
    const bool isKilled = WIFSIGNALED(status);
    const int number = isKilled ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
    const int failure = isKilled ? 128 + number : WEXITSTATUS(status);
    broken |= isKilled || failure == 1 || failure == kPeerLost;
    lost |= failure == kPeerLost;
    const bool grows = failure == 128 + kGrowSignal && !isKilled;
    end.grows |= grows;
    if (isIn(handedOn, number))
      end.isAsked |= number != kGrowSignal;
    else if (isKilled && isIn(dismissed, number))
      stuck.push_back(rank);
    else if (isKilled)
      killed.push_back(rank);
    else if (failure == 1)
      failing.push_back(rank);
    if (isKilled && end.what.empty() && !isIn(dismissed, number)) {
      end.what = fmt::format("rank {} was ended by signal {} ({})", rank,
                             number, strsignal(number));
      // An elastic run goes on, and says only what is certain.
      const bool isCertain = countMemoryKills() > killsBefore;
      if (number == SIGKILL && (isCertain || !isElastic))
        end.what += killText(isCertain);
      if (!end.status && !isElastic)
        fmt::print(stderr, "{}: error: {}\n", program_invocation_short_name,
                   end.what);
    }
    if (!end.status && failure != kPeerLost && !(isElastic && grows))
      end.status = failure;
  }

  const bool isElastic;
  const uint64_t killsBefore = countMemoryKills();
  std::vector<pid_t> processes; ///< by rank; 0 after the process has ended
  size_t running = processes.size();
  /// Ranks by the cause of their end: a signal, their own failure, `dismiss`.
  std::vector<size_t> killed, failing, stuck;
  sigset_t handedOn = {}, dismissed = {};
  RanksEnd end;
  int asked = 0; ///< the user's signal to end
  bool broken = false, lost = false;
};

/// Waits for the ranks.
RanksEnd watch(Ranks &ranks, bool isElastic, bool canGrow) {
  const sigset_t signals = watchedSignals();
  std::optional<Clock::time_point> broken;
  while (true) {
    ranks.reap();
    if (ranks.areDone())
      return ranks.takeEnd();
    if (ranks.isBroken() && !broken)
      broken = Clock::now();
    if (broken && isElastic && Clock::now() > *broken + kPolite)
      ranks.dismiss(SIGTERM);
    if (broken && Clock::now() > *broken + kFarewell)
      ranks.dismiss(SIGKILL);
    const timespec patience = {broken ? 0 : 1, broken ? 100'000'000 : 0};
    switch (const int number = sigtimedwait(&signals, nullptr, &patience)) {
    case -1: // nothing has come
    case SIGCHLD:
      break;
    case SIGTSTP: // Ctrl-Z
      ranks.signal(SIGSTOP);
      raise(SIGSTOP);
      break;
    default:
      if (!isElastic || number != kGrowSignal || std::exchange(canGrow, false))
        ranks.handOn(number);
    }
  }
}

std::variant<Launch, RanksEnd> start(int ranks, bool isElastic, bool canGrow) {
  Launch launch;
  launch.size = ranks;
  const pid_t starter = getpid();
  launch.job = fmt::format("started by {} at {}, {:08x}", starter,
                           processStart(static_cast<int32_t>(starter)),
                           std::random_device()());
  static const sigset_t before = blockSignals();
  std::fflush(nullptr);
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t process = fork();
    if (process == 0) {
      // Kills the rank if the starting process dies.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != starter)
        _exit(1);
      setpgid(0, processes.empty() ? 0 : processes.front());
      std::signal(SIGTTOU, SIG_IGN); // lets it print under `stty tostop`
      // Only rank 0 reads the standard input.
      if (const int nothing = rank ? open("/dev/null", O_RDONLY) : -1;
          nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        close(nothing);
      }
      sigset_t mask = before;
      if (isElastic)
        sigaddset(&mask, kGrowSignal);
      sigprocmask(SIG_SETMASK, &mask, nullptr);
      launch.rank = rank;
      return launch;
    }
    if (process < 0) {
      const std::string reason = errnoText();
      Ranks(processes, isElastic).signal(SIGKILL);
      fail("cannot start rank {} of {}: {}; raise the limit (ulimit -u)", rank,
           ranks, reason);
    }
    // Parent and child both call setpgid, because either may run first.
    setpgid(process, processes.empty() ? process : processes.front());
    processes.push_back(process);
  }
  Ranks started(std::move(processes), isElastic);
  return watch(started, isElastic, canGrow);
}

} // namespace

Launch zrt::startRanks(int ranks) {
  const auto started = start(ranks, /*isElastic=*/false, /*canGrow=*/false);
  if (const auto *end = std::get_if<RanksEnd>(&started))
    std::_Exit(end->status);
  return std::get<Launch>(started);
}

std::variant<Launch, RanksEnd> zrt::startElasticRanks(int ranks, bool canGrow) {
  return start(ranks, /*isElastic=*/true, canGrow);
}
