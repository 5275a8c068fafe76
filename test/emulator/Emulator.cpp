//===- Emulator.cpp - Device kernels on the host's processor --------------===//
#include "Emulator.h"

#include "Grid.h"

using namespace zge;

void MemoryMap::add(const void *begin, uint64_t bytes, bool isWritable) {
  const auto at = reinterpret_cast<uintptr_t>(begin);
  ranges[at] = {at + bytes, isWritable};
}

void MemoryMap::remove(const void *begin) {
  ranges.erase(reinterpret_cast<uintptr_t>(begin));
}

bool MemoryMap::holds(uintptr_t address, uint64_t bytes, bool writes) const {
  auto range = ranges.upper_bound(address);
  if (range == ranges.begin())
    return false;
  --range;
  return address <= range->second.end && bytes <= range->second.end - address &&
         (!writes || range->second.isWritable);
}

Emulator::Emulator() : grid(std::make_unique<Grid>()) {}
Emulator::~Emulator() = default;

void Emulator::run(const Launch &launch) { grid->run(launch, memory); }

std::string Emulator::tryRun(const Launch &launch) {
  try {
    run(launch);
  } catch (const KernelError &error) {
    return error.what();
  }
  return "";
}
