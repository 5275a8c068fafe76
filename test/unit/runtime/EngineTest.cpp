//===- EngineTest.cpp - Answers requests with a model's slots -------------===//

#include "FakeDecoder.h"

#include <map>
#include <numeric>
#include <random>

using namespace zrt;

namespace {

constexpr size_t kVocabulary = 50, kPositions = 40;

/// The tokens of an answer, and its end.
struct Answer {
  std::vector<int32_t> tokens;
  std::optional<End> end;
  bool operator==(const Answer &) const = default;
};

/// Takes what has happened.
void collect(Engine &engine, std::map<uint64_t, Answer> &answers) {
  for (const Event &event : engine.takeEvents()) {
    Answer &answer = answers[event.id];
    EXPECT_EQ(answer.end, std::nullopt) << "after the end of " << event.id;
    if (const auto *token = std::get_if<int32_t>(&event.what))
      answer.tokens.push_back(*token);
    else
      answer.end = std::get<End>(event.what);
  }
}

std::map<uint64_t, Answer> finish(Engine &engine) {
  std::map<uint64_t, Answer> answers;
  for (int round = 0; !engine.isIdle(); ++round) {
    EXPECT_LT(round, 100000);
    engine.round();
    collect(engine, answers);
  }
  collect(engine, answers);
  return answers;
}

/// What a request is answered, by the definition.
Answer answerTo(const Request &request, const std::vector<int32_t> &endIds,
                std::optional<int32_t> separator = {}) {
  Answer answer;
  std::vector<int32_t> text = request.ids;
  while (!answer.end) {
    if (text.size() == kPositions) {
      answer.end = End::Full;
      break;
    }
    auto begin = text.begin();
    if (separator)
      while (std::find(begin, text.end() - 1, *separator) != text.end() - 1)
        begin = std::find(begin, text.end() - 1, *separator) + 1;
    const std::optional<int32_t> token =
        draw(hashedLogits({begin, text.end()}, kVocabulary), text, request.draw,
             chanceOf(request.seed, request.sample, text.size()));
    if (!token)
      answer.end = End::Nonfinite;
    else if (std::ranges::find(endIds, *token) != endIds.end())
      answer.end = End::Token;
    if (answer.end)
      break;
    text.push_back(*token);
    answer.tokens.push_back(*token);
    if (answer.tokens.size() == request.most)
      answer.end = End::Length;
  }
  return answer;
}

std::vector<Request> randomRequests(size_t count, std::mt19937_64 &engine) {
  std::vector<Request> requests;
  for (uint64_t id = 0; id < count; ++id) {
    Request request;
    request.id = id;
    request.seed = engine() % 3;
    request.sample = engine() % 3;
    // Some begin with what another one has.
    if (!requests.empty() && engine() % 2) {
      request.ids = requests[engine() % requests.size()].ids;
      request.ids.resize(1 + engine() % request.ids.size());
    }
    const size_t length = 1 + engine() % kPositions;
    while (request.ids.size() < length)
      request.ids.push_back(int32_t(4 + engine() % (kVocabulary - 4)));
    request.draw = {engine() % 2 ? 1.0 : 1.2, double(engine() % 3) / 2,
                    int64_t(engine() % 3 * 5), engine() % 2 ? 1.0 : 0.7};
    request.most = 1 + engine() % 50;
    requests.push_back(std::move(request));
  }
  return requests;
}

Request requestOf(uint64_t id, std::vector<int32_t> ids, uint64_t most = 5) {
  Request request;
  request.id = id;
  request.ids = std::move(ids);
  request.most = most;
  return request;
}

} // namespace

