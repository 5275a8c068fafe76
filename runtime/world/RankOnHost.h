//===- RankOnHost.h - The number of a rank on its host ----------*- C++ -*-===//
#pragma once

#include "runtime/world/World.h"

#include <cstdint>
#include <vector>

namespace zrt {

/// Returns how many ranks before `rank` have the same host as it, given the
/// hosts of all ranks.
int rankOnHost(const std::vector<uint64_t> &hosts, int rank);
/// Returns the same for this rank; all ranks call it together.  Hosts that are
/// imitated (ZRT_RANKS_PER_HOST) are one.
int rankOnHost(World &world);

} // namespace zrt
