//===- Replay.h - What every byte of a rank holds -------------------------===//
//
// Replays a program on one rank, in program order, which is one of the orders
// that its streams may take.  Each byte holds a version: a number that every
// write renews.  A value is the versions of its bytes when it was defined;
// bytes that its operation leaves undefined (padding, other ranks' slices of a
// reduced bucket) are no part of it.  A view or a pack takes over the versions
// of its operands.
//
// If each use finds the versions of its value here, and what uses bytes of one
// place comes in a known order (HappensBefore.h), then it finds them in every
// order that the streams may take.  Since a write must come after all earlier
// uses, only the last writer and the last reader per stream since then are kept
// for each byte.
//
//   (V1)  a use finds the versions of its value, and comes after whoever wrote
//         them.
//   (V2)  a write comes after every earlier read and write of its bytes ...
//   (V5)  ... and after the exchanges in which peers read them.
//   (V6)  next state is still there when the program ends.
//   (V9)  what is read is defined: padding and other ranks' slices never reach
//         the model, the norm, an update or an exchange, nor @count the means
//         that it is there for.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/verify/HappensBefore.h"
#include "passes/verify/Structure.h"

namespace mlir::zero::judge {

/// Fails at the first operation of `program`, which is @`name`, that breaks a
/// rule on `rank`.
LogicalResult replay(ProgramOp program, StringRef name, int64_t rank,
                     const Ranges &ranges, const HappensBefore &order,
                     const BucketLayouts &layouts);

} // namespace mlir::zero::judge
