//===- TransfersAhead.h - Moves transfers ahead of their uses ---*- C++ -*-===//
//
// Position is issue order, and queues run ahead: an operation on its own stream
// starts as soon as its operands are ready and the bytes of its result are
// free.  So moving a gather up prefetches it.  The distance determines how many
// gathered buckets are held at once: one bucket ahead means two.
//
//   prefetch   bucket 5 is gathered at the first use of
//   0          5
//   1 byte     4, whatever its size
//   more       the first after which buckets with fewer bytes are used
//
// Fetches from other tiers work the same way, link by link: while one bucket is
// computed with, the next is gathered, the one after it is fetched to the
// device, and so on.
//
// Activations that wait in another tier come back block by block: on each link,
// those that a block's backward reads are fetched where the backward of a
// previous block begins.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

/// Transfers that are held back: the operation that each must not precede; null
/// where it stays at its use.
using Holds = DenseMap<Operation *, Operation *>;

/// Moves the transfers of `program`, which stand where their results are used,
/// ahead by `prefetch` bytes.  State for updates behind a norm may be fetched
/// before it, unless the program `isRotated` there.
void moveTransfersAhead(ProgramOp program, const Holds &holds, int64_t prefetch,
                        bool isRotated);

/// Whether `op` is a transfer that can move ahead, regardless of memory.
bool canGoAhead(Operation *op);

/// The first operation that reads `value`; skips those that only name bytes.
Operation *getFirstReader(Value value);

} // namespace mlir::zero
