//===- NcclMemory.cpp - NCCL's memory for a plan --------------------------===//
#include "runtime/device/cuda/collectives/NcclMemory.h"

#include "numerics/NcclMemory.h"
#include "runtime/device/cuda/collectives/Backend.h"
#include "runtime/device/cuda/collectives/GpuCollectives.h"
#include "runtime/system/Environment.h"

#include <map>
#include <utility>

using namespace zrt;

int64_t cuda::ncclChannels() {
  return environmentNumber("NCCL_MAX_P2P_NCHANNELS", kNcclChannels, 64);
}

int64_t cuda::ncclStageBytes() {
  return environmentNumber("ZRT_NCCL_STAGE", kNcclStage, int64_t{1} << 40);
}

uint64_t cuda::ncclBytes(const zrt_plan &plan) {
  if (!communicatesBy(plan, "nccl"))
    return 0;
  std::map<std::pair<zrt_stream, uint32_t>, bool> exchanges;
  forEachCollective(
      plan, [&](zrt_stream stream, const zrt_collective_desc &desc) {
        exchanges[{stream, desc.over}] |=
            desc.kind == ZRT_REDUCE_SCATTER || desc.kind == ZRT_ALL_TO_ALL;
      });
  const RankGroups groups(plan);
  int64_t bytes = 0;
  for (const auto &[where, exchange] : exchanges) {
    const int64_t gpus = groups.countOver(where.second);
    bytes += ncclRingBytes(gpus);
    if (exchange)
      bytes += ncclExchangeBytes(gpus, ncclChannels()) + ncclStageBytes();
  }
  return uint64_t(bytes);
}
