//===- Agree.cpp - Ends all ranks when one of them fails ------------------===//
#include "runtime/world/Agree.h"

#include <algorithm>
#include <string_view>

using namespace zrt;

Ballot zrt::ballotOf(const std::optional<std::string> &failure) {
  Ballot ballot;
  if (!failure)
    return ballot;
  constexpr size_t kMaxLetters = sizeof(ballot.message) - 1;
  constexpr std::string_view kCut = "...";
  std::string text = *failure;
  if (text.size() > kMaxLetters)
    text.replace(kMaxLetters - kCut.size(), std::string::npos, kCut);
  ballot.failed = true;
  text.copy(ballot.message, text.size());
  return ballot;
}

std::optional<AgreedError>
zrt::verdictOf(const std::vector<Ballot> &all, int rank,
               const std::optional<std::string> &failure) {
  const auto first =
      std::find_if(all.begin(), all.end(), [](auto &b) { return b.failed; });
  if (first == all.end())
    return std::nullopt;
  if (!failure)
    return AgreedError(
        fmt::format("rank {} failed: {}", first - all.begin(), first->message),
        /*printedElsewhere=*/false);
  const auto mine = all.begin() + rank;
  const bool same = std::any_of(first, mine, [&](const Ballot &other) {
    return other.failed && std::string_view(other.message) == mine->message;
  });
  return AgreedError(*failure, /*printedElsewhere=*/same);
}

void zrt::agree(World &world, const std::optional<std::string> &failure) {
  const std::vector<Ballot> all = world.gather(ballotOf(failure));
  if (auto verdict = verdictOf(all, world.rank(), failure))
    throw *verdict;
}
