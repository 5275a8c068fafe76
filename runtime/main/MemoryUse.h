//===- MemoryUse.h - What the process takes in all --------------*- C++ -*-===//
#ifndef ZRT_MAIN_MEMORY_USE_H
#define ZRT_MAIN_MEMORY_USE_H

#include <cstdint>

namespace zrt {

/// The most bytes this process ever had in memory: arenas, and what the memory
/// certificate does not cover (code, stacks, library buffers, mapped files).
/// 0 when the system does not tell.
uint64_t peakResidentBytes();

} // namespace zrt

#endif // ZRT_MAIN_MEMORY_USE_H
