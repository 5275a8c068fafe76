//===- RanksTest.cpp - The training loop with several ranks ---------------===//
//
// Each rank is a thread that calls trainMain.  The programs of the plan write
// down what they were given, and add it to the rank's slice of the model.
//
//===----------------------------------------------------------------------===//
#include "runtime/io/Safetensors.h"
#include "runtime/main/Report.h"
#include "runtime/main/Train.h"

#include "TestFiles.h"
#include "TestPlan.h"
#include "TestWorld.h"
#include "ThreadWorld.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>

using namespace zrt;
using namespace zrt::test;

namespace {

//   offset 0 tokens, 64 targets, 128 lr, 132 step, 136 loss, 140 valid_sum,
//   192 the rank's slice of w
const int64_t shape[] = {1, 1}, wShape[] = {6};
const zrt_input inputs[] = {
    {"tokens", ZRT_I32, 2, shape, deviceRef(0, 4)},
    {"targets", ZRT_I32, 2, shape, deviceRef(64, 4)},
    {"lr", ZRT_F32, 0, nullptr, deviceRef(128, 4)},
    {"step", ZRT_F32, 0, nullptr, deviceRef(132, 4)},
    {"valid_sum", ZRT_F32, 0, nullptr, deviceRef(140, 4)}};
const zrt_output outputs[] = {{"loss", ZRT_F32, 0, deviceRef(136, 4)}};
const zrt_member member = {"w", 1, 1, wShape,
                           0,   0, 6, {ZRT_INIT_CONSTANT, 0, 0.5, 0}};
const zrt_bucket bucket = {"b0", 8, 1, 0, &member};
const zrt_state state = {"param", 0, ZRT_F32, 1, 0, deviceRef(192, 16)};

/// What the programs of this thread's rank were given.
thread_local std::string given;
/// Called by the step program with the rank's arena.
thread_local std::function<zrt_status(float *scalars)> inStep;

/// "count 3->4 lr 0.5 step 1 sum 0", and what is summed up.
void note(zrt_context *ctx, const char *program) {
  const zrt_ref start = deviceRef(0, 256);
  auto *base = static_cast<char *>(zrt_address(ctx, &start));
  auto *ints = reinterpret_cast<int32_t *>(base);
  auto *scalars = reinterpret_cast<float *>(base + 128);
  given += fmt::format("{} {}->{} lr {} step {} sum {}\n", program, ints[0],
                       ints[16], scalars[0], scalars[1], scalars[3]);
  scalars[3] += 1;
  // As temporaries may do between programs.
  ints[0] = ints[16] = -1;
  scalars[0] = scalars[1] = -1;
}

zrt_status step(zrt_context *ctx) {
  const zrt_ref start = deviceRef(0, 256);
  auto *base = static_cast<char *>(zrt_address(ctx, &start));
  note(ctx, "step");
  auto *scalars = reinterpret_cast<float *>(base + 128);
  scalars[2] = 1.5f;
  for (int i = 0; i < 4; ++i)
    reinterpret_cast<float *>(base + 192)[i] += 1;
  return inStep ? inStep(scalars) : 0;
}

zrt_plan ranksPlan(uint32_t ranks, uint32_t accumulate) {
  zrt_plan plan = testPlan(step, 256);
  plan.world_size = ranks;
  plan.stage = 3;
  plan.accumulate = accumulate;
  plan.programs[ZRT_COUNT].run = [](zrt_context *ctx) {
    note(ctx, "count");
    return zrt_status{0};
  };
  plan.programs[ZRT_MICRO].run = [](zrt_context *ctx) {
    note(ctx, "micro");
    return zrt_status{0};
  };
  plan.model = "toy";
  plan.batch = plan.seq = 1;
  plan.vocab = 256;
  plan.inputs = inputs;
  plan.input_count = 5;
  plan.outputs = outputs;
  plan.output_count = 1;
  plan.buckets = &bucket;
  plan.bucket_count = 1;
  plan.states = &state;
  plan.state_count = 1;
  return plan;
}

class Ranks : public testing::Test {
protected:
  TestFolder folder;
  std::string out, err;
  std::vector<std::string> log; ///< of each rank
  std::vector<int> statuses;

