//===- Poison.h - Forgets what a program left behind ------------*- C++ -*-===//
//
// Between two programs nothing is alive but state, inputs and outputs.  A plan
// that reads a temporary before it has written it finds, on a quiet machine,
// what the last program left there, which may well be right.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_CPU_POISON_H
#define ZRT_CPU_POISON_H

#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

/// Fills the arena of `tier`, which starts at `arena`, with 0xff (NaN as a
/// float, -1 as an integer), all but the plan's state, inputs and outputs.
void poisonTemporaries(const zrt_plan &plan, uint32_t tier, std::byte *arena);

} // namespace zrt

#endif // ZRT_CPU_POISON_H
