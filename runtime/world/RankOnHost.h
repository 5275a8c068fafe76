//===- RankOnHost.h - The number of a rank on its host ----------*- C++ -*-===//
#pragma once

#include "runtime/world/World.h"

#include <cstdint>
#include <vector>

namespace zrt {

/// Returns how many ranks before `rank` have the same host as it, given the
/// hosts of all ranks.
int rankOnHost(const std::vector<uint64_t> &hosts, int rank);
/// Returns the same for this rank; all ranks call it together.
int rankOnHost(World &world);

/// Returns a number that identifies the host of this rank among those of
/// `world`.
uint64_t hostOf(const World &world);
/// Returns the number of the host that is imitated for `rank` of `ranks`, with
/// ZRT_RANKS_PER_HOST.
int imitatedHost(int rank, int ranks);

} // namespace zrt
