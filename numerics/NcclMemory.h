//===- NcclMemory.h - Estimates of the GPU memory of NCCL -------*- C++ -*-===//
//
// NCCL does not say what it will take.  Others have published that 8 H100 used
// 1.06 GB each after the first collectives of a communicator, and 4.34 GB after
// its first exchange, by 32 channels between each two GPUs (nccl issue 1685):
// 15 MiB for each channel, which is NCCL's buffers of all its protocols.  Of
// the 1.06 GB some 640 MiB are assumed to be its rings and trees, whose
// channels grow with the GPUs of a host.  GPUs of other hosts share buffers
// (NCCL_NET_SHARED_BUFFERS).  What NCCL took is noted when ranks have
// connected.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>

namespace zrt {

/// NCCL_MAX_P2P_NCHANNELS: the most channels of an exchange between two GPUs.
constexpr int64_t kNcclChannels = 4;
/// The bytes for contributions of all ranks on each stream that adds.
constexpr int64_t kNcclStage = 32 << 20;
/// The most GPUs of a host.
constexpr int64_t kNcclNear = 8;

/// Bytes of a communicator between so many GPUs.
constexpr int64_t ncclRingBytes(int64_t gpus) {
  return std::min(gpus, kNcclNear) * (int64_t{80} << 20);
}

/// What it takes in addition if each GPU sends to each other.
constexpr int64_t ncclExchangeBytes(int64_t gpus, int64_t channels) {
  const int64_t peers = std::min(gpus - 1, kNcclNear);
  return peers * channels * (int64_t{15} << 20);
}

/// What is taken where shards are between `gpus`: a communicator of a stream
/// that gathers, and one of a stream that also adds.
constexpr int64_t ncclShardBytes(int64_t gpus) {
  return 2 * ncclRingBytes(gpus) + ncclExchangeBytes(gpus, kNcclChannels);
}

} // namespace zrt
