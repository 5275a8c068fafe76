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

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/codegen/loops/ColumnSums.h"

using namespace mlir;
using namespace mlir::zero;

/// Opens the reduction loops from `loop` on, carrying the accumulators.
static SmallVector<Value> emitReductions(OpBuilder &b, LoopNest &nest, int loop,
                                         ArrayRef<Value> accumulators,
                                         Value mask) {
  loop = nest.findClosed(loop, /*reduction=*/true);
  if (loop == nest.getNumLoops())
    return nest.emitBody(b, accumulators, mask);
  return nest.forCarried(
      b, loop, accumulators, [&](OpBuilder &inner, ArrayRef<Value> carried) {
        return emitReductions(inner, nest, loop + 1, carried, mask);
      });
}

/// Emits everything for one index of the parallel loops (one vector, or a
/// scalar).
static void emitPoint(OpBuilder &b, LoopNest &nest, Value mask) {
  SmallVector<Value> start = nest.loadInits(b, mask);
  nest.storeInits(b, emitReductions(b, nest, 0, start, mask), mask);
}

/// Opens the parallel loops from `loop` on, but not the vector loop.
static void emitParallel(OpBuilder &b, LoopNest &nest, int loop) {
  loop = nest.findClosed(loop, /*reduction=*/false);
  if (loop < nest.getNumLoops())
    return nest.forEach(b, loop, [&](OpBuilder &inner) {
      emitParallel(inner, nest, loop + 1);
    });
  if (nest.getLane() < 0)
    return emitPoint(b, nest, Value());
  if (nest.isReduction(nest.getLane()))
    return emitRowSums(b, nest);
  if (nest.findClosed(0, /*reduction=*/true) < nest.getNumLoops())
    return ColumnSums(nest).emit(b);
  nest.forLane(
      b, [&](OpBuilder &inner, Value mask) { emitPoint(inner, nest, mask); });
}

void zero::emitVectorLoops(OpBuilder &b, linalg::LinalgOp op,
                           const LoopContext &context) {
  LoopNest nest(op, context);
  if (nest.getLane() >= 0) {
    nest.hoistInvariants(b);
    return emitParallel(b, nest, 0);
  }
  // Many threads cannot share scalar loops.
  bool every = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return nest.isReplicated(init);
  });
  nest.onOneThread(b, every, [&](OpBuilder &inner) {
    nest.hoistInvariants(inner);
    emitParallel(inner, nest, 0);
  });
}
