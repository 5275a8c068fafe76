//===- Threads.h - A kernel as the threads of a GPU -------------*- C++ -*-===//
#pragma once

#include "Layout.h"

namespace mlir::zero {

/// Runs `launch` on `arena` in the emulator of a GPU (test/emulator), with blocks
/// and threads in an order drawn from `seed`.  What the kernel does wrong (a race,
/// an access outside of its operands, threads that wait for ever), or "".
std::string runThreads(const Launch &launch, uint8_t *arena, uint64_t seed);

} // namespace mlir::zero
