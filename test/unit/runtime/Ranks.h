//===- Ranks.h - The training loop with several ranks -----------*- C++ -*-===//
//
// Each rank is a thread that calls trainMain.  The plan's kernels record their
// arguments; the step adds 1 to the rank's slice of the model.
//===----------------------------------------------------------------------===//
#pragma once

#include "train/run/Mains.h"
#include "train/state/io/Safetensors.h"

#include "TestFiles.h"
#include "TestPlan.h"
#include "TestWorld.h"
#include "ThreadWorld.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>

namespace zrt::test {

//   offset 0 tokens, 64 targets, 128 lr, 132 step, 136 loss, 140 and 144
//   count0 as input and output, 192 the rank's slice of w
inline const int64_t shape[] = {1, 1}, wShape[] = {6};
inline const zrt_input inputs[] = {
    {"tokens", ZRT_I32, 2, shape, deviceRef(0, 4), 0, 0, 0, 0},
    {"targets", ZRT_I32, 2, shape, deviceRef(64, 4), 0, 0, 0, 0},
    {"lr", ZRT_F32, 0, nullptr, deviceRef(128, 4), 0, 0, 0, 0},
    {"step", ZRT_F32, 0, nullptr, deviceRef(132, 4), 0, 0, 0, 0},
    {"count0", ZRT_F32, 0, nullptr, deviceRef(140, 4), 0, 0, 0, 0}};
inline const zrt_output outputs[] = {{"loss", ZRT_F32, 0, deviceRef(136, 4)},
                                     {"count0", ZRT_F32, 0, deviceRef(144, 4)}};
inline const zrt_member member = {"w", 1, 1, wShape,
                                  0,   0, 6, {ZRT_INIT_CONSTANT, 0, 0.5, 0}};
inline const zrt_bucket bucket = {"b0", 8, 1, 0, &member, 0, 0};
inline const zrt_state state = {"param",   0, ZRT_F32,
                                ZRT_SLICE, 0, deviceRef(192, 16)};

/// Data of a rank's kernels.
struct RankNotes {
  std::string given; ///< arguments of its programs
  /// Called by the step with the rank's scalars.
  std::function<void(float *scalars)> inStep;
};
inline std::array<RankNotes, 4> notes;

/// Appends "count 3->4 lr 0.5 step 1 mean 0"; the count is the token.
inline void note(RankNotes &rank, void *arena, uint32_t program) {
  auto *ints = static_cast<int32_t *>(arena);
  auto *scalars = static_cast<float *>(arena) + 32;
  rank.given +=
      fmt::format("{} {}->{} lr {} step {} mean {}\n", programName(program),
                  ints[0], ints[16], scalars[0], scalars[1], scalars[3]);
  scalars[4] = float(ints[0]);
  // Temporaries may change between programs.
  ints[0] = ints[16] = -1;
  scalars[0] = scalars[1] = -1;
}

/// The only kernel of a program.
template <int Rank, uint32_t Program>
void work(void *const *args, int64_t, int64_t) {
  note(notes[Rank], args[0], Program);
  auto *floats = static_cast<float *>(args[0]);
  auto *scalars = floats + 32;
  if (Program == ZRT_MICRO)
    scalars[2] = 4.5f;
  if (Program != ZRT_STEP)
    return;
  scalars[2] = 1.5f;
  for (int i = 0; i < 4; ++i)
    floats[48 + i] += 1;
  if (notes[Rank].inStep)
    notes[Rank].inStep(scalars);
}

template <int Rank, uint32_t Program>
zrt_program programOf() {
  return Table()
      .launch(ZRT_COMPUTE, "work", work<Rank, Program>, 1, 1,
              {tensor(deviceRef(0, 256))})
      .program();
}

/// Sets the programs of a rank, whose kernels identify rank and program.
template <int Rank>
void setPrograms(zrt_plan &plan) {
  const zrt_program programs[] = {
      programOf<Rank, ZRT_COUNT>(), programOf<Rank, ZRT_MICRO>(),
      programOf<Rank, ZRT_FIRST>(), programOf<Rank, ZRT_STEP>(),
      programOf<Rank, ZRT_FLUSH>()};
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p)
    if (plan.programs[p].ops)
      plan.programs[p] = programs[p];
}
inline zrt_plan planOfRank(zrt_plan plan, int rank) {
  constexpr void (*set[])(zrt_plan &) = {setPrograms<0>, setPrograms<1>,
                                         setPrograms<2>, setPrograms<3>};
  set[rank](plan);
  return plan;
}

inline zrt_plan ranksPlan(uint32_t ranks, uint32_t accumulate) {
  zrt_plan plan = testPlan(Table(), 256);
  plan.world_size = ranks;
  plan.stage = 3;
  plan.accumulate = accumulate;
  plan.programs[ZRT_COUNT] = plan.programs[ZRT_MICRO] = plan.programs[ZRT_STEP];
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
    notes = {};
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
      statuses[rank] = trainMain(planOfRank(plan, world.rank()),
                                 int(argv.size()), argv.data());
      log[rank] = notes[rank].given;
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
