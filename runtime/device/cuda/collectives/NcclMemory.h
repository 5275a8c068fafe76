//===- NcclMemory.h - NCCL's memory for a plan ------------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

namespace zrt::cuda {

/// Returns the channels of an exchange between two GPUs:
/// NCCL_MAX_P2P_NCHANNELS.
int64_t ncclChannels();

/// Returns the bytes for contributions of all ranks on each stream that adds:
/// ZRT_NCCL_STAGE.
int64_t ncclStageBytes();

/// Returns the bytes that NCCL, and contributions to sums, are expected to take
/// for the collectives of a plan (numerics/NcclMemory.h); 0 if it does not
/// communicate by NCCL.
uint64_t ncclBytes(const zrt_plan &plan);

} // namespace zrt::cuda
