//===- TableChecks.h - Checks the tables of a plan's programs ---*- C++ -*-===//
//
// Every entry of every program is checked once, before the first step, so that
// code which walks a table need not check again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <functional>
#include <string_view>

namespace zrt {

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
