//===- Ranks.h - The training loop with several ranks -----------*- C++ -*-===//
//
// Each rank is a thread that calls trainMain.  The programs of the plan write
// down what they were given; the step adds 1 to the rank's slice of the model.
//
//===----------------------------------------------------------------------===//
#ifndef TEST_UNIT_RUNTIME_RANKS_H
#define TEST_UNIT_RUNTIME_RANKS_H

#include "runtime/io/Safetensors.h"
#include "runtime/main/Train.h"

#include "TestFiles.h"
#include "TestPlan.h"
#include "TestWorld.h"
#include "ThreadWorld.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>

namespace zrt::test {

//   offset 0 tokens, 64 targets, 128 lr, 132 step, 136 loss, 140 and 144
//   count0 as input and output, 192 the rank's slice of w
inline const int64_t shape[] = {1, 1}, wShape[] = {6};
inline const zrt_input inputs[] = {
    {"tokens", ZRT_I32, 2, shape, deviceRef(0, 4), 0, 0},
    {"targets", ZRT_I32, 2, shape, deviceRef(64, 4), 0, 0},
    {"lr", ZRT_F32, 0, nullptr, deviceRef(128, 4), 0, 0},
    {"step", ZRT_F32, 0, nullptr, deviceRef(132, 4), 0, 0},
    {"count0", ZRT_F32, 0, nullptr, deviceRef(140, 4), 0, 0}};
inline const zrt_output outputs[] = {{"loss", ZRT_F32, 0, deviceRef(136, 4)},
                                     {"count0", ZRT_F32, 0, deviceRef(144, 4)}};
inline const zrt_member member = {"w", 1, 1, wShape,
                                  0,   0, 6, {ZRT_INIT_CONSTANT, 0, 0.5, 0}};
inline const zrt_bucket bucket = {"b0", 8, 1, 0, &member};
inline const zrt_state state = {"param", 0, ZRT_F32, 1, 0, deviceRef(192, 16)};

/// What the programs of this thread's rank were given.
inline thread_local std::string given;
/// Called by the step program with the rank's arena.
inline thread_local std::function<zrt_status(float *scalars)> inStep;

/// "count 3->4 lr 0.5 step 1 mean 0"; what it counts is the token.
inline void note(zrt_context *ctx, const char *program) {
  const zrt_ref start = deviceRef(0, 256);
  auto *base = memoryOf<char>(ctx, start);
  auto *ints = reinterpret_cast<int32_t *>(base);
  auto *scalars = reinterpret_cast<float *>(base + 128);
  given += fmt::format("{} {}->{} lr {} step {} mean {}\n", program, ints[0],
                       ints[16], scalars[0], scalars[1], scalars[3]);
  scalars[4] = float(ints[0]);
  // As temporaries may do between programs.
  ints[0] = ints[16] = -1;
  scalars[0] = scalars[1] = -1;
}

inline zrt_status step(zrt_context *ctx) {
  const zrt_ref start = deviceRef(0, 256);
  auto *base = memoryOf<char>(ctx, start);
  note(ctx, "step");
  auto *scalars = reinterpret_cast<float *>(base + 128);
  scalars[2] = 1.5f;
  for (int i = 0; i < 4; ++i)
    reinterpret_cast<float *>(base + 192)[i] += 1;
  return inStep ? inStep(scalars) : 0;
}

inline zrt_plan ranksPlan(uint32_t ranks, uint32_t accumulate) {
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
    const zrt_ref loss = deviceRef(136, 4);
    *memoryOf<float>(ctx, loss) = 4.5f;
    return zrt_status{0};
  };
  plan.model = "toy";
  plan.inputs = inputs;
  plan.input_count = 5;
  plan.outputs = outputs;
  plan.output_count = 2;
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
  std::vector<float> savedWeights() const {
    const SafetensorsFile file(folder / "w");
    std::vector<float> w(6);
    file.read(*file.find("w"), 0, w.data(), 24);
    return w;
  }
  static size_t lines(const std::string &text) {
    return size_t(std::count(text.begin(), text.end(), '\n'));
  }
};

} // namespace zrt::test

#endif // TEST_UNIT_RUNTIME_RANKS_H
