//===- Memory.h - The memory that can still be taken ------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <string>

namespace zrt {

/// Bytes that can be taken without swapping, and the file that says so.
struct AvailableMemory {
  uint64_t bytes = UINT64_MAX; ///< if no file says it
  std::string source;
};

/// The least of what is available on this machine (MemAvailable) and in each
/// control group that this process is in, of version 1 or 2: its limit without
/// what its processes hold.  Files that the kernel caches can be dropped, and
/// count as available.  `root` is the folder with proc and sys, for tests.
AvailableMemory availableMemory(const std::string &root = "");

/// What a rank takes beside its arenas: code, stacks, packed panels of
/// products, the least for copies of a checkpoint.
constexpr uint64_t kProgramMemory = uint64_t{128} << 20;

/// What programs should take of the available memory at most: the kernel and
/// cached files keep a 20th, but no more than 1 GiB.
uint64_t takeableBytes(const AvailableMemory &available);
/// The most bytes that each of `ranks` ranks may have in arenas.
uint64_t mostArenaBytes(const AvailableMemory &available, uint64_t ranks);

/// How many processes the kernel has killed for lack of memory since the
/// machine was started, in control groups and outside; 0 if it does not say.
uint64_t countMemoryKills(const std::string &root = "");

} // namespace zrt
