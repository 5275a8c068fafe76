//===- PlanChecks.h - A plan that this runtime can run ----------*- C++ -*-===//
#ifndef ZRT_CPU_PLAN_CHECKS_H
#define ZRT_CPU_PLAN_CHECKS_H

#include "runtime/zrt.h"

#include <string_view>

namespace zrt {

/// Bytes of one element, or 0 for an unknown dtype.
uint64_t dtypeBytes(zrt_dtype dtype);

/// Throws unless `ref` lies inside its arena; `what` is for the message.
void checkRef(const zrt_plan &plan, const zrt_ref &ref, std::string_view what);

/// Throws unless this runtime, on this machine, can run `plan`: its ABI
/// version, processor features and tiers, and refs inside their arenas.
void checkPlan(const zrt_plan &plan);

/// Throws unless `plan` was compiled for `ranks` ranks.
void checkRanks(const zrt_plan &plan, int ranks);

} // namespace zrt

#endif // ZRT_CPU_PLAN_CHECKS_H
