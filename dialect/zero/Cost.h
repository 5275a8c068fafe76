//===- Cost.h - Cost of a plan's operation on a rank ----------------------===//
//
// Costs are counts from types and bodies and do not depend on a machine.
// Callers that need times divide by rates.
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

/// The cost of `op` of a plan; zero for operations that only name bytes.
Cost getCost(Operation *op, SymbolTableCollection &symbols);

/// The part of `value` that `op` reads or writes on a rank, in bytes.  Padding
/// counts.
int64_t getTouchedBytes(PlanOpInterface op, Value value,
                        SymbolTableCollection &symbols);
/// The same in elements.
int64_t countElements(PlanOpInterface op, Value value,
                      SymbolTableCollection &symbols);

/// The axis of `op`'s bucket or collective; null if it has neither.
AxisOp findAxis(PlanOpInterface op, SymbolTableCollection &symbols);
/// The ranks that a collective is between, or those of the axis of `op`'s
/// bucket; 1 if it has neither.
int64_t countRanks(PlanOpInterface op, SymbolTableCollection &symbols);

/// Whether a collective is between ranks of one group: its members, or ranks
/// that share a sequence where groups consist of such ranks.
bool staysInGroup(CollectiveOpInterface op);

/// Floating-point operations of `op`: those that it reports itself, or for a
/// linalg operation those of its body at each point of its loops; 0 for others.
int64_t countFlops(Operation *op, SymbolTableCollection &symbols);

/// Operations in `region` that compute a floating-point number, each counted
/// once.
int64_t countFloatOps(Region &region);

} // namespace mlir::zero
