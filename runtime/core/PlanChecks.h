//===- PlanChecks.h - Checks that this runtime can run a plan ---*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

namespace zrt {

/// Throws unless `plan` has this runtime's ABI version.  No other field of a
/// plan of another version can be read.
void checkVersion(const zrt_plan &plan);

/// Throws unless this runtime can run `plan`, which has its version.  Checks
/// tiers, refs and the tables of the programs.
void checkPlan(const zrt_plan &plan);

/// Throws unless `plan` was compiled for `ranks` ranks.
void checkRanks(const zrt_plan &plan, int ranks);

} // namespace zrt
