//===- Replay.h - Replays the contents of a rank's bytes ------------------===//
//
// Replays a program on one rank, in program order, which is one of the orders
// in which its streams may run.  Each byte holds a version: a number that every
// write replaces by a new one.  A value consists of the versions of its bytes
// at its definition; bytes that its operation leaves undefined (padding, other
// ranks' slices of a reduced bucket) do not belong to it.  A view or a pack
// takes the versions of its operands.
//
// If each use finds the versions of its value here, and the uses of each byte
// have a known order (HappensBefore.h), then it finds them in every order in
// which the streams may run.  A write must come after all earlier uses, so each
// byte keeps only its last writer, and the last reader of each stream since
// then.
//
//   (V1)  a use finds the versions of its value, and comes after their writers.
//   (V2)  a write comes after every earlier read and write of its bytes ...
//   (V5)  ... and after the exchanges in which peers read them.
//   (V6)  the next state still exists when the program ends.
//   (V9)  only defined bytes are read: padding and other ranks' slices never
//         reach the model, the norm, an update or an exchange, and @count does
//         not read the means that it is to compute.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/verify/HappensBefore.h"
#include "passes/verify/Structure.h"

namespace mlir::zero::judge {

/// Fails at the first operation of `program`, which has the name `name`, that
/// breaks a rule on `rank`.
LogicalResult replay(ProgramOp program, StringRef name, int64_t rank,
                     const Ranges &ranges, const HappensBefore &order,
                     const BucketLayouts &layouts);

} // namespace mlir::zero::judge
