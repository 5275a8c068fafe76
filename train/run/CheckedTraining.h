//===- CheckedTraining.h - Training for the device check --------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/check/Findings.h"
#include "runtime/world/World.h"
#include "train/options/Options.h"

#include <vector>

namespace zrt {

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
