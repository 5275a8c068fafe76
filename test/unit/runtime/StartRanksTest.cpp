//===- StartRanksTest.cpp - Ranks that the system does not give -----------===//
#include "runtime/world/SocketFolder.h"
#include "runtime/world/SocketWorld.h"

#include "Denied.h"
#include "TestFiles.h"

#include <cerrno>
#include <csignal>
#include <sys/syscall.h>

using namespace zrt;
using namespace zrt::test;

namespace {

TEST(StartRanks, SaysWhichOneCannotBeStarted) {
  whereDenied({{SYS_clone, EAGAIN}}, [] {
    EXPECT_EQ(errorOf([] { startRanks(3); }),
              "cannot start rank 0 of 3: resource temporarily unavailable; "
              "raise the limit (ulimit -u)");
  });
}

/// Expects that two ranks, which end with the statuses that `rankOf` returns,
/// have ended as `check` says.
template <typename Rank, typename Check>
void expectEnd(Rank rankOf, Check check) {
  const int status = statusOfChild([&]() -> int {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    sigprocmask(SIG_BLOCK, &mask, nullptr); // in the ranks, too
    const auto started = startElasticRanks(2, /*canGrow=*/false);
    if (const auto *launch = std::get_if<Launch>(&started))
      return rankOf(launch->rank, mask);
    check(std::get<RanksEnd>(started));
    std::fflush(nullptr);
    return testing::Test::HasFailure();
  });
  EXPECT_EQ(status, 0);
}

TEST(ElasticRanks, ThatLoseEachOtherHaveFailed) {
  expectEnd([](int, auto &) { return kPeerLost; },
            [](const RanksEnd &end) {
              EXPECT_EQ(end.status, 1);
              EXPECT_EQ(end.failed, 0);
              EXPECT_EQ(end.what, "all ranks have lost another one, and none "
                                  "has failed");
            });
}

TEST(ElasticRanks, AreAskedToEndWhenAnotherHasFailed) {
  expectEnd(
      [](int rank, const sigset_t &mask) {
        if (rank == 0)
          return 1;
        sigprocmask(SIG_UNBLOCK, &mask, nullptr);
        return pause(); // ends by SIGTERM
      },
      [](const RanksEnd &end) {
        EXPECT_EQ(end.status, 1);
        EXPECT_EQ(end.failed, 1);
        EXPECT_EQ(end.what, "rank 0 has failed");
      });
}

TEST(ElasticRanks, EndWithTheSignalThatComesWhileTheyGrow) {
  expectEnd(
      [](int rank, const sigset_t &mask) {
        if (rank == 0)
          kill(getppid(), SIGTERM);
        int number = 0;
        sigwait(&mask, &number);
        return 128 + kGrowSignal;
      },
      [](const RanksEnd &end) {
        EXPECT_EQ(end.status, 128 + SIGTERM);
        EXPECT_TRUE(end.grows && end.isAsked);
        EXPECT_EQ(end.failed, 0);
      });
}

TEST(StartRanks, SaysThatThereIsNoSocket) {
  whereDenied({{SYS_socket, EMFILE}}, [] {
    EXPECT_EQ(errorOf([] { makeSocket(); }),
              "cannot connect the ranks: too many open files");
  });
}

} // namespace
