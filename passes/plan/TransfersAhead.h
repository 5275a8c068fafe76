//===- TransfersAhead.h - Moves transfers one bucket ahead ------*- C++ -*-===//
//
// Position is issue order, and queues run ahead: an operation on its own stream
// starts as soon as its operands are ready and the bytes of its result are
// free.  So moving a gather up prefetches it.  The distance determines how many
// gathered buckets are held at once: one bucket ahead means two.  Fetches from
// other tiers work the same way, link by link: while one bucket is computed
// with, the next is gathered, the one after it is fetched to the device, and so
// on.
//
// Activations that wait in another tier come back block by block: on each link,
// those that a block's backward reads are fetched where the previous block's
// backward begins.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// Moves the transfers of `program`, which stand where their results are used,
/// one bucket ahead, except those in `inTime`.
void moveTransfersAhead(ProgramOp program, const DenseSet<Operation *> &inTime);

/// Whether `op` is a transfer that can move ahead, regardless of memory.
bool canGoAhead(Operation *op);

/// The first operation that reads `value`; skips those that only name bytes.
Operation *getFirstReader(Value value);

} // namespace mlir::zero
