//===- MemoryUse.h - What the process takes in all --------------*- C++ -*-===//
#pragma once

#include <cstdint>

namespace zrt {

/// The most bytes this process ever had in memory: arenas, and what the memory
/// certificate does not cover (code, stacks, library buffers, mapped files).
/// 0 when the system does not tell.
uint64_t peakResidentBytes();

} // namespace zrt
