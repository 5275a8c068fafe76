//===- Accesses.h - What an operation reads and writes on a rank ----------===//
//
//   operation                reads                       writes        defines
//   ------------------------------------------------------------------------
//   launch, matmul, total,
//   clip, all_reduce         operands                    results       results
//   copy                     what the source holds       result        the same
//   clear                                                result        members
//   accumulate               members                     result        members
//   all_gather               members in the rank's       the others'   members
//                            slice                       slices
//   reduce_scatter           members                     rank's slice  members
//                                                                      in it
//   sum_squares              members in the slice        result        result
//   update                   members (in the slice),     the same      the same
//                            scalars, random bits
//   fetch, spill             members (in the slice if    the same      the same
//                            one side is that)
//
// An operand that is not only replaced (that of clear, the second of fetch and
// spill) is read, whole if nothing else is said of it.
//
// What an operation does not define of its result holds nothing: padding, and
// in a whole value of which a rank has only its slice, the others' slices.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/verify/BucketLayouts.h"

namespace mlir::zero::judge {

/// Bytes are counted from where the value begins.
struct ReadAccess {
  unsigned operand;
  Spans bytes;
  /// Peers read them too, or instead, until the collective is over.
  bool byPeers = false;
  /// Only what of it holds something.
  bool asItIs = false;
};

struct WriteAccess {
  unsigned result;
  Spans written, defined;
  /// Bytes of the result that are as they were in `keptOperand`.
  Spans kept;
  unsigned keptOperand = 0;
};

struct Accesses {
  SmallVector<ReadAccess, 4> reads;
  SmallVector<WriteAccess, 2> writes;
};

/// What `op` does on `rank`; `op` runs something.
Accesses findAccesses(Operation *op, const BucketLayouts &layouts,
                      int64_t rank);

} // namespace mlir::zero::judge
