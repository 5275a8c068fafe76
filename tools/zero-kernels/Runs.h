//===- Runs.h - Launches, cut in all ways -----------------------*- C++ -*-===//
#pragma once

#include "Layout.h"

namespace mlir::zero {

struct Runs {
  unsigned chaos = 3; ///< seeds of ZRT_CHAOS
  uint64_t seed = 1;  ///< of cuts and orders
  /// What multiplies in attention on a GPU (lowerKernelsToGpu).
  std::string attention;
};

/// Executes all launches and notes in their cases what is wrong:
///
///   in one piece             against the interpretation
///   in pieces of any size,   in any order: the same bytes
///   by the runtime           on several threads, plainly and under ZRT_CHAOS:
///                            the same bytes
///   by threads of a GPU      in the emulator, in any order: the same bytes, and
///                            the same for other numbers, whose sums are rounded
///
/// False, with a message on stderr, if the runtime fails.
bool execute(Layout &layout, const Runs &runs);

} // namespace mlir::zero