  /// `prepare(rank, args)` runs on each rank's thread first.
  void train(const zrt_plan &plan, const std::vector<std::string> &more,
             const std::function<void(int, std::vector<std::string> &)>
                 &prepare = nullptr) {
    // Tokens 0 .. 40: sequence i is i -> i + 1.
    std::string tokens(41, '\0');
    for (size_t i = 0; i < tokens.size(); ++i)
      tokens[i] = char(i);
    std::vector<std::string> common = {
        "train", "--data", folder.write("data", tokens), "--lr", "0.5"};
    common.insert(common.end(), more.begin(), more.end());
    log.assign(plan.world_size, "");
    statuses.assign(plan.world_size, -1);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    runRanks(int(plan.world_size), [&](World &world) {
      const WorldOfThisThread scope(world);
      std::vector<std::string> args = common;
      if (prepare)
        prepare(world.rank(), args);
      std::vector<const char *> argv;
      for (const std::string &arg : args)
        argv.push_back(arg.c_str());
      const auto rank = size_t(world.rank());
      statuses[rank] = trainMain(plan, int(argv.size()), argv.data());
      log[rank] = given;
    });
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
  std::vector<float> savedWeights() {
    const SafetensorsFile file(folder / "w");
    std::vector<float> w(6);
    std::memcpy(w.data(), file.find("w")->data, 24);
    return w;
  }
  size_t lines(const std::string &text) {
    return size_t(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(Ranks, RunTheProgramsOfAStepWithTheirBatches) {
  train(ranksPlan(2, 3), {"--steps", "2"});
  ASSERT_EQ(statuses, (std::vector{0, 0})) << err;
  // Sequence (s x 3 + k) x 2 + rank.
  EXPECT_EQ(log[0], "count 0->1 lr 0.5 step 1 sum 0\n"
                    "count 2->3 lr 0.5 step 1 sum 1\n"
                    "count 4->5 lr 0.5 step 1 sum 2\n"
                    "micro 0->1 lr 0.5 step 1 sum 3\n"
                    "micro 2->3 lr 0.5 step 1 sum 4\n"
                    "step 4->5 lr 0.5 step 1 sum 5\n"
                    "count 6->7 lr 0.5 step 2 sum 0\n"
                    "count 8->9 lr 0.5 step 2 sum 1\n"
                    "count 10->11 lr 0.5 step 2 sum 2\n"
                    "micro 6->7 lr 0.5 step 2 sum 3\n"
                    "micro 8->9 lr 0.5 step 2 sum 4\n"
                    "step 10->11 lr 0.5 step 2 sum 5\n");
  EXPECT_EQ(log[1].substr(0, 45), "count 1->2 lr 0.5 step 1 sum 0\n"
                                  "count 3->4 lr ");
}

TEST_F(Ranks, RunWhatThePlanHas) {
  train(ranksPlan(2, 1), {"--steps", "2"});
  EXPECT_EQ(log[1], "step 1->2 lr 0.5 step 1 sum 0\n"
                    "step 3->4 lr 0.5 step 2 sum 0\n");
  zrt_plan plan = ranksPlan(1, 2);
  plan.programs[ZRT_COUNT].run = nullptr;
  const zrt_state whole = {"param", 0, ZRT_F32, 0, 0, deviceRef(192, 32)};
  plan.states = &whole;
  train(plan, {"--steps", "1"});
  EXPECT_EQ(log[0], "micro 0->1 lr 0.5 step 1 sum 0\n"
                    "step 1->2 lr 0.5 step 1 sum 1\n");
  plan.programs[ZRT_MICRO].run = nullptr;
  train(plan, {"--steps", "1"});
  EXPECT_EQ(statuses[0], 1);
  EXPECT_NE(err.find("2 micro-steps, but no program"), std::string::npos);
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
  // 8 elements are not 3 slices.
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

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

TEST_F(Ranks, StopAtTheSameStep) {
  for (const int signal : {SIGINT, SIGTERM}) {
    train(ranksPlan(2, 1), {"--steps", "100", "--save", folder / "w"},
          [signal](int rank, auto &) {
            if (rank == 1)
              inStep = [signal, n = 0](float *) mutable {
                if (++n == 4)
                  std::raise(signal);
                return zrt_status{0};
              };
          });
    EXPECT_EQ(statuses, (std::vector{128 + signal, 128 + signal})) << err;
    EXPECT_NE(out.find(" after "), std::string::npos) << out;
    // One may have seen it a step earlier; the vote keeps them together.
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
  EXPECT_NE(err.find("train: rank 1: error: " + reason), std::string::npos)
      << err;
  EXPECT_NE(err.find("train: rank 0: error: rank 1 failed: " + reason),
            std::string::npos)
      << err;

  train(ranksPlan(2, 1), {"--steps", "2", "--save", "/none/w"});
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_NE(err.find("train: rank 1: error: rank 0 failed: cannot write"),
            std::string::npos)
      << err;
}

TEST_F(Ranks, RefuseDifferentDataAndOptions) {
  const std::string other = folder.write("other", "abc");
  train(ranksPlan(2, 1), {"--steps", "2"}, [&](int rank, auto &args) {
    if (rank == 1)
      args[2] = other;
  });
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_EQ(err, "train: rank 0: error: rank 1 has other data than rank 0: 3 "
                 "bytes against 41; give every rank the same file\n");
  train(ranksPlan(2, 1), {"--steps", "2"}, [&](int rank, auto &args) {
    if (rank == 1)
      args.insert(args.end(), {"--save", folder / "w"});
  });
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_NE(err.find("rank 1 is started with --save, but rank 0 without"),
            std::string::npos)
      << err;
  // Threads and folders of the program are each rank's own business.
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
            inStep = [n = 0](float *) mutable { return zrt_status{++n == 3}; };
        });
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_NE(err.find("train: rank 1: error: step 2: "), std::string::npos)
      << err;
  EXPECT_NE(err.find("train: rank 0: error: rank 1 failed: "),
            std::string::npos)
      << err;
  EXPECT_FALSE(std::filesystem::exists(folder / "w"));
}

TEST_F(Ranks, AreToldWhenRank0CannotWrite) {
  train(ranksPlan(2, 1), {"--steps", "5", "--metrics", "/dev/full"});
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_NE(err.find("train: rank 1: error: rank 0 failed: cannot write "
                     "metrics of step 0"),
            std::string::npos)
      << err;
}

TEST_F(Ranks, DoNotSaveWhenAPeerDiedAndASignalCame) {
  // A launcher sends SIGTERM to the survivors.
  train(ranksPlan(2, 1), {"--steps", "100", "--save", folder / "w"},
        [](int rank, auto &) {
          if (rank == 1)
            inStep = [](float *) {
              std::raise(SIGTERM);
              return zrt_status{1};
            };
        });
  EXPECT_EQ(statuses, (std::vector{1, 1}));
  EXPECT_EQ(err.find("SIGTERM"), std::string::npos) << err;
  EXPECT_FALSE(std::filesystem::exists(folder / "w"));
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

TEST(RanksReport, CountsTheWireOfAllPrograms) {
  zrt_collective_desc one = {}, two = {};
  one.wire_bytes = 100;
  two.wire_bytes = 7;
  const zrt_collective_desc *const both[] = {&one, &two};
  zrt_plan plan = ranksPlan(2, 4);
  plan.programs[ZRT_COUNT].collectives = both + 1;
  plan.programs[ZRT_COUNT].collective_count = 1;
  plan.programs[ZRT_MICRO].collectives = both;
  plan.programs[ZRT_MICRO].collective_count = 1;
  plan.programs[ZRT_STEP].collectives = both;
  plan.programs[ZRT_STEP].collective_count = 2;
  EXPECT_EQ(wireBytesPerStep(plan), 4 * 7 + 3 * 100 + 107u);
  EXPECT_NE(certificate(plan).find("received each step"), std::string::npos);
  EXPECT_NE(certificate(plan).find(" 435 "), std::string::npos)
      << certificate(plan);
  plan.accumulate = 1; // counts and micro-steps do not run
  EXPECT_EQ(wireBytesPerStep(plan), 107u);
}

TEST(RanksReport, NamesStageRanksAndMicroSteps) {
  zrt_plan plan = ranksPlan(2, 4);
  EXPECT_EQ(ranksText(plan), "2, stage 3, 4 micro-steps");
  plan.options = "--stage=3 --bucket-size=25MB --lr-decay=0";
  plan.accumulate = 1;
  EXPECT_EQ(ranksText(plan), "2, stage 3, 1 micro-step, bucket 25MB");
  EXPECT_NE(certificate(plan).find("ranks 2, stage 3, 1 micro-step"),
            std::string::npos);
}

} // namespace
