//===- MemoryUse.h - Peak memory of the process -----------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace zrt {

/// The peak resident bytes of this process: the arenas, and the memory that the
/// certificate does not cover (code, stacks, library buffers, mapped files). 0
/// if the system does not report it.
uint64_t peakResidentBytes();

} // namespace zrt
