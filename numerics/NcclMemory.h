//===- NcclMemory.h - Estimates of the GPU memory of NCCL -------*- C++ -*-===//
//
// NCCL does not say what it will take.  These numbers are estimates, from what
// others have published of 8 H100 (nccl issue 1685: 1.06 GB after the first
// collectives of a communicator, 4.34 GB after its first exchange, by 32
// channels between each two GPUs), and from NCCL's sizes of buffers, some 10 MB
// for each connection.  What it took is noted when ranks have connected.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>

namespace zrt {

/// NCCL_MAX_P2P_NCHANNELS: the most channels of an exchange between two GPUs.
constexpr int64_t kNcclChannels = 4;
/// The same between many GPUs, most of which are on other hosts.
constexpr int64_t kNcclFarChannels = 2;
/// The bytes for contributions of all ranks on each stream that adds.
constexpr int64_t kNcclStage = 32 << 20;
/// The most GPUs of a host that NCCL's rings are counted for.
constexpr int64_t kNcclNear = 8;

/// Bytes of a communicator between so many GPUs: its rings have more channels
/// the more GPUs of a host meet.
constexpr int64_t ncclRingBytes(int64_t gpus) {
  return std::min(gpus, kNcclNear) * (int64_t{80} << 20);
}

/// What it takes in addition if each GPU sends to each other.
constexpr int64_t ncclExchangeBytes(int64_t gpus, int64_t channels) {
  return (gpus - 1) * (int64_t{15} << 20) *
         (gpus > kNcclNear ? std::min(channels, kNcclFarChannels) : channels);
}

} // namespace zrt
