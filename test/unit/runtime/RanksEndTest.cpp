//===- RanksEndTest.cpp - The end of runs on several ranks ----------------===//
#include "Ranks.h"

#include "TestFiles.h"
#include "runtime/text/Error.h"

#include <cmath>

using namespace zrt;
using namespace zrt::test;

namespace {

TEST_F(Ranks, StopAtTheSameStep) {
  for (const int signal : {SIGINT, SIGTERM}) {
    train(ranksPlan(2, 1), {"--steps", "100", "--save", folder / "w"},
          [signal](int rank, auto &) {
            if (rank == 1)
              notes[1].inStep = [signal, n = 0](float *) mutable {
                if (++n == 4)
                  std::raise(signal);
              };
          });
    EXPECT_EQ(statuses, (std::vector{128 + signal, 128 + signal})) << err;
    EXPECT_HAS(out, " after ");
    // One rank may have seen it a step earlier; the vote keeps them in step.
    EXPECT_EQ(lines(log[0]), lines(log[1]));
    EXPECT_GE(lines(log[0]), 4u);
    EXPECT_LT(lines(log[0]), 100u);
    EXPECT_EQ(savedWeights(),
              std::vector<float>(6, 0.5f + float(lines(log[0]))));
  }
}

TEST_F(Ranks, EndTogetherWhenOneCannotStart) {
  train(ranksPlan(2, 1), {"--steps", "2"}, [&](int rank, auto &args) {
    if (rank == 1)
      args[2] = folder / "none";
  });
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_EQ(out, "");
  const std::string reason =
      "cannot read " + folder / "none" + ": no such file or directory\n";
  EXPECT_EQ(lines(err), 2u);
  EXPECT_HAS(err, "train: rank 1: error: " + reason);
  EXPECT_HAS(err, "train: rank 0: error: rank 1 failed: " + reason);

  train(ranksPlan(2, 1), {"--steps", "2", "--save", "/none/w"});
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_HAS(err, "train: rank 1: error: rank 0 failed: cannot write");
}

TEST_F(Ranks, RefuseDifferentDataAndOptions) {
  const std::string other = folder.write("other", "abc");
  train(ranksPlan(2, 1), {"--steps", "2"}, [&](int rank, auto &args) {
    if (rank == 1)
      args[2] = other;
  });
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_EQ(err, "train: rank 0: error: rank 1 has other data than rank 0: 3 "
                 "bytes against 41 bytes; give every rank the same file\n");
  train(ranksPlan(2, 1), {"--steps", "2"}, [&](int rank, auto &args) {
    if (rank == 1)
      args.insert(args.end(), {"--save", folder / "w"});
  });
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_HAS(err, "rank 1 is started with --save, but rank 0 without");
  // Threads and the program's folder may differ between ranks.
  train(ranksPlan(2, 1), {"--steps", "2"}, [&](int rank, auto &args) {
    if (rank == 1) {
      args[0] = "/elsewhere/train";
      args.insert(args.end(), {"--threads", "1"});
    }
  });
  EXPECT_EQ(statuses, (std::vector{0, 0})) << err;
}

TEST_F(Ranks, AreToldWhenOneFailsInTheMiddle) {
  train(ranksPlan(2, 1), {"--steps", "5", "--save", folder / "w"},
        [](int rank, auto &) {
          if (rank == 1)
            notes[1].inStep = [n = 0](float *) mutable {
              if (++n == 3)
                fail("it broke");
            };
        });
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_HAS(err, "train: rank 1: error: step 2: ");
  EXPECT_HAS(err, "train: rank 0: error: rank 1 failed: ");
  EXPECT_FALSE(std::filesystem::exists(folder / "w"));
}

TEST_F(Ranks, AreToldWhenRank0CannotWrite) {
  train(ranksPlan(2, 1), {"--steps", "5", "--save", "/dev/full"});
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_HAS(err, "train: rank 1: error: rank 0 failed: cannot write "
                  "/dev/full: no space left on device");
}

TEST_F(Ranks, TrainOnWithoutMetrics) {
  train(ranksPlan(2, 1),
        {"--steps", "5", "--metrics", "/dev/full", "--save", folder / "w"});
  EXPECT_EQ(statuses, (std::vector{4, 0}));
  EXPECT_EQ(lines(err), 1u) << err;
  EXPECT_EQ(savedWeights(), std::vector<float>(6, 5.5f));
}

TEST_F(Ranks, StopTogetherWhenOneDiverges) {
  // In the middle a loss shows it, at the end a weight.
  for (const bool atEnd : {false, true}) {
    train(ranksPlan(2, 1), {"--steps", "3", "--save", folder / "w"},
          [atEnd](int rank, auto &) {
            if (rank == 1)
              notes[1].inStep = [atEnd, n = 0](float *scalars) mutable {
                ++n;
                if (atEnd && n == 3)
                  scalars[16] = INFINITY; // of the slice of w
                else if (!atEnd && n == 2)
                  scalars[2] = NAN; // the loss
              };
          });
    EXPECT_EQ(statuses, (std::vector{3, 3}));
    EXPECT_HAS(err, atEnd
                        ? "train: rank 0: error: rank 1 failed: after step 2, "
                          "the last: parameter w is inf at element 4; the "
                          "training has diverged"
                        : "train: rank 0: error: step 1: a number of another "
                          "rank is not finite; the training has diverged");
    EXPECT_FALSE(std::filesystem::exists(folder / "w"));
  }
}

TEST_F(Ranks, DoNotSaveWhenAPeerDiedAndASignalCame) {
  // A launcher sends SIGTERM to the surviving ranks.
  train(ranksPlan(2, 1), {"--steps", "100", "--save", folder / "w"},
        [](int rank, auto &) {
          if (rank == 1)
            notes[1].inStep = [](float *) {
              std::raise(SIGTERM);
              fail("it broke");
            };
        });
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_HAS_NOT(err, "SIGTERM");
  EXPECT_FALSE(std::filesystem::exists(folder / "w"));
}

} // namespace
