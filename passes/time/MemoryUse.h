//===- MemoryUse.h - Bytes that are alive during a program ------*- C++ -*-===//
#pragma once

#include "passes/time/Timeline.h"

namespace mlir::zero {

/// What bytes are for: state, inputs and outputs, which are always alive, or a
/// use of temporaries (Buffer::Use).
constexpr std::array<llvm::StringLiteral, 4> kMemoryCategories = {
    "state", "activations", "communication", "gradients"};

/// From `seconds` on, until the next point, so many bytes of a tier are alive,
/// by category.
struct MemoryPoint {
  double seconds = 0;
  std::array<int64_t, kMemoryCategories.size()> bytes = {};
};

/// A temporary, and when it is alive.
struct MemorySpan {
  double begin, end;
  int64_t bytes;
  std::string name; ///< of the operation that makes it
};

struct MemoryUse {
  std::vector<MemoryPoint> points;
  std::vector<MemorySpan> largest; ///< at most kLargestSpans
};
constexpr size_t kLargestSpans = 48;

/// The bytes of each tier that are alive while the program of `schedule` runs
/// as `timeline` says: state and inputs always, a temporary from the first
/// begin to the last end of the operations that make or use it.
FailureOr<std::array<MemoryUse, kNumTiers>>
getMemoryUse(const Schedule &schedule, const Timeline &timeline);

} // namespace mlir::zero
