//===- TableChecks.h - Tables that can be walked blindly --------*- C++ -*-===//
//
// Every entry of every program is looked at once, before the first step, so
// that whoever walks the table need not look again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <functional>
#include <string_view>

namespace zrt {

/// Throws unless `ref` lies inside its arena; `what` is for the message.
void checkRef(const zrt_plan &plan, const zrt_ref &ref, std::string_view what);

/// Throws unless sizes, operands, streams and events of all programs fit each
/// other and the plan, whose buckets and arenas are sound.
void checkTables(const zrt_plan &plan);

/// Calls `check` for every operation that works; what it throws gets the
/// operation's place, as in "program step, operation 12, c_fc.3: ...".
void checkEach(const zrt_plan &plan,
               const std::function<void(const zrt_op &)> &check);

} // namespace zrt
