//===- VectorLoops.cpp - From a linalg operation to vector loops ----------===//
//
// The loops of an operation on memrefs are emitted as
//
//   rows                   given by the kernel
//   other parallel loops   one scf.for each
//   the contiguous loop    in vectors of 16, the rest masked
//   reductions             innermost, accumulators in registers
//
// Reductions have two more forms: in a sum of columns the contiguous loop is
// inside of the reductions (ColumnSums), and in a sum of rows it is itself a
// reduction (RowSums).  VectorLane decides whether there is a vector loop;
// without one all loops are scalar.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/VectorLoops.h"

#include "passes/codegen/loops/ColumnSums.h"

using namespace mlir;
using namespace mlir::zero;

/// Emits everything for one index of the parallel loops (one vector, or a
/// scalar).
static void emitPoint(LoopNest &nest, Value mask) {
  if (const int loop = nest.getTogether(); loop >= 0) {
    Values all;
    for (int64_t i = 0; i < nest.getExtent(loop); ++i)
      all.push_back(nest.index(i));
    return nest.emitAhead(loop, all, mask);
  }
  Values sums =
      nest.forReductions(0, nest.loadInits(mask), [&](ArrayRef<Value> carried) {
        return nest.emitBody(carried, mask);
      });
  nest.storeInits(sums, mask);
}

/// Opens the parallel loops from `loop` on, but not the vector loop.
static void emitParallel(LoopNest &nest, int loop) {
  loop = nest.findClosed(loop, /*reduction=*/false);
  if (loop < nest.getNumLoops())
    return nest.forEach(loop, [&] { emitParallel(nest, loop + 1); });
  if (nest.getLane() < 0)
    return emitPoint(nest, Value());
  if (nest.isReduction(nest.getLane()))
    return emitRowSums(nest);
  if (nest.findClosed(0, /*reduction=*/true) < nest.getNumLoops())
    return ColumnSums(nest).emit();
  if (nest.lanes.team > 0)
    return nest.forTeamAhead();
  if (const int64_t ahead = nest.countAhead();
      ahead > 1 && nest.getTogether() < 0)
    return nest.forLaneAhead(ahead);
  nest.forLane([&](Value mask) { emitPoint(nest, mask); });
}

void zero::emitVectorLoops(OpBuilder &b, linalg::LinalgOp op,
                           const LoopContext &context) {
  LoopNest nest(b, op, context);
  // Many threads cannot share scalar loops.
  bool every = nest.getLane() >= 0 ||
               llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
                 return nest.isReplicated(init);
               });
  nest.onOneThread(every, [&] {
    nest.hoistInvariants();
    emitParallel(nest, 0);
  });
}
