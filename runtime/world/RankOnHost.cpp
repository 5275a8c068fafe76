//===- RankOnHost.cpp - The number of a rank on its host ------------------===//
#include "runtime/world/RankOnHost.h"

#include "runtime/world/Process.h"

#include <algorithm>

using namespace zrt;

int zrt::rankOnHost(const std::vector<uint64_t> &hosts, int rank) {
  return int(
      std::count(hosts.begin(), hosts.begin() + rank, hosts[size_t(rank)]));
}

int zrt::rankOnHost(World &world) {
  return rankOnHost(world.gather(hostIdentity()), world.rank());
}
