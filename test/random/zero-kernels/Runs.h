//===- Runs.h - Runs kernels in pieces and orders ---------------*- C++ -*-===//
#pragma once

#include "Layout.h"

namespace mlir::zero {

struct Runs {
  unsigned chaos = 3; ///< seeds of ZRT_CHAOS
  uint64_t seed = 1;  ///< of cuts and orders
  /// How attention multiplies on a GPU (lowerKernelsToGpu).
  std::string attention;
};

/// Executes all launches and records errors in their cases:
///
///   in one piece           compared with the interpretation
///   in pieces of any size, in any order: the same bytes
///   by the runtime         on several threads, without and with ZRT_CHAOS: the
///                          same bytes
///   by threads of a GPU    in the emulator, in any order: the same bytes; also
///                          for other numbers, whose sums are rounded
///
/// Returns false, with a message on stderr, if the runtime fails.
bool execute(Layout &layout, const Runs &runs);

/// Runs `launch` on `arena` in the emulator of a GPU (test/emulator), with
/// blocks and threads in an order drawn from `seed`.  Returns the kernel's
/// error (a race, an access outside its operands, a deadlock), or "".
std::string runThreads(const Launch &launch, uint8_t *arena, uint64_t seed);

} // namespace mlir::zero
