//===- VectorLane.h - Chooses the loop that runs in vectors ---------------===//
#pragma once

#include "passes/codegen/loops/VectorLoops.h"

namespace mlir::zero {

/// The loop along memory, if it is still to be emitted.
struct LaneChoice {
  int contiguous = -1;  ///< the loop along memory, or -1
  bool vectors = false; ///< whether it runs in vectors
};

LaneChoice chooseLane(linalg::LinalgOp op, const LoopContext &context);

/// The operation that adds to accumulator `i`, if it is the accumulator's one
/// use and yields the result.
Operation *getCombiner(linalg::LinalgOp op, unsigned i);

/// The identity that a sum by `combiner` starts from, if its kind is known.
std::optional<double> getIdentity(Operation *combiner);

} // namespace mlir::zero
