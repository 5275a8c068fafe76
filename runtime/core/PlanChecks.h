//===- PlanChecks.h - A plan that this runtime can run ----------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

namespace zrt {

/// Throws unless `plan` has this runtime's ABI version; nothing else of another
/// version's plan can be read.
void checkVersion(const zrt_plan &plan);

/// Throws unless this runtime can run `plan`, of its version: its tiers,
/// refs inside their arenas, and the tables of its programs.
void checkPlan(const zrt_plan &plan);

/// Throws unless `plan` was compiled for `ranks` ranks.
void checkRanks(const zrt_plan &plan, int ranks);

} // namespace zrt
