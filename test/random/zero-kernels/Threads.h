//===- Threads.h - Runs a kernel on emulated GPU threads --------*- C++ -*-===//
#pragma once

#include "Layout.h"

namespace mlir::zero {

/// Runs `launch` on `arena` in the emulator of a GPU (test/emulator), with
/// blocks and threads in an order drawn from `seed`.  Returns the kernel's
/// error (a race, an access outside its operands, a deadlock), or "".
std::string runThreads(const Launch &launch, uint8_t *arena, uint64_t seed);

} // namespace mlir::zero
