//===- TierOptions.h - Options of the host and the nvme tier ----*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/options/Options.h"

namespace zrt {

/// Whether it has a stream of class host.
bool worksOnHost(const zrt_plan &plan);

/// Throws UsageError when `plan` has no such tier as an option is for, or needs
/// an option that is missing.
void checkTierOptions(const zrt_plan &plan, const TrainOptions &options);

} // namespace zrt
