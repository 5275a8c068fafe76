//===- SampleOnRanks.cpp - Answers prompts on all ranks -------------------===//
#include "train/drive/SampleOnRanks.h"

#include <algorithm>

using namespace zrt;

namespace {

/// Rounds of all ranks, until none needs one.
void finish(Engine &engine, World &world) {
  while (true) {
    const Round mine = engine.next();
    const Round all =
        world.size() == 1 ? mine : std::ranges::max(world.gather(mine));
    if (all == Round::None)
      return;
    engine.run(all);
  }
}

/// An answer in numbers: its end, the number of its tokens, and they.
std::vector<int32_t> packed(const GivenAnswer &answer) {
  std::vector<int32_t> numbers = {int32_t(answer.end),
                                  int32_t(answer.ids.size())};
  numbers.insert(numbers.end(), answer.ids.begin(), answer.ids.end());
  return numbers;
}

} // namespace

std::vector<GivenAnswer> zrt::sampleOnRanks(Decoder &decoder, World &world,
                                            const SampleCommand &sample) {
  Engine engine(decoder, sample.endIds, /*tellsEnd=*/true);
  const uint64_t ranks = uint64_t(world.size()), rank = uint64_t(world.rank()),
                 all = sample.count * sample.prompts.size();
  for (uint64_t i = rank; i < all; i += ranks)
    engine.add({.id = i,
                .ids = sample.prompts[i / sample.count],
                .seed = sample.seed,
                .sample = i,
                .draw = sample.draw,
                .most = sample.most});
  finish(engine, world);
  std::vector<GivenAnswer> own((all + ranks - 1 - rank) / ranks);
  for (const Event &event : engine.takeEvents())
    if (const auto *token = std::get_if<int32_t>(&event.what))
      own[event.id / ranks].ids.push_back(*token);
    else
      own[event.id / ranks].end = std::get<End>(event.what);
  if (world.size() == 1)
    return own;
  std::vector<int32_t> mine;
  for (const GivenAnswer &answer : own) {
    const std::vector<int32_t> numbers = packed(answer);
    mine.insert(mine.end(), numbers.begin(), numbers.end());
  }
  // Ranks have other numbers of tokens, and a gather takes equally many.
  const size_t most = std::ranges::max(world.gather(mine.size()));
  mine.resize(most);
  std::vector<int32_t> gathered(most * ranks);
  world.allGather(mine.data(), most * sizeof(int32_t), gathered.data());
  std::vector<GivenAnswer> answers(all);
  for (uint64_t from = 0; from < ranks; ++from) {
    auto at = gathered.begin() + long(from * most);
    for (uint64_t i = from; i < all; i += ranks) {
      answers[i].end = End(at[0]);
      answers[i].ids.assign(at + 2, at + 2 + at[1]);
      at += 2 + at[1];
    }
  }
  return answers;
}
