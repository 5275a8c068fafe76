//===- Calls.h - Helpers of the driver's functions --------------*- C++ -*-===//
#pragma once

#include "Machine.h"

#include <cuda.h>
#include <memory>
#include <mutex>

namespace fakecuda {

using Lock = std::lock_guard<std::mutex>;

/// Limits of a block's dynamic shared memory.
constexpr uint64_t kSharedByDefault = 48 << 10, kSharedAtMost = 227 << 10;

/// Begins every call except the first ones, under the machine's lock.  Returns
/// an error if the call cannot continue.
CUresult enter(const char *call);

/// The result of a call that has waited.  Other calls do not report errors of
/// the operations they add.
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

/// Sleeps for a random time, differently in every process and thread, as if
/// the host were busy; FAKE_CUDA_DELAY.
void delay();

/// A call that adds to a stream; other threads may call meanwhile.
class StreamCall {
public:
  explicit StreamCall(CUstream stream);
  ~StreamCall();
  StreamCall(const StreamCall &) = delete;
  StreamCall &operator=(const StreamCall &) = delete;

private:
  const std::shared_ptr<Graph> capture;
};

/// The machine, which other threads wait for.
class LockedMachine {
public:
  Machine *operator->() const { return &machine; }

private:
  Machine &machine = Machine::get();
  const Lock lock{machine.mutex};
};

} // namespace fakecuda

/// Begins a call that adds to STREAM.
#define ENTER_STREAM(CALL, STREAM)                                             \
  const StreamCall ofStream(STREAM);                                           \
  ENTER(CALL)
#define ENTER(CALL)                                                            \
  Machine &machine = Machine::get();                                           \
  const Lock lock(machine.mutex);                                              \
  if (const CUresult result = enter(CALL); result != CUDA_SUCCESS)             \
  return result
