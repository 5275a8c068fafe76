//===- DriveTest.cpp - Requests of a driven run ---------------------------===//

#include "train/drive/Answers.h"
#include "train/drive/Commands.h"
#include "train/drive/GivenRows.h"
#include "train/drive/SampleOnRanks.h"
#include "train/generate/Requests.h"

#include "FakeDecoder.h"
#include "ThreadWorld.h"

#include <cstring>
#include <random>
#include <thread>

using namespace zrt;
using zrt::test::Mailboxes;
using zrt::test::ThreadWorld;

namespace {

constexpr RequestLimits kPrompts = {4, 256};
const int64_t kSamplesShape[] = {2, 3}; // batches of 2, samples of 3

zrt_input samplesInput(const char *name, zrt_dtype dtype, int64_t bound,
                       int64_t ignored, uint64_t offset) {
  return {name,
          dtype,
          2,
          kSamplesShape,
          {ZRT_DEVICE, 0, offset, 2 * 3 * 8},
          bound,
          ignored,
          0,
          0};
}

/// A plan with inputs, and all programs without operations.
struct InputPlan {
  explicit InputPlan(std::vector<zrt_input> all) : inputs(std::move(all)) {
    plan.inputs = inputs.data();
    plan.input_count = uint32_t(inputs.size());
    plan.accumulate = plan.world_size = 1;
    for (zrt_program &program : plan.programs)
      program.ops = &op;
  }
  InputPlan()
      : InputPlan({samplesInput("tokens", ZRT_I32, 256, 0, 0),
                   samplesInput("targets", ZRT_I64, 256, -100, 64),
                   samplesInput("token_weights", ZRT_F32, 0, 0, 128)}) {}

  zrt_op op = {};
  std::vector<zrt_input> inputs;
  zrt_plan plan = {};
};

Command commandIn(const InputPlan &inputs, const std::string &line) {
  const RowReader rows(inputs.plan);
  return CommandReader(inputs.plan, rows, kPrompts).parse(line);
}

template <typename What>
What parseAs(const std::string &line) {
  return std::get<What>(commandIn(InputPlan(), line).what);
}

/// Expects an error with that id and these words.
void expectNotServed(const InputPlan &inputs, const std::string &line,
                     std::optional<uint64_t> id, const std::string &words) {
  try {
    commandIn(inputs, line);
    ADD_FAILURE() << line << " is taken";
  } catch (const RequestError &error) {
    EXPECT_EQ(error.id, id) << line;
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
        << line << ": " << error.what();
  }
}

template <typename T>
std::vector<T> valuesIn(const Row &row, size_t at, size_t count) {
  std::vector<T> values(count);
  std::memcpy(values.data(), &row[at], count * sizeof(T));
  return values;
}

} // namespace

TEST(DriveRequests, HaveAllFields) {
  const auto sample = parseAs<SampleCommand>(
      R"({"id": 1, "sample": {"prompts": [[1, 2], [255]], "count": 4,
          "seed": 18446744073709551615, "temperature": 0, "top_k": 5,
          "top_p": 0.5, "min_p": 0.25, "repetition_penalty": 1.5,
          "no_repeat_ngram_size": 3, "max": 64, "end_ids": [2, 7]}})");
  EXPECT_EQ(sample.prompts, (std::vector<std::vector<int32_t>>{{1, 2}, {255}}));
  EXPECT_EQ(sample.count, 4U);
  EXPECT_EQ(sample.seed, UINT64_MAX);
  EXPECT_EQ(sample.draw.temperature, 0);
  EXPECT_EQ(sample.draw.topK, 5);
  EXPECT_EQ(sample.draw.topP, 0.5);
  EXPECT_EQ(sample.draw.minP, 0.25);
  EXPECT_EQ(sample.draw.repetitionPenalty, 1.5);
  EXPECT_EQ(sample.draw.noRepeat, 3);
  EXPECT_EQ(sample.most, 64U);
  EXPECT_EQ(sample.endIds, (std::vector<int32_t>{2, 7}));
  const auto least =
      parseAs<SampleCommand>(R"({"id": 1, "sample": {"prompts": [[1]]}})");
  EXPECT_EQ(least.count, 1U);
  EXPECT_EQ(least.draw.temperature, 1);
  EXPECT_EQ(least.most, UINT64_MAX);
  EXPECT_EQ(parseAs<StepCommand>(R"({"id": 1, "step": {"lr": 0.5}})").lr, 0.5);
  EXPECT_EQ(parseAs<StepCommand>(R"({"id": 1, "step": {}})").lr, std::nullopt);
  EXPECT_EQ(
      parseAs<LoadCommand>(R"({"id": 1, "load": {"path": "run/step-1"}})").path,
      "run/step-1");
  (void)parseAs<SaveCommand>(R"({"id": 1, "save": {}})");
  (void)parseAs<StateCommand>(R"({"state": {}, "id": 1})");
}

