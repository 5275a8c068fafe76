//===- DeviceSections.h - Checks of a device alone --------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "runtime/world/World.h"
#include "train/check/Findings.h"

#include <string>

namespace zrt::check {

/// Checks the properties of Conformance.h on the device of `plan`; skips those
/// that need kernels of tests, which a plan does not have.
Section conformanceOf(const zrt_plan &plan, int rankOnHost,
                      const std::string &nvmePath);

/// Measures median bytes per second between the tiers of `plan`.  Throws
/// zrt::Error.
Section measureLinks(const zrt_plan &plan, int rankOnHost,
                     const std::string &nvmePath);

/// Checks every kind of collective of `plan` on seeded numbers.  Each rank
/// knows the numbers of all ranks and computes the expected result.  All ranks
/// call it together.  Throws zrt::Error.
Section compareCollectives(const zrt_plan &plan, const zrt_setup &setup,
                           World &world);

} // namespace zrt::check