TEST(Engine, AnswersDoNotDependOnTheBatch) {
  const std::vector<int32_t> endIds = {7, 11};
  std::mt19937_64 random(1);
  std::map<End, int> ends;
  for (const size_t slots : {1, 2, 5})
    for (const size_t chunk : {1, 7, 64})
      for (const size_t every : {0, 1, 8}) {
        FakeDecoder decoder(slots, kPositions, chunk, kVocabulary);
        if (every != 1)
          decoder.divider = 9;
        decoder.stateDistance = every;
        Engine engine(decoder, endIds);
        const std::vector<Request> requests = randomRequests(60, random);
        // They come one after the other, while others are answered.
        std::map<uint64_t, Answer> answers;
        for (const Request &request : requests) {
          engine.add(request);
          for (size_t rounds = random() % 5; rounds > 0; --rounds)
            engine.round();
          collect(engine, answers);
        }
        for (auto &[id, rest] : finish(engine)) {
          auto &tokens = answers[id].tokens;
          tokens.insert(tokens.end(), rest.tokens.begin(), rest.tokens.end());
          answers[id].end = rest.end;
        }
        for (const Request &request : requests) {
          const Answer expected = answerTo(request, endIds, decoder.divider);
          EXPECT_EQ(answers[request.id], expected)
              << request.id << " of " << slots << " slots, chunk " << chunk;
          ++ends[*expected.end];
        }
      }
  for (const End end : {End::Token, End::Length, End::Full, End::Nonfinite})
    EXPECT_GT(ends[end], 10) << nameOf(end);
}

TEST(Engine, ReadsPromptsInChunksThenDecodes) {
  FakeDecoder decoder(2, kPositions, 4, kVocabulary);
  Engine engine(decoder, {});
  engine.add(requestOf(1, {20, 21, 22, 23, 24, 25, 26, 27, 28}, 3));
  engine.add(requestOf(2, {30}, 2));
  finish(engine);
  // 4 + 4 tokens of request 1 while 2 waits, then the rest of both.
  EXPECT_EQ(decoder.log, "ppddd");
  EXPECT_EQ(decoder.read, 9U + 2 + 1 + 1);
}

TEST(Engine, ContinuesFromWhatASlotHolds) {
  FakeDecoder decoder(3, kPositions, 64, kVocabulary);
  Engine engine(decoder, {});
  const Request first = requestOf(1, {20, 21, 22, 23, 24}, 4);
  engine.add(first);
  const Answer answer = finish(engine)[1];
  EXPECT_EQ(decoder.read, 5U + 3);
  // The next turn of a chat: all of it, and more.
  Request next = first;
  next.id = 2;
  next.ids.insert(next.ids.end(), answer.tokens.begin(), answer.tokens.end());
  next.ids.insert(next.ids.end(), {40, 41});
  decoder.read = 0;
  engine.add(next);
  EXPECT_EQ(finish(engine)[2], answerTo(next, {}));
  // The last token of the answer had not been read.
  EXPECT_EQ(decoder.read, 3U + 3);
  // The same request again: its last token alone.
  decoder.read = 0;
  engine.add(next);
  EXPECT_EQ(finish(engine)[2], answerTo(next, {}));
  EXPECT_EQ(decoder.read, 1U + 3);
  // Another text takes the place of none that is needed.
  engine.add(requestOf(3, {30, 31}));
  engine.add(requestOf(4, {32, 33}));
  finish(engine);
  decoder.read = 0;
  next.ids[8] = 45;
  engine.add(next);
  EXPECT_EQ(finish(engine)[2], answerTo(next, {}));
  EXPECT_EQ(decoder.read, next.ids.size() - 8 + 3);
}

TEST(Engine, GoesBackToWhereAStateIsKept) {
  FakeDecoder decoder(1, kPositions, 64, kVocabulary);
  decoder.stateDistance = 8;
  Engine engine(decoder, {});
  const auto read = [&](std::vector<int32_t> ids) {
    const Request request = requestOf(1, std::move(ids), 1);
    decoder.read = 0;
    engine.add(request);
    EXPECT_EQ(finish(engine)[1], answerTo(request, {}));
    return decoder.read;
  };
  std::vector<int32_t> text(20);
  std::iota(text.begin(), text.end(), 20);
  EXPECT_EQ(read(text), 20U);
  // All of it, and more.
  text.resize(22, 45);
  EXPECT_EQ(read(text), 2U);
  // It parts from what the slot holds behind position 16, and before it.
  text[17] = 46;
  EXPECT_EQ(read(text), 5U);
  text[15] = 46;
  EXPECT_EQ(read(text), 22U);
  // The last token is read again, unless a state was kept behind it.
  EXPECT_EQ(read(text), 1U);
  text.resize(24, 45);
  EXPECT_EQ(read(text), 2U);
  EXPECT_EQ(read(text), 24U);
}

