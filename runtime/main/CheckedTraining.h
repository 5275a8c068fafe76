//===- CheckedTraining.h - Training that a check looks at -------*- C++ -*-===//
#pragma once

#include "runtime/check/Findings.h"
#include "runtime/main/Options.h"
#include "runtime/world/World.h"
#include "runtime/zrt.h"

#include <vector>

namespace zrt {

/// Runs every program of `plan` on seeded data, with each operation of the device
/// compared.  What ends it is thrown after what was found until then has been added
/// to `sections`.  All ranks call it together.
void compareOperations(const zrt_plan &plan, const TrainOptions &options,
                       World &world, std::vector<check::Section> &sections);

/// Ten steps, twice: the same bits, finite; their speed, and memory.  All ranks call
/// it together.  Throws zrt::Error.
check::Section trainTwice(const zrt_plan &plan, const TrainOptions &options,
                          World &world);

} // namespace zrt
