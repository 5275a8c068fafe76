//===- Scoring.h - Runs a plan's program score ------------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/world/World.h"
#include "train/data/BatchSource.h"

#include <cstdint>
#include <vector>

namespace zrt {

/// The output of ZRT_SCORE.  Throws zrt::Error without it.
const zrt_output &findValues(const zrt_plan &plan);

/// The values of the first `samples` samples of `feed`, in their order; on rank
/// 0 only.  All ranks call it together.  Throws zrt::Error.
std::vector<float> scoreAll(const zrt_plan &plan, const BatchSource &feed,
                            uint64_t samples, World &world, zrt_context *ctx);

} // namespace zrt