TEST(Engine, TakesTheSlotThatCanGoBack) {
  FakeDecoder decoder(2, kPositions, 64, kVocabulary);
  decoder.stateDistance = 8;
  Engine engine(decoder, {});
  std::vector<int32_t> text(20);
  std::iota(text.begin(), text.end(), 20);
  std::vector<int32_t> begin(text.begin(), text.begin() + 6);
  engine.add(requestOf(1, text, 1));
  engine.add(requestOf(2, begin, 1));
  finish(engine);
  // More of it is in the first slot, which has no state there.
  text.resize(12);
  text.resize(14, 45);
  decoder.read = 0;
  engine.add(requestOf(3, text, 1));
  EXPECT_EQ(finish(engine)[3], answerTo(requestOf(3, text, 1), {}));
  EXPECT_EQ(decoder.read, 8U);
}

TEST(Engine, StopsARequestWhereverItIs) {
  FakeDecoder decoder(1, kPositions, 4, kVocabulary);
  Engine engine(decoder, {});
  std::map<uint64_t, Answer> answers;
  engine.add(requestOf(1, {20, 21, 22, 23, 24, 25}, 100));
  engine.add(requestOf(2, {30}, 3));
  engine.add(requestOf(3, {31}, 3));
  engine.round(); // half of the prompt
  EXPECT_TRUE(engine.has(1));
  engine.stop(1);
  EXPECT_FALSE(engine.has(1));
  engine.stop(3);
  engine.stop(99);
  collect(engine, answers);
  EXPECT_EQ(answers[1], (Answer{{}, End::Stop}));
  EXPECT_EQ(answers[3], (Answer{{}, End::Stop}));
  EXPECT_EQ(answers.count(99), 0U);
  engine.round();
  engine.round();
  engine.stop(2);
  collect(engine, answers);
  EXPECT_EQ(answers[2].tokens.size(), 2U);
  EXPECT_EQ(answers[2].end, End::Stop);
  EXPECT_TRUE(engine.isIdle());
  // Nothing to do is no run.
  decoder.log.clear();
  engine.round();
  EXPECT_EQ(decoder.log, "");
  // What was stopped half-way serves another request.
  engine.add(requestOf(4, {30, 32, 33}, 3));
  EXPECT_EQ(finish(engine)[4], answerTo(requestOf(4, {30, 32, 33}, 3), {}));
}

TEST(Engine, ATextEndsWhereThePositionsDo) {
  FakeDecoder decoder(1, kPositions, 64, kVocabulary);
  Engine engine(decoder, {});
  engine.add(requestOf(1, std::vector<int32_t>(kPositions, 20), 5));
  EXPECT_TRUE(engine.isIdle());
  engine.add(requestOf(2, std::vector<int32_t>(kPositions - 1, 20), 5));
  engine.add(requestOf(3, std::vector<int32_t>(kPositions - 1, 20), 1));
  std::map<uint64_t, Answer> answers = finish(engine);
  EXPECT_EQ(answers[1], (Answer{{}, End::Full}));
  EXPECT_EQ(answers[2].tokens.size(), 1U);
  EXPECT_EQ(answers[2].end, End::Full);
  EXPECT_EQ(answers[3].end, End::Length);
}

TEST(Engine, DrawsNoTokenThatASequenceMayNotHold) {
  FakeDecoder decoder(1, kPositions, 64, kVocabulary);
  decoder.bound = 6;
  Engine engine(decoder, {});
  for (uint64_t id = 0; id < 20; ++id) {
    engine.add(requestOf(id, {int32_t(id % 2), 1, 2}, 30));
    const std::map<uint64_t, Answer> answers = finish(engine);
    for (const int32_t token : answers.at(id).tokens)
      EXPECT_LT(token, 6);
  }
}
