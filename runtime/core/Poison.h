//===- Poison.h - Forgets what a program left behind ------------*- C++ -*-===//
//
// Between two programs nothing is alive but state, inputs and outputs.  A plan
// that reads a temporary before it has written it finds, on a quiet machine,
// what the last program left there, which may well be right.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Device.h"

#include <vector>

namespace zrt {

/// The bytes of `tier` that are neither state nor input nor output, in order.
std::vector<zrt_ref> temporaries(const zrt_plan &plan, uint32_t tier);

/// Fills them in all tiers with 0xff: NaN as a float, -1 as an integer.
void poisonTemporaries(const zrt_plan &plan, Device &device);

} // namespace zrt
