//===- MemoryCheck.h - Holds a plan against the memory ----------*- C++ -*-===//
//
// A plan's memory is known before it is touched.  Without this check a plan
// that is too large would slow the machine down until the kernel ends the
// program, or another one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/system/Memory.h"
#include "runtime/world/World.h"

#include <string>

namespace zrt {

/// Why `ranks` ranks of `plan` do not fit into what is available on their host:
/// what they need, what can be taken, and what needs less; "" if they fit.
std::string memoryRefusal(const zrt_plan &plan, uint64_t ranks,
                          const AvailableMemory &available);

/// Throws AgreedError on all ranks if those of one host do not fit into its
/// memory, and `isChecked` on the first of them.  All ranks call it together.
/// Memory of GPUs is not checked here: it is allocated, not only promised.
void checkMemory(World &world, const zrt_plan &plan, bool isChecked);

} // namespace zrt
