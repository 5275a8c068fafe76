//===- Poison.h - Overwrites dead memory between programs -------*- C++ -*-===//
//
// Between two programs only state, inputs and outputs are live.  Without this,
// a plan that reads a temporary before it writes it would find the value from
// the last program, which may well be right on a quiet machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Device.h"

#include <vector>

namespace zrt {

/// Returns the ranges of `tier` that are neither state, input nor output, in
/// order.
std::vector<zrt_ref> temporaries(const zrt_plan &plan, uint32_t tier);

/// Fills the temporaries of all tiers with 0xff: NaN as a float, -1 as an
/// integer.
void poisonTemporaries(const zrt_plan &plan, Device &device);

} // namespace zrt
