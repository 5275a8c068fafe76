//===- PlanText.h - A plan's tables, for people -----------------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

#include <string>

namespace zrt {

/// What --plan prints: the streams, and of each program a line for each
/// operation.  Says so where an entry makes no sense.
std::string planText(const zrt_plan &plan);

} // namespace zrt
