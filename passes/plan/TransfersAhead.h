//===- TransfersAhead.h - Gathers and fetches one bucket ahead --*- C++ -*-===//
//
// Position is issue order, and queues run ahead: an operation on a stream of
// its own starts as soon as its operands are there and its result's bytes are
// free.  So prefetching is moving a gather up.  How far decides how many
// gathered buckets are held at once; one bucket ahead is two.  Fetches from
// other tiers are the same, link by link: while one bucket is computed with, the
// next is gathered, the one after it is fetched to the device, and so on.
//
// Activations that wait in another tier come back block by block; each way, what
// a block's backward reads goes to where that of the block before begins.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// Moves the transfers of `program`, which stand where their results are used,
/// one bucket ahead, all but those `inTime`.
void moveTransfersAhead(ProgramOp program, const DenseSet<Operation *> &inTime);

/// Whether `op` is one of those, whatever the program has room for.
bool canGoAhead(Operation *op);

/// The first operation that reads `value`, past those that only name bytes.
Operation *getFirstReader(Value value);

} // namespace mlir::zero
