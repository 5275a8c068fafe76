//===- PlanText.h - Prints a plan's tables as text --------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

#include <string>

namespace zrt {

/// The text that --plan prints: the streams, then for each program a line per
/// operation.  Marks entries that are invalid.
std::string planText(const zrt_plan &plan);

} // namespace zrt