TEST(DriveRequests, PadRows) {
  const auto command = parseAs<ForwardBackwardCommand>(
      R"({"id": 1, "forward_backward": {"inputs": {"tokens": [[1, 2, 3], [4]],
          "targets": [[2, -100, 255], []], "token_weights": [[], [0.5]]}}})");
  ASSERT_EQ(command.rows.size(), 2U);
  EXPECT_EQ(valuesIn<int32_t>(command.rows[0], 0, 3),
            (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(valuesIn<int32_t>(command.rows[1], 0, 3),
            (std::vector<int32_t>{4, 0, 0}));
  EXPECT_EQ(valuesIn<int64_t>(command.rows[0], 12, 3),
            (std::vector<int64_t>{2, -100, 255}));
  EXPECT_EQ(valuesIn<int64_t>(command.rows[1], 12, 3),
            (std::vector<int64_t>{-100, -100, -100}));
  EXPECT_EQ(valuesIn<float>(command.rows[1], 36, 3),
            (std::vector<float>{0.5, 0, 0}));
}

TEST(DriveRequests, AreRefusedWithTheirId) {
  const InputPlan inputs;
  const auto refused = [&](const std::string &given, const std::string &words) {
    expectNotServed(
        inputs, R"({"id": 9, "forward_backward": {"inputs": )" + given + "}}",
        9, words);
  };
  refused("7", "\"inputs\" is 7");
  refused(R"({"tokens": [[1]], "targets": [[1]]})", "lacks \"token_weights\"");
  refused(R"({"tokens": [1]})", "row 0 of \"tokens\" is 1; give it a list");
  refused(R"({"tokens": {}})", "give it a list of rows");
  refused(R"({"tokens": [[1, 2, 3, 4]]})", "has 4 numbers, and a sample has 3");
  refused(R"({"tokens": [[0, -1]]})", "holds -1, which is not 0 to 255");
  refused(R"({"tokens": [["1"]]})", "holds \"1\"");
  refused(R"({"tokens": [[1]], "targets": [[18446744073709551615]]})",
          "holds 18446744073709551615, which is not 0 to 255 or -100");
  refused(R"({"tokens": [[1]], "targets": [[1]], "token_weights": [[-1]]})",
          "holds -1, and the weight of a target is finite and not negative");
  refused(R"({"tokens": [[1]], "targets": [[1]], "token_weights": [[1e39]]})",
          "no number that a float32 holds");
  expectNotServed(inputs, R"({"id": 9, "step": {"lr": 1e999}})", std::nullopt,
                  "a number is too large");
  expectNotServed(inputs, R"({"id": 9, "step": {"lr": 1e-60}})", 9,
                  "\"lr\" is");
  expectNotServed(inputs, R"({"id": 9, "step": {"rate": 1}})", 9,
                  "\"step\" has no field \"rate\"; it has lr");
  expectNotServed(inputs, R"({"id": "9", "step": {}})", std::nullopt, "\"id\"");
  expectNotServed(inputs, R"({"id": 9, "sample": {"prompts": [[1]],
                            "count": 1048577}})",
                  9, "\"count\"");
  expectNotServed(inputs, R"({"id": 9, "sample": {"prompts": [[1], [2]],
                            "count": 1048576}})",
                  9, "up to 1,048,576 answers");
  expectNotServed(inputs, R"({"id": 9, "sample": {"prompts": [[1]],
                            "end_ids": 7}})",
                  9, "end_ids");
}

TEST(DriveRequests, NeedProgramsOfThePlan) {
  InputPlan inputs;
  inputs.plan.programs[ZRT_SCORE].ops = nullptr;
  inputs.plan.programs[ZRT_EVAL].ops = nullptr;
  expectNotServed(inputs, R"({"id": 9, "score": {}})", 9, "--objective");
  expectNotServed(inputs, R"({"id": 9, "eval": {}})", 9, "--eval");
  const RowReader rows(inputs.plan);
  const CommandReader reader(inputs.plan, rows, std::nullopt);
  EXPECT_THROW(reader.parse(R"({"id": 9, "sample": {"prompts": [[1]]}})"),
               RequestError);
}

