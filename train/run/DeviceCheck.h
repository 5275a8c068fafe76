//===- DeviceCheck.h - --device-check ---------------------------*- C++ -*-===//
//
// Prints on one page which properties that a plan needs hold on this GPU:
//
//   kernels, products ...   each operation against its twin on processors,
//                           while the plan's programs train on seeded data
//   training                the same steps, twice
//
// A failure becomes a line of the page, and the check goes on with the next
// property as long as this rank and the others can.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/world/World.h"
#include "train/check/Findings.h"
#include "train/options/Options.h"

namespace zrt {

/// Throws UsageError for a plan without a device of its own.
void checkDeviceCheck(const zrt_plan &plan, const TrainOptions &options);

/// All ranks call it together.  Rank 0 prints the page, the others print their
/// own failures.  Returns the exit status: 0 only if all properties hold.
int deviceCheck(const zrt_plan &plan, const TrainOptions &options,
                World &world);

/// Runs every program of `plan` on seeded data and compares each operation of
/// the device.  If an error ends it, adds the findings so far to `sections` and
/// rethrows.  All ranks call it together.
void compareOperations(const zrt_plan &plan, const TrainOptions &options,
                       World &world, std::vector<check::Section> &sections);

/// Trains ten steps twice and checks that losses and norms are finite and
/// bitwise equal; measures speed and memory.  All ranks call it together.
/// Throws zrt::Error.
check::Section trainTwice(const zrt_plan &plan, const TrainOptions &options,
                          World &world);

} // namespace zrt
