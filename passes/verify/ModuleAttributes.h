//===- ModuleAttributes.h - What the module says of itself ----------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero::judge {

/// What the module says of its memory.
struct Arenas {
  ArrayRef<int64_t> bytes; ///< by tier
  int64_t exported = 0;    ///< peers read the device arena from here on
  BytesAttr workspace;     ///< of products; null if they have none
};

/// (S1), (S4) Arenas have sizes, the workspace of products lies in the device's, and
/// what is exported are whole pages.
FailureOr<Arenas> judgeArenas(ModuleOp module);
/// (S1) Products on the device are on one stream where they have a workspace, since
/// all use its bytes.
LogicalResult judgeWorkspace(ModuleOp module, const Arenas &arenas);
/// (V8) No arena is larger than the budget of its tier.
LogicalResult judgeBudget(ModuleOp module, const Arenas &arenas);
/// (S5) The programs that a step of so many micro-steps needs are there, those
/// of one rank are of one that there is, and a reference has one of each.
LogicalResult judgePrograms(ModuleOp module, int64_t ranks);

} // namespace mlir::zero::judge
