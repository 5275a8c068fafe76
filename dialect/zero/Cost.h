//===- Cost.h - What an operation of a plan costs a rank ------------------===//
//
// Counted from types and bodies: no machine is known here.  Whoever wants time
// divides by rates.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include <array>

namespace mlir::zero {

struct Cost {
  int64_t flops = 0;
  /// Bytes that are read and written, by tier.
  std::array<int64_t, kNumTiers> read{}, written{};
  /// Bytes that come from peers.
  int64_t wire = 0;
};

/// What `op`, of a plan, costs; nothing for what only names bytes.
Cost getCost(Operation *op, SymbolTableCollection &symbols);

/// The part of `value` that `op` reads or writes on a rank, in bytes.  Padding
/// counts.
int64_t getTouchedBytes(PlanOpInterface op, Value value,
                        SymbolTableCollection &symbols);

/// The ranks of the axis that `op` is about: of its bucket or exchange; 1 for
/// others.
int64_t countRanks(PlanOpInterface op, SymbolTableCollection &symbols);

/// Floating-point operations of `op`: what it says itself, or for a linalg
/// operation those of its body at each point of its loops; 0 for others.
int64_t countFlops(Operation *op, SymbolTableCollection &symbols);

/// Operations in `region` that compute a floating-point number, each as one.
int64_t countFloatOps(Region &region);

} // namespace mlir::zero
