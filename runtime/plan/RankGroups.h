//===- RankGroups.h - Ranks in groups ---------------------------*- C++ -*-===//
//
// The ranks of a plan, and the parts and slices of a bucket that they have, as
// abi/zrt.h defines them.  Where there are no groups, all ranks are the members
// of one, and rank, part and slice have the same number.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zrt {

/// One of `count` equal shares of something.
struct Share {
  uint32_t number, count;
};

/// The ranks that a collective is between, in its order; a rank's place is its
/// number among them.
struct Party {
  std::vector<int> ranks;
  size_t own = 0; ///< place of this rank
  int step = 1;   ///< from one rank to the next
  size_t size() const { return ranks.size(); }
};

class RankGroups {
public:
  RankGroups() = default; ///< one rank
  /// The numbers of `plan` must be valid.
  explicit RankGroups(const zrt_plan &plan)
      : ranks(std::max(plan.world_size, 1u)),
        members(plan.group_size ? plan.group_size : ranks),
        groups(ranks / members), shared(std::max(plan.context, 1u)),
        segments(std::max(plan.virtual_shards / ranks, 1u)) {}

  const uint32_t ranks = 1, members = 1, groups = 1; ///< members x groups
  const uint32_t shared = 1;   ///< ranks that share a sequence
  const uint32_t segments = 1; ///< virtual shards of a rank

  /// Whether collectives are over members or groups, and not over all ranks.
  bool exist() const { return groups > 1; }

  uint32_t groupOf(uint32_t rank) const { return rank / members; }
  /// Returns the rank's number in its group, which is that of its part.
  uint32_t partOf(uint32_t rank) const { return rank % members; }
  uint32_t sliceOf(uint32_t rank) const {
    return partOf(rank) * groups + groupOf(rank);
  }
  /// Returns the rank that has a slice.
  uint32_t ownerOf(uint32_t slice) const {
    return slice % groups * members + slice / groups;
  }
  /// Returns true if the part of `rank` contains a slice.
  bool holds(uint32_t rank, uint32_t slice) const {
    return slice / groups == partOf(rank);
  }

  /// Returns the number of ranks that a collective is between.
  uint32_t countOver(uint32_t over) const {
    return over == ZRT_OVER_MEMBERS   ? members
           : over == ZRT_OVER_GROUPS  ? groups
           : over == ZRT_OVER_CONTEXT ? shared
                                      : ranks;
  }
  /// Returns the ranks that a collective of `rank` is between.
  Party partyOver(uint32_t over, uint32_t rank) const {
    Party party;
    party.step = over == ZRT_OVER_GROUPS ? int(members) : 1;
    const auto first = int(over == ZRT_OVER_MEMBERS   ? groupOf(rank) * members
                           : over == ZRT_OVER_GROUPS  ? partOf(rank)
                           : over == ZRT_OVER_CONTEXT ? rank / shared * shared
                                                      : 0);
    for (int i = 0; i < int(countOver(over)); ++i)
      party.ranks.push_back(first + i * party.step);
    party.own = size_t(int(rank) - first) / size_t(party.step);
    return party;
  }

  /// Returns the number of shares of a bucket, of which the bytes of an operand
  /// or a state hold one.
  uint32_t sharesOf(uint32_t extent) const {
    switch (extent) {
    case ZRT_SLICE:
      return ranks;
    case ZRT_PART:
    case ZRT_SLICE_OF_PART:
      return members;
    default:
      return 1;
    }
  }

  /// Returns the share of an operand's bytes that an operation of `rank` works
  /// on.
  Share shareOf(uint32_t extent, uint32_t rank) const {
    switch (extent) {
    case ZRT_SLICE_OF_WHOLE:
      return {sliceOf(rank), ranks};
    case ZRT_PART_OF_WHOLE:
      return {partOf(rank), members};
    case ZRT_SLICE_OF_PART:
      return {groupOf(rank), groups};
    default:
      return {0, 1};
    }
  }
};

/// Returns true if an operation works on a part of a group's member.
constexpr bool isPart(uint32_t extent) {
  return extent == ZRT_PART || extent == ZRT_PART_OF_WHOLE;
}
/// Returns true if an operation works on the rank's slice.
constexpr bool isSlice(uint32_t extent) {
  return extent == ZRT_SLICE || extent == ZRT_SLICE_OF_WHOLE ||
         extent == ZRT_SLICE_OF_PART;
}
/// Returns true if an operation works on only a share of an operand's bytes.
constexpr bool isShare(uint32_t extent) {
  return extent == ZRT_SLICE_OF_WHOLE || extent == ZRT_PART_OF_WHOLE ||
         extent == ZRT_SLICE_OF_PART;
}

} // namespace zrt
