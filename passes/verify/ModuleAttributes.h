//===- ModuleAttributes.h - Attributes of a plan's module -----------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero::judge {

/// The memory that the attributes of the module describe.
struct Arenas {
  ArrayRef<int64_t> bytes; ///< by tier
  int64_t exported = 0;    ///< first byte of the device arena that peers read
  BytesAttr workspace;     ///< of products; null if they have none
};

/// (S1), (S4) Arenas have sizes, the workspace of products lies in the device
/// arena, and the exported bytes are whole pages.
FailureOr<Arenas> judgeArenas(ModuleOp module);
/// (S1) If products on the device have a workspace, they all run on one stream,
/// since they share its bytes.
LogicalResult judgeWorkspace(ModuleOp module, const Arenas &arenas);
/// (V8) No arena is larger than the budget of its tier.
LogicalResult judgeBudget(ModuleOp module, const Arenas &arenas);
/// (S5) The module has the programs that its number of micro-steps needs; each
/// program of one rank names an existing program and rank; a reference has one
/// rank and one micro-step.
LogicalResult judgePrograms(ModuleOp module, int64_t ranks);

} // namespace mlir::zero::judge
