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
/// as `timeline` says: state and inputs always, a temporary from the begin of
/// the operation that makes it to the end of the last one that uses it.
FailureOr<MemoryUse> getMemoryUse(const Schedule &schedule,
                                  const Timeline &timeline);

} // namespace mlir::zero
