//===- DeviceCheck.h - --device-check ---------------------------*- C++ -*-===//
//
// Says on one page what holds on the GPU at hand, of what a plan needs:
//
//   kernels, products ...   each operation against its twin on processors, while
//                           the plan's own programs train on seeded data
//   training                steps of it, twice
//
// What fails is a line, and the next is looked at, as long as this rank and the
// others can go on.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/main/Options.h"
#include "runtime/world/World.h"
#include "runtime/zrt.h"

namespace zrt {

/// Throws UsageError for a plan without a device of its own.
void checkDeviceCheck(const zrt_plan &plan, const TrainOptions &options);

/// All ranks call it together.  Rank 0 prints the page, others what fails on them.
/// The exit status: 0 only if all holds.
int deviceCheck(const zrt_plan &plan, const TrainOptions &options,
                World &world);

} // namespace zrt
