//===- Driver.h - Services for the other fake libraries ---------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <cuda.h>
#include <functional>

namespace fakecuda {

/// Adds an operation to `stream`; `isReady` is that of Operation.
void issue(CUstream stream, const char *name, std::function<void()> run,
           std::function<bool()> isReady = {});
/// Ends the process unless all of these bytes are device memory.
void needDevice(const char *what, const void *begin, uint64_t bytes);

} // namespace fakecuda
