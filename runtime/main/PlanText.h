//===- PlanText.h - A plan's tables, for people -----------------*- C++ -*-===//
#ifndef ZRT_MAIN_PLAN_TEXT_H
#define ZRT_MAIN_PLAN_TEXT_H

#include "runtime/zrt.h"

#include <string>

namespace zrt {

/// What --plan prints: the streams, and of each program a line for each
/// operation.  Says so where an entry makes no sense.
std::string planText(const zrt_plan &plan);

} // namespace zrt

#endif // ZRT_MAIN_PLAN_TEXT_H
