//===- MemoryUse.h - Bytes that are alive during a program ------*- C++ -*-===//
#pragma once

#include "passes/time/Timeline.h"

namespace mlir::zero {

/// From `seconds` on, until the next point, `bytes` of a tier are alive.
struct MemoryPoint {
  double seconds;
  int64_t bytes;
};
using MemoryUse = std::array<std::vector<MemoryPoint>, kNumTiers>;

/// The bytes of each tier that are alive while the program of `schedule` runs
/// as `timeline` says: state and inputs always, a temporary from the first
/// begin to the last end of the operations that make or use it.
FailureOr<MemoryUse> getMemoryUse(const Schedule &schedule,
                                  const Timeline &timeline);

} // namespace mlir::zero
