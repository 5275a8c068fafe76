//===- RankClasses.h - Ranks that need be replayed once -------------------===//
#pragma once

#include "passes/verify/Structure.h"

namespace mlir::zero::judge {

/// One of each class of `ranks`, which run `program`, in order.
///
/// A replay compares places in the arena and does nothing else with them.  So
/// two ranks are of one class when all places of the program, those that depend
/// on the rank and those that do not, stand in the same order on both.
SmallVector<int64_t> findRankRepresentatives(ProgramOp program,
                                             ArrayRef<int64_t> ranks,
                                             const Ranges &ranges,
                                             const BucketLayouts &layouts);

} // namespace mlir::zero::judge
