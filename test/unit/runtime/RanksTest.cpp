//===- RanksTest.cpp - Steps of several ranks -----------------------------===//
#include "train/report/Report.h"

#include "Ranks.h"
#include "TestFiles.h"

using namespace zrt;
using namespace zrt::test;

namespace {

TEST_F(Ranks, RunTheProgramsOfAStepWithTheirBatches) {
  train(ranksPlan(2, 3), {"--steps", "2"});
  ASSERT_EQ(statuses, (std::vector{0, 0})) << err;
  // Sequence (s x 3 + k) x 2 + rank.  The count is the token: 0, 2 and 4, then
  // 6, 8 and 10.
  EXPECT_EQ(log[0], "count 0->1 lr 0.5 step 1 mean 0\n"
                    "count 2->3 lr 0.5 step 1 mean 0\n"
                    "count 4->5 lr 0.5 step 1 mean 0\n"
                    "micro 0->1 lr 0.5 step 1 mean 2\n"
                    "micro 2->3 lr 0.5 step 1 mean 2\n"
                    "step 4->5 lr 0.5 step 1 mean 2\n"
                    "count 6->7 lr 0.5 step 2 mean 2\n"
                    "count 8->9 lr 0.5 step 2 mean 2\n"
                    "count 10->11 lr 0.5 step 2 mean 2\n"
                    "micro 6->7 lr 0.5 step 2 mean 8\n"
                    "micro 8->9 lr 0.5 step 2 mean 8\n"
                    "step 10->11 lr 0.5 step 2 mean 8\n");
  EXPECT_EQ(log[1].substr(0, 46), "count 1->2 lr 0.5 step 1 mean 0\n"
                                  "count 3->4 lr ");
  // The mean of 4.5 for each of the two micro-steps and 1.5 for the step.
  EXPECT_HAS(out, "final loss 3.500000");
}

TEST_F(Ranks, RunWhatThePlanHas) {
  train(ranksPlan(2, 1), {"--steps", "2"});
  EXPECT_EQ(log[1], "step 1->2 lr 0.5 step 1 mean 0\n"
                    "step 3->4 lr 0.5 step 2 mean 0\n");
  zrt_plan plan = ranksPlan(1, 2);
  plan.programs[ZRT_COUNT] = {};
  const zrt_state whole = {"param",   0, ZRT_F32,
                           ZRT_WHOLE, 0, deviceRef(192, 32)};
  plan.states = &whole;
  train(plan, {"--steps", "1"});
  EXPECT_EQ(log[0], "micro 0->1 lr 0.5 step 1 mean 0\n"
                    "step 1->2 lr 0.5 step 1 mean 0\n");
  plan.programs[ZRT_MICRO] = {};
  train(plan, {"--steps", "1"});
  EXPECT_EQ(statuses[0], 1);
  EXPECT_HAS(err, "2 micro-steps, but no program");
}

TEST_F(Ranks, LeaveAnUpdateToTheNextProgram) {
  zrt_plan plan = ranksPlan(2, 1);
  plan.programs[ZRT_FIRST] = plan.programs[ZRT_FLUSH] = plan.programs[ZRT_STEP];
  // The batch of this step, and the scalars of the previous step.
  const std::vector<std::string> options = {"--warmup", "4", "--steps"};
  auto of = [&](const char *steps) {
    std::vector<std::string> all = options;
    all.push_back(steps);
    return all;
  };
  train(plan, of("3"));
  ASSERT_EQ(statuses, (std::vector{0, 0})) << err;
  EXPECT_EQ(log[0], "first 0->1 lr 0.125 step 1 mean 0\n"
                    "step 2->3 lr 0.125 step 1 mean 0\n"
                    "step 4->5 lr 0.25 step 2 mean 0\n"
                    "flush -1->-1 lr 0.375 step 3 mean 0\n");
  train(plan, of("1"));
  EXPECT_EQ(log[0], "first 0->1 lr 0.125 step 1 mean 0\n"
                    "flush -1->-1 lr 0.125 step 1 mean 0\n");
  train(plan, of("0"));
  EXPECT_EQ(log[0], "");
  plan.programs[ZRT_FLUSH] = {};
  train(plan, of("1"));
  EXPECT_EQ(statuses[0], 1);
  EXPECT_HAS(err, "no program for the first or the last one");
}

TEST_F(Ranks, SaveOneModelAndStartFromIt) {
  train(ranksPlan(2, 1), {"--steps", "3", "--save", folder / "w"});
  ASSERT_EQ(statuses, (std::vector{0, 0})) << err;
  EXPECT_EQ(savedWeights(), std::vector<float>(6, 3.5f));
  const float other[] = {1, 2, 3, 4, 5, 6};
  writeSafetensors(folder / "in", {{"w", "F32", {6}, other, 24}});
  train(ranksPlan(2, 1),
        {"--steps", "1", "--init", folder / "in", "--save", folder / "w"});
  EXPECT_EQ(savedWeights(), (std::vector<float>{2, 3, 4, 5, 6, 7}));
}

TEST_F(Ranks, LetRank0Speak) {
  train(ranksPlan(3, 1),
        {"--steps", "2", "--metrics", folder / "m", "--profile"});
  // 8 elements cannot be divided into 3 slices.
  EXPECT_EQ(statuses, (std::vector{1, 1, 1}));
  EXPECT_EQ(out, "");
  EXPECT_EQ(err, "train: rank 0: error: bucket b0: its 8 elements are not 3 "
                 "slices of one size\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));

  train(ranksPlan(2, 2),
        {"--steps", "2", "--metrics", folder / "m", "--profile"});
  ASSERT_EQ(statuses, (std::vector{0, 0})) << err;
  EXPECT_EQ(err, "");
  EXPECT_EQ(lines(readFile(folder / "m")), 2u);
  for (const char *part :
       {"ranks     2, stage 3, 2 micro-steps\n", "step 0/2", "final loss",
        "profile: ", "peak memory of rank 0"}) {
    const size_t at = out.find(part);
    EXPECT_NE(at, std::string::npos) << part << "\n" << out;
    EXPECT_EQ(out.find(part, at + 1), std::string::npos) << part << "\n" << out;
  }
}

TEST(RanksReport, CountsTheWireOfAllPrograms) {
  zrt_collective_desc one = {}, two = {};
  one.wire_bytes = 100;
  two.wire_bytes = 7;
  zrt_plan plan = ranksPlan(2, 4);
  plan.programs[ZRT_COUNT] = Table().collective(ZRT_REDUCE, two).program();
  plan.programs[ZRT_MICRO] = Table().collective(ZRT_GATHER, one).program();
  plan.programs[ZRT_STEP] =
      Table().collective(ZRT_GATHER, one).collective(ZRT_REDUCE, two).program();
  EXPECT_EQ(wireBytesPerStep(plan), 4 * 7 + 3 * 100 + 107u);
  EXPECT_HAS(certificate(plan), "received each step");
  EXPECT_HAS(certificate(plan), " 435 ");
  plan.accumulate = 1; // counts and micro-steps do not run
  EXPECT_EQ(wireBytesPerStep(plan), 107u);
}

TEST(RanksReport, NamesStageRanksAndMicroSteps) {
  zrt_plan plan = ranksPlan(2, 4);
  EXPECT_EQ(ranksText(plan), "2, stage 3, 4 micro-steps");
  plan.bucket_bytes = 65536;
  plan.accumulate = 1;
  EXPECT_EQ(ranksText(plan), "2, stage 3, 1 micro-step, bucket 65536");
  EXPECT_HAS(certificate(plan), "ranks 2, stage 3, 1 micro-step");
  plan.world_size = 4;
  plan.group_size = 2;
  plan.bucket_bytes = 0;
  EXPECT_EQ(ranksText(plan), "4 in groups of 2, stage 3, 1 micro-step");
}

} // namespace
