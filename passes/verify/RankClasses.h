//===- RankClasses.h - Ranks whose replays are equal ----------------------===//
#pragma once

#include "passes/verify/Structure.h"

namespace mlir::zero::judge {

/// Groups `ranks`, which run `program`, into classes and returns the first rank
/// of each class, in order.
///
/// A replay only compares positions in the arena.  So two ranks belong to one
/// class if all positions in the program, those that depend on the rank and
/// those that do not, have the same order on both.
SmallVector<int64_t> findRankRepresentatives(ProgramOp program,
                                             ArrayRef<int64_t> ranks,
                                             const Ranges &ranges,
                                             const BucketLayouts &layouts);

} // namespace mlir::zero::judge
