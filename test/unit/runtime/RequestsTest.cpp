//===- RequestsTest.cpp - Requests and answers as lines of JSON -----------===//

#include "train/generate/Requests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <random>

using namespace zrt;

namespace {

constexpr RequestLimits kLimits = {4, 256};

Request readRequest(const std::string &line) {
  return std::get<Request>(parseRequest(line, kLimits));
}

/// Expects an error with that id and these words.
void expectRefused(const std::string &line, std::optional<uint64_t> id,
                   const std::string &words) {
  try {
    parseRequest(line, kLimits);
    ADD_FAILURE() << line << " is taken";
  } catch (const RequestError &error) {
    EXPECT_EQ(error.id, id) << line;
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
        << line << ": " << error.what();
  }
}

} // namespace

TEST(Requests, HasAllFields) {
  const Request request = readRequest(
      R"({"id": 7, "ids": [1, 255], "seed": 18446744073709551615, "sample": 3,
          "temperature": 0, "top_k": 40, "top_p": 0.5,
          "min_p": 0.25, "repetition_penalty": 1.25,
          "no_repeat_ngram_size": 3, "max": 9})");
  EXPECT_EQ(request.id, 7U);
  EXPECT_EQ(request.ids, (std::vector<int32_t>{1, 255}));
  EXPECT_EQ(request.seed, UINT64_MAX);
  EXPECT_EQ(request.sample, 3U);
  EXPECT_EQ(request.draw.temperature, 0);
  EXPECT_EQ(request.draw.topK, 40);
  EXPECT_EQ(request.draw.topP, 0.5);
  EXPECT_EQ(request.draw.minP, 0.25);
  EXPECT_EQ(request.draw.noRepeat, 3);
  EXPECT_EQ(request.draw.repetitionPenalty, 1.25);
  EXPECT_EQ(request.most, 9U);
}

TEST(Requests, HasDefaults) {
  const Request request = readRequest(R"({"ids":[0],"id":0})");
  EXPECT_EQ(request.seed, 0U);
  EXPECT_EQ(request.sample, 0U);
  EXPECT_EQ(request.draw.temperature, 0.8);
  EXPECT_EQ(request.draw.topK, 0);
  EXPECT_EQ(request.draw.topP, 1);
  EXPECT_EQ(request.draw.minP, 0);
  EXPECT_EQ(request.draw.noRepeat, 0);
  EXPECT_EQ(request.draw.repetitionPenalty, 1);
  EXPECT_EQ(request.most, UINT64_MAX);
  EXPECT_EQ(std::get<StopRequest>(parseRequest(R"({"stop": 12})", kLimits)).id,
            12U);
}

TEST(Requests, RefusesWithTheThingTheNumberAndTheFix) {
  const std::optional<uint64_t> none;
  expectRefused("", none, "the line  is not JSON, at byte 1");
  expectRefused("{\"id\":", none, "the line {\"id\": is not JSON, at byte 7");
  expectRefused("[1]", none, "is [1], where an object is needed");
  expectRefused("7", none, "is 7, where an object is needed");
  expectRefused(std::string(100, '['), none, "nests deeper than 64 levels");
  expectRefused(R"({"id": 1e999})", none, "a number is too large");
  expectRefused("{\"id\":\"\xff\"}", none, "is not JSON");
  expectRefused("{}", none, "\"id\" is missing; give it a whole number");
  expectRefused(R"({"id":-1})", none, "\"id\" is -1; give it a whole number");
  expectRefused(R"({"id":"a"})", none, "\"id\" is \"a\"; give it");
  expectRefused(R"({"id":1.5})", none, "\"id\" is 1.5; give it");
  expectRefused(R"({"id":9007199254740993})", none,
                "from 0 to 9007199254740992");
  expectRefused(R"({"stop":"a"})", none,
                "\"stop\" is \"a\"; give it the id of a request");
  const auto refused = [](const std::string &fields, const char *words) {
    expectRefused("{\"id\":5," + fields + "}", 5, words);
  };
  refused(R"("max":1)", "\"ids\" is missing; give the tokens of the prompt");
  refused(R"("ids":3)", "\"ids\" is 3; give it a list of tokens");
  refused(R"("ids":[])", "\"ids\" has 0 tokens; give it one at least");
  refused(R"("ids":[1,2,3,4,5])",
          "\"ids\" has 5 tokens, and the model reads 4; give it fewer");
  refused(R"("ids":[1,256])",
          "has 256 at place 1, and the model has tokens 0 to 255");
  refused(R"("ids":[-1])", "has -1 at place 0");
  refused(R"("ids":[1.0])", "has 1.0 at place 0");
  refused(R"("ids":[null])", "has null at place 0");
  refused(R"("ids":[1],"seed":-1)", "\"seed\" is -1; give it a whole number");
  refused(R"("ids":[1],"max":0)",
          "\"max\" is 0; give it a whole number from 1");
  refused(R"("ids":[1],"top_k":1.5)", "\"top_k\" is 1.5; give it a whole");
  refused(R"("ids":[1],"temperature":-0.5)",
          "\"temperature\" is -0.5; give it a finite number, 0 or more");
  refused(R"("ids":[1],"temperature":true)", "\"temperature\" is true; give");
  refused(R"("ids":[1],"top_p":0)", "\"top_p\" is 0; give it a number above 0");
  refused(R"("ids":[1],"top_p":1.01)", "\"top_p\" is 1.01; give it a number");
  refused(R"("ids":[1],"min_p":1.5)", "\"min_p\" is 1.5; give it a number");
  refused(R"("ids":[1],"no_repeat_ngram_size":-1)",
          "\"no_repeat_ngram_size\" is -1; give it a whole number from 0");
  refused(R"("ids":[1],"repetition_penalty":0)",
          "\"repetition_penalty\" is 0; give it a finite number above 0");
  refused(R"("ids":[1],"top_q":1)", "a request has no field \"top_q\"; it has");
  refused(R"("ids":[1],"stop":1)", "a request has no field \"stop\"");
}

