//===- ColumnSums.cpp - Sums of columns -----------------------------------===//
//
// A sum of columns adds 8 rows at a time to all columns of its range, from left
// to right: memory is read in 8 long runs, and the sums stay in cache.
//
//   for r = 0, 8, 16, ...              the innermost reduction, then the rest
//     for c in vectors of 16
//       s = sum[c]
//       s += x[r, c]; s += x[r + 1, c]; ...; s += x[r + 7, c]
//       sum[c] = s
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::zero;

/// Rows that are added to columns at once.
static constexpr int64_t kColumnRows = 8;

/// Adds `rows` of loop `loop` to every column, from `first` on.
static void addRows(OpBuilder &b, LoopNest &nest, int loop, Value first,
                    int64_t rows) {
  SmallVector<Value> at = nest.positionsFrom(b, first, rows, 1);
  // What a row has once is read before its columns.
  IRMapping outside = nest.invariant;
  SmallVector<IRMapping> ofRow;
  for (Value row : at) {
    nest.open(loop, row);
    nest.hoistInvariants(b);
    ofRow.push_back(nest.invariant);
    nest.invariant = outside;
  }
  nest.forLane(b, [&](OpBuilder &inner, Value mask) {
    SmallVector<Value> sums = nest.loadInits(inner, mask);
    for (auto [row, values] : llvm::zip_equal(at, ofRow)) {
      nest.open(loop, row);
      nest.invariant = values;
      sums = nest.emitBody(inner, sums, mask);
    }
    nest.invariant = outside;
    nest.storeInits(inner, sums, mask);
  });
  nest.close(loop);
}

/// Opens the reduction loops from `loop` on, the innermost in blocks of rows,
/// and inside them the vector loop.
static void emitReductions(OpBuilder &b, LoopNest &nest, int loop) {
  loop = nest.findClosed(loop, /*reduction=*/true);
  if (nest.findClosed(loop + 1, /*reduction=*/true) < nest.getNumLoops())
    return nest.forEach(b, loop, [&](OpBuilder &inner) {
      emitReductions(inner, nest, loop + 1);
    });
  int64_t extent = nest.getExtent(loop), rest = extent % kColumnRows;
  Value whole = nest.constantIndex(b, extent - rest);
  if (extent > rest)
    scf::ForOp::create(
        b, nest.getLoc(), nest.constantIndex(b, 0), whole,
        nest.constantIndex(b, kColumnRows), {},
        [&](OpBuilder &inner, Location at, Value row, ValueRange) {
          addRows(inner, nest, loop, row, kColumnRows);
          scf::YieldOp::create(inner, at);
        });
  if (rest > 0)
    addRows(b, nest, loop, whole, rest);
}

void zero::emitColumnSums(OpBuilder &b, LoopNest &nest) {
  emitReductions(b, nest, 0);
}
