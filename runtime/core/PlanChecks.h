//===- PlanChecks.h - A plan that this runtime can run ----------*- C++ -*-===//
#ifndef ZRT_CORE_PLAN_CHECKS_H
#define ZRT_CORE_PLAN_CHECKS_H

#include "runtime/zrt.h"

#include <string_view>

namespace zrt {

/// Throws unless `ref` lies inside its arena; `what` is for the message.
void checkRef(const zrt_plan &plan, const zrt_ref &ref, std::string_view what);

/// Throws unless `plan` has this runtime's ABI version; nothing else of another
/// version's plan can be read.
void checkVersion(const zrt_plan &plan);

/// Throws unless this runtime can run `plan`, of its version: its tiers, and
/// refs inside their arenas.
void checkPlan(const zrt_plan &plan);

/// Throws unless `plan` was compiled for `ranks` ranks.
void checkRanks(const zrt_plan &plan, int ranks);

} // namespace zrt

#endif // ZRT_CORE_PLAN_CHECKS_H
