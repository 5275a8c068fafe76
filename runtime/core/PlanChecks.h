//===- PlanChecks.h - Checks that this runtime can run a plan ---*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <functional>
#include <string_view>

namespace zrt {

/// Throws unless `plan` has this runtime's ABI version.  No other field of a
/// plan of another version can be read.
void checkVersion(const zrt_plan &plan);

/// Throws unless this runtime can run `plan`, which has its version.  Checks
/// tiers, refs and the tables of the programs.
void checkPlan(const zrt_plan &plan);

/// Throws unless `plan` was compiled for `ranks` ranks.
void checkRanks(const zrt_plan &plan, int ranks);

//===----------------------------------------------------------------------===//
// Tables: every entry of every program is checked once, before the first step,
// so that code which walks a table need not check again.
//===----------------------------------------------------------------------===//

/// Throws unless `ref` lies inside its arena; `what` names it in the message.
void checkRef(const zrt_plan &plan, const zrt_ref &ref, std::string_view what);

/// Throws unless sizes, operands, streams and events of all programs are
/// consistent with each other and the plan.  The plan's buckets and arenas must
/// be valid.
void checkTables(const zrt_plan &plan);

/// Calls `check` for every operation that does work, and prefixes the message
/// of its exceptions with the place, as in "program step, operation 12, c_fc.3:
/// ...".
void checkEach(const zrt_plan &plan,
               const std::function<void(const zrt_op &)> &check);

} // namespace zrt
