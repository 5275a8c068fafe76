//===- Calls.h - What the driver's functions have in common -----*- C++ -*-===//
#pragma once

#include "Machine.h"

#include <cuda.h>

namespace fakecuda {

using Lock = std::lock_guard<std::mutex>;

/// Dynamic shared memory of a block.
constexpr uint64_t kSharedByDefault = 48 << 10, kSharedAtMost = 227 << 10;

/// Every call but the first ones, under the machine's lock: what it returns unless
/// it can go on.
CUresult enter(const char *call);

/// What a call returns that has waited.  One that has not says nothing of what it
/// has added.
inline CUresult outcome() {
  return Machine::get().hasFailed() ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

inline uint64_t idOf(const void *handle) {
  return reinterpret_cast<uintptr_t>(handle);
}
template <typename Handle>
Handle handleOf(uint64_t number) {
  return reinterpret_cast<Handle>(uintptr_t(number));
}
inline char *pointer(CUdeviceptr address) {
  return reinterpret_cast<char *>(uintptr_t(address));
}

} // namespace fakecuda

#define ENTER(CALL)                                                            \
  Machine &machine = Machine::get();                                           \
  const Lock lock(machine.mutex);                                              \
  if (const CUresult result = enter(CALL); result != CUDA_SUCCESS)             \
  return result