TEST(Requests, WritesLines) {
  EXPECT_EQ(lineOf({7, 5}), R"({"id":7,"token":5})");
  EXPECT_EQ(lineOf({0, End::Token}), R"({"id":0,"end":"token"})");
  EXPECT_EQ(lineOf({1, End::Length}), R"({"id":1,"end":"length"})");
  EXPECT_EQ(lineOf({1, End::Stop}), R"({"id":1,"end":"stop"})");
  EXPECT_EQ(lineOf({1, End::Full}), R"({"id":1,"end":"full"})");
  EXPECT_EQ(lineOf({1, End::Nonfinite}), R"({"id":1,"end":"nonfinite"})");
  EXPECT_EQ(errorLine(3, "\"x\"\n\xff"),
            "{\"id\":3,\"error\":\"\\\"x\\\"\\n\\ufffd\"}");
  EXPECT_EQ(errorLine(std::nullopt, "a"), R"({"id":null,"error":"a"})");
}

TEST(Requests, AnyTextIsTakenOrRefused) {
  const std::string seeds[] = {
      R"({"id": 7, "ids": [1, 2], "seed": 1, "temperature": 0.5, "top_k": 3})",
      R"({"id":1,"ids":[3],"top_p":0.9,"repetition_penalty":1.1,"max":1e9})",
      R"({"stop": 7})"};
  const std::string letters = "{}[]\":,.-+eE0123456789\\unltrfasidop \xff\x00";
  std::mt19937_64 random(1);
  int taken = 0;
  for (int trial = 0; trial < 30000; ++trial) {
    std::string line = seeds[random() % std::size(seeds)];
    for (size_t changes = random() % 4; changes > 0; --changes) {
      const size_t at = random() % line.size();
      switch (random() % 4) {
      case 0:
        line[at] = letters[random() % letters.size()];
        break;
      case 1:
        line.insert(at, 1, letters[random() % letters.size()]);
        break;
      case 2:
        line.erase(at, 1 + random() % 3);
        break;
      case 3:
        line.insert(at, line.substr(random() % line.size(), 12));
      }
      if (line.empty())
        line = "x";
    }
    try {
      const auto parsed = parseRequest(line, kLimits);
      ++taken;
      if (const auto *request = std::get_if<Request>(&parsed)) {
        EXPECT_LE(request->ids.size(), kLimits.positions);
        EXPECT_GE(request->most, 1U);
        EXPECT_TRUE(std::isfinite(request->draw.temperature));
      }
    } catch (const RequestError &error) {
      for (const char *c = error.what(); *c; ++c)
        ASSERT_TRUE(*c >= 0x20 && *c < 0x7f) << line << ": " << error.what();
    }
  }
  EXPECT_GT(taken, 3000);
}
