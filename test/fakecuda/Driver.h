//===- Driver.h - What other fake libraries ask of this one -----*- C++ -*-===//
#pragma once

#include <cstdint>
#include <cuda.h>
#include <functional>

namespace fakecuda {

/// Adds an operation to `stream`; `isReady` as of an Operation.
void issue(CUstream stream, const char *name, std::function<void()> run,
           std::function<bool()> isReady = {});
/// Ends the process unless all of these bytes are memory of the device.
void needDevice(const char *what, const void *begin, uint64_t bytes);

} // namespace fakecuda
