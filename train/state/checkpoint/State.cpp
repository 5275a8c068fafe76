//===- State.cpp - Selects and shares the state of a checkpoint -----------===//
#include "train/state/checkpoint/State.h"

#include "runtime/plan/PlanTable.h"

#include <algorithm>
#include <set>

using namespace zrt;

namespace {

/// The bytes of all pieces that every rank holds.
uint64_t replicatedBytes(const State &state) {
  uint64_t bytes = 0;
  for (const Slot &slot : state.slots)
    for (const Parameter &parameter : slot.parameters)
      for (const ParameterPiece &piece : parameter.pieces)
        if (piece.owner == kEveryRank && parameter.tensor.empty())
          bytes += piece.count * dtypeBytes(parameter.dtype);
  return bytes;
}

/// Distributes replicated pieces over the ranks in order, nearly equal in
/// bytes.
class Dealer {
public:
  Dealer(uint64_t bytes, int ranks)
      : share((bytes + uint64_t(ranks) - 1) / uint64_t(ranks)),
        last(ranks - 1) {}

  /// The next rank, and how many of `count` elements of `size` bytes it gets.
  std::pair<int, uint64_t> deal(uint64_t count, uint64_t size) {
    const int rank =
        share == 0 ? 0 : int(std::min<uint64_t>(dealt / share, uint64_t(last)));
    const uint64_t end = (uint64_t(rank) + 1) * share;
    const uint64_t most =
        rank == last ? count : std::max<uint64_t>((end - dealt) / size, 1);
    const uint64_t taken = std::min(count, most);
    dealt += taken * size;
    return {rank, taken};
  }

private:
  const uint64_t share;
  const int last;
  uint64_t dealt = 0;
};

} // namespace

uint64_t StateRange::bytes() const { return count * dtypeBytes(dtype); }

State zrt::findState(const zrt_plan &plan, int rank, bool isUpdateLeft) {
  std::set<std::string> names;
  for (const zrt_state &state : statesOf(plan))
    names.insert(state.slot);
  State state;
  state.slots.push_back(
      {std::string(kTrainedSlot), findExactParameters(plan, rank)});
  state.roundings = findRoundings(plan, rank);
  for (const std::string &name : names)
    if (name != "param" && name != "master" && !name.starts_with(kSumsOfTree) &&
        (name != kGradientSlot || isUpdateLeft))
      state.slots.push_back({name, findParameters(plan, rank, name)});
  return state;
}

std::vector<std::vector<StateRange>> zrt::shareState(const State &state,
                                                     int ranks) {
  std::vector<std::vector<StateRange>> shares(static_cast<size_t>(ranks));
  Dealer dealer(replicatedBytes(state), ranks);
  for (uint32_t s = 0; s < state.slots.size(); ++s) {
    const std::vector<Parameter> &parameters = state.slots[s].parameters;
    for (uint32_t p = 0; p < parameters.size(); ++p) {
      if (!parameters[p].tensor.empty())
        continue;
      const zrt_dtype dtype = parameters[p].dtype;
      const auto give = [&](int rank, const ParameterPiece &piece, uint64_t at,
                            uint64_t count) {
        shares[size_t(rank)].push_back(
            {s, p, piece.first + at, count, dtype,
             piece.here() ? elementsOf(piece, dtype, at, count) : zrt_ref{}});
      };
      for (const ParameterPiece &piece : parameters[p].pieces) {
        if (piece.owner != kEveryRank) {
          give(piece.owner, piece, 0, piece.count);
          continue;
        }
        for (uint64_t at = 0; at < piece.count;) {
          const auto [rank, count] =
              dealer.deal(piece.count - at, dtypeBytes(dtype));
          give(rank, piece, at, count);
          at += count;
        }
      }
    }
  }
  return shares;
}
