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

#include "runtime/Clock.h"
#include "runtime/Error.h"
#include "runtime/world/Process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace zrt;

namespace {

/// The time that the other ranks have to end after one has failed.
constexpr std::chrono::seconds kFarewell{10};

/// The signals that are forwarded to the ranks; SIGTSTP as SIGSTOP, which a
/// rank cannot ignore.
constexpr int kHandedOn[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                             SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

/// The running ranks, and the status of those that have ended.
class Ranks {
public:
  Ranks(std::vector<pid_t> processes) : processes(std::move(processes)) {}

  void signal(int number) const {
    for (const pid_t process : processes)
      if (process > 0)
        kill(process, number);
  }

  /// Records all ranks that have ended.
  void reap() {
    int status = 0;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
      for (size_t rank = 0; rank < processes.size(); ++rank)
        if (processes[rank] == ended) {
          processes[rank] = 0;
          --running;
          note(rank, status);
        }
  }

  bool areDone() const { return running == 0; }
  /// The status of the rank that failed first; 0 while none has.
  int failure() const { return firstFailure; }
  /// Returns true if the others cannot go on because a rank is missing.  All
  /// ranks agree on other failures (a signal, the end of the time), and some
  /// may still save.
  bool isBroken() const { return broken; }

private:
  void note(size_t rank, int status) {
    int failure = WEXITSTATUS(status);
    broken |= failure == 1 || WIFSIGNALED(status);
    if (WIFSIGNALED(status)) {
      const int number = WTERMSIG(status);
      failure = 128 + number;
      if (!firstFailure)
        fmt::print(stderr, "{}: error: rank {} was ended by signal {} ({})\n",
                   program_invocation_short_name, rank, number,
                   strsignal(number));
    }
    if (!firstFailure)
      firstFailure = failure;
  }

  std::vector<pid_t> processes; ///< by rank; 0 after the process has ended
  size_t running = processes.size();
  int firstFailure = 0;
  bool broken = false;
};

/// Waits for the ranks and returns the exit status.
int watch(Ranks &ranks, const sigset_t &signals) {
  std::optional<Clock::time_point> deadline;
  while (true) {
    ranks.reap();
    if (ranks.areDone())
      return ranks.failure();
    if (ranks.isBroken() && !deadline)
      deadline = Clock::now() + kFarewell;
    if (deadline && Clock::now() > *deadline)
      ranks.signal(SIGKILL);
    const timespec patience = {1, 0};
    switch (const int number = sigtimedwait(&signals, nullptr, &patience)) {
    case -1: // nothing has come
    case SIGCHLD:
      break;
    case SIGTSTP: // Ctrl-Z
      ranks.signal(SIGSTOP);
      raise(SIGSTOP);
      break;
    default:
      ranks.signal(number);
    }
  }
}

} // namespace

Launch zrt::startRanks(int ranks) {
  Launch launch;
  launch.size = ranks;
  const pid_t starter = getpid();
  launch.job = fmt::format("started by {} at {}", starter,
                           processStart(static_cast<int32_t>(starter)));
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (const int number : kHandedOn)
    sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, &before);
  std::signal(SIGCHLD, SIG_DFL); // the parent process may ignore it
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
      sigprocmask(SIG_SETMASK, &before, nullptr);
      launch.rank = rank;
      return launch;
    }
    if (process < 0) {
      const std::string reason = errnoText();
      Ranks(processes).signal(SIGKILL);
      fail("cannot start rank {} of {}: {}; raise the limit (ulimit -u)", rank,
           ranks, reason);
    }
    // Parent and child both call setpgid, because either may run first.
    setpgid(process, processes.empty() ? process : processes.front());
    processes.push_back(process);
  }
  Ranks started(std::move(processes));
  const int status = watch(started, signals);
  std::_Exit(status);
}