TEST(DriveRequests, SurviveRandomDamage) {
  const InputPlan inputs;
  const std::string good[] = {
      R"({"id":1,"sample":{"prompts":[[1,2],[3]],"count":4,"end_ids":[2]}})",
      R"({"id":3,"forward_backward":{"inputs":{"tokens":[[1]],"targets":[[2]],)"
      R"("token_weights":[[1e-3]]}}})",
      R"({"id":4,"step":{"lr":1e-4}})", R"({"id":7,"load":{"path":"x"}})"};
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string line = good[random() % std::size(good)];
    for (uint32_t edits = 1 + random() % 3; edits > 0; --edits)
      line[random() % line.size()] = char(random());
    try {
      (void)commandIn(inputs, line);
    } catch (const RequestError &) { // with an id or without
    }
  }
}

TEST(DriveRows, MustCountForTheLoss) {
  const InputPlan inputs;
  const RowReader reader(inputs.plan);
  const auto read = [&](const char *text) {
    return reader.read(parseJson(text), ZRT_STEP);
  };
  reader.checkCounts(read(R"({"tokens": [[1], [1]], "targets": [[], [3]],
                              "token_weights": [[], [0, 1]]})"));
  EXPECT_THROW(reader.checkCounts(read(R"({"tokens": [[1]], "targets": [[]],
                                           "token_weights": [[1]]})")),
               Error);
  EXPECT_THROW(reader.checkCounts(read(R"({"tokens": [[1]], "targets": [[1]],
                                           "token_weights": [[0]]})")),
               Error);
  reader.checkFull(3, 2); // is padded
  const InputPlan all({samplesInput("x", ZRT_F32, 0, 0, 0)});
  const RowReader full(all.plan);
  full.checkFull(4, 2);
  EXPECT_THROW(full.checkFull(3, 2), Error);
  EXPECT_THROW(full.read(parseJson(R"({"x": [[1, 2]]})"), ZRT_STEP), Error);
}

TEST(DriveRows, OfScoresAreThoseThatItReads) {
  InputPlan inputs;
  zrt_launch_desc launch = {};
  const zrt_operand operand = {{ZRT_DEVICE, 0, 0, 24}, ZRT_I32, ZRT_SCALAR};
  launch.arg_count = 1;
  launch.args = &operand;
  zrt_op op = {};
  op.kind = ZRT_LAUNCH;
  op.descriptor = &launch;
  inputs.plan.programs[ZRT_SCORE].ops = &op;
  inputs.plan.programs[ZRT_SCORE].op_count = 1;
  const RowReader reader(inputs.plan);
  EXPECT_EQ(reader.read(parseJson(R"({"tokens": [[1]]})"), ZRT_SCORE).size(),
            1U);
  EXPECT_THROW(reader.read(parseJson(R"({"targets": [[1]]})"), ZRT_SCORE),
               Error);
}

TEST(DriveAnswers, ReadBackToTheSameBits) {
  std::mt19937 random(3);
  std::vector<float> values;
  while (values.size() < 999) {
    const auto bits = uint32_t(random());
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isfinite(value))
      values.push_back(value);
  }
  const nlohmann::json answer = parseJson(valuesLine(7, values, 3));
  ASSERT_EQ(answer.at("values").size(), 333U);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(answer.at("values")[i / 3][i % 3].get<float>(), values[i]);
  values[5] = NAN;
  EXPECT_THROW(valuesLine(7, values, 3), Error);
  EXPECT_EQ(stepLine(4, {12, INFINITY, 0.1, true}),
            R"({"id":4,"step":12,"loss":null,"grad_norm":0.1,"skipped":true})");
}

TEST(DriveSamples, AreTheSameOnAnyRanks) {
  SampleCommand sample;
  sample.prompts = {{1, 2, 4, 5, 6, 7, 8}, {1}, {9, 9, 9}, {5, 6, 7, 8, 9, 10}};
  sample.count = 5;
  sample.seed = 7;
  sample.most = 12;
  sample.endIds = {11, 12};
  std::vector<std::vector<GivenAnswer>> found;
  for (const int ranks : {1, 2, 3, 32}) {
    Mailboxes mail;
    std::vector<std::string> programs(static_cast<size_t>(ranks));
    std::vector<std::vector<GivenAnswer>> answers(static_cast<size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] {
        FakeDecoder decoder(3, 16, 4, 50);
        decoder.isAlone = ranks == 1;
        ThreadWorld world(mail, rank, ranks);
        answers[size_t(rank)] = sampleOnRanks(decoder, world, sample);
        programs[size_t(rank)] = decoder.log;
      });
    for (std::thread &thread : threads)
      thread.join();
    // They exchange parameters.
    for (const std::string &other : programs)
      EXPECT_EQ(other, programs[0]);
    found.insert(found.end(), answers.begin(), answers.end());
  }
  ASSERT_EQ(found[0].size(), 20U);
  for (const auto &other : found)
    for (size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(other[i].ids, found[0][i].ids);
      EXPECT_EQ(other[i].end, found[0][i].end);
    }
}
