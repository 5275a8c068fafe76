//===- RankOnHost.cpp - The number of a rank on its host ------------------===//
#include "runtime/world/RankOnHost.h"

#include "runtime/world/Process.h"

#include <algorithm>

using namespace zrt;

int zrt::imitatedHost(int rank, int ranks) {
  return int(rank / environmentNumber("ZRT_RANKS_PER_HOST", ranks, INT32_MAX));
}

int zrt::rankOnHost(const std::vector<uint64_t> &hosts, int rank) {
  return int(
      std::count(hosts.begin(), hosts.begin() + rank, hosts[size_t(rank)]));
}

uint64_t zrt::hostOf(const World &world) {
  return hostIdentity() + uint64_t(imitatedHost(world.rank(), world.size()));
}

int zrt::rankOnHost(World &world) {
  return rankOnHost(world.gather(hostOf(world)), world.rank());
}
