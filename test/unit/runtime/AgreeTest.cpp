//===- AgreeTest.cpp - Votes of ranks -------------------------------------===//
#include "runtime/world/Agree.h"
#include "train/run/StopSignal.h"

#include "TestFiles.h"
#include "ThreadWorld.h"

#include <csignal>

using namespace zrt;
using namespace zrt::test;

namespace {

const std::string disk = "the disk is full", memory = "out of memory";

TEST(Verdict, IsNothingWhenAllIsWell) {
  EXPECT_FALSE(verdictOf({ballotOf({}), ballotOf({})}, 1, {}));
}

TEST(Verdict, NamesTheFirstRankThatFailed) {
  const std::vector<Ballot> all = {ballotOf({}), ballotOf(disk), ballotOf({}),
                                   ballotOf(memory)};
  const auto verdict = verdictOf(all, 0, {});
  ASSERT_TRUE(verdict);
  EXPECT_STREQ(verdict->what(), "rank 1 failed: the disk is full");
  EXPECT_FALSE(verdict->printedElsewhere);
  EXPECT_STREQ(verdictOf(all, 1, disk)->what(), "the disk is full");
  EXPECT_STREQ(verdictOf(all, 3, memory)->what(), "out of memory");
}

TEST(Verdict, OfOneCauseIsPrintedOnce) {
  const std::vector<Ballot> all = {ballotOf(disk), ballotOf(memory),
                                   ballotOf(disk)};
  EXPECT_FALSE(verdictOf(all, 0, disk)->printedElsewhere);
  EXPECT_FALSE(verdictOf(all, 1, memory)->printedElsewhere);
  EXPECT_TRUE(verdictOf(all, 2, disk)->printedElsewhere);
}

TEST(Ballot, CutsALongMessageForTheOthersOnly) {
  const std::string exact(199, 'x'), tooLong(200, 'x');
  EXPECT_EQ(ballotOf(exact).message, exact);
  EXPECT_EQ(ballotOf(tooLong).message, std::string(196, 'x') + "...");
  EXPECT_EQ(verdictOf({ballotOf(tooLong)}, 0, tooLong)->what(), tooLong);
  // An empty message is a failure, too.
  EXPECT_TRUE(verdictOf({ballotOf("")}, 0, ""));
}

TEST(Together, EndsAllRanksWhenOneFails) {
  std::vector<std::string> errors(3);
  runRanks(3, [&](World &world) {
    errors[size_t(world.rank())] = errorOf([&] {
      together(world, [] {});
      together(world, [&] {
        if (world.rank() == 2)
          throw std::bad_alloc();
      });
      FAIL() << "a phase after the failure ran";
    });
  });
  EXPECT_EQ(errors, (std::vector<std::string>{"rank 2 failed: out of memory",
                                              "rank 2 failed: out of memory",
                                              "out of memory"}));
}

TEST(Together, LetsAWorldThatFailedThrough) {
  std::vector<std::string> errors(2);
  runRanks(2, [&](World &world) {
    if (world.rank() == 0)
      return world.abort("gone");
    errors[1] = errorOf([&] { together(world, [] {}); });
  });
  EXPECT_EQ(errors[1], "rank 0 failed: gone");
}

TEST(AgreedSignal, IsThatOfAnyRank) {
  EXPECT_EQ(agreedReason({0, 0, 0}), 0);
  EXPECT_EQ(agreedReason({0, SIGINT, 0}), SIGINT);
  EXPECT_EQ(agreedReason({SIGTERM, SIGINT, 0}),
            agreedReason({SIGINT, 0, SIGTERM}));
}

} // namespace
