//===- Accesses.h - Bytes that operations read and write on a rank --------===//
//
//   operation                reads                       writes        defines
//   ------------------------------------------------------------------------
//   launch, matmul, total,
//   clip, all_reduce,
//   all_to_all               operands                    results       results
//   copy                     what the source holds       result        the same
//   clear                                                result        members
//   accumulate, add_leaf,
//   sum_leaves               members                     results       members
//   all_gather               members in the rank's       the others'   members
//                            own portion                 portions      in all
//   reduce_scatter           members in all              own portion   members
//                                                                      in it
//   sum_squares              members in the slice        result        result
//   update                   members (in the slice),     the same      the same
//                            scalars, random bits
//   fetch, spill             members in the lesser of    the same      the same
//                            both sides' portions
//
//   collective between         own portion    all
//   ------------------------------------------------------------------------
//   all ranks                slice          whole bucket
//   the members of a group   part           whole bucket
//   groups                   slice          part
//
// An operation reads its operands whole unless the table says otherwise.  The
// operands that it only replaces are not read: that of clear, the second of
// fetch and spill.
//
// The rest of a result, which its operation does not define, holds nothing:
// padding, and other ranks' slices in a value of which the rank has only its
// own slice or part.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/verify/BucketLayouts.h"

namespace mlir::zero::judge {

/// A read of an operand; byte offsets are relative to the start of the value.
struct ReadAccess {
  unsigned operand;
  Spans bytes;
  /// Until the collective is over, peers read these bytes too, or only peers
  /// do.
  bool byPeers = false;
  /// Reads only the bytes that hold something (a copy).
  bool asItIs = false;
};

struct WriteAccess {
  unsigned result;
  Spans written, defined;
  /// Bytes of the result that keep their content from `keptOperand`.
  Spans kept;
  unsigned keptOperand = 0;
};

struct Accesses {
  SmallVector<ReadAccess, 4> reads;
  SmallVector<WriteAccess, 2> writes;
};

/// The reads and writes of `op` on `rank`; `op` must run something.
Accesses findAccesses(Operation *op, const BucketLayouts &layouts,
                      int64_t rank);

} // namespace mlir::zero::judge
