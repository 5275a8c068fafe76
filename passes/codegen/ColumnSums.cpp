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
  SmallVector<Value> at = {first};
  for (int64_t i = 1; i < rows; ++i)
    at.push_back(arith::AddIOp::create(b, nest.getLoc(), first,
                                       nest.constantIndex(b, i)));
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
  bool isInnermost =
      nest.findClosed(loop + 1, /*reduction=*/true) == nest.getNumLoops();
  int64_t step = isInnermost ? kColumnRows : 1;
  int64_t whole = nest.getExtent(loop) / step * step;
  if (whole > 0) {
    Value lower = nest.constantIndex(b, 0),
          upper = nest.constantIndex(b, whole);
    auto rows = scf::ForOp::create(b, nest.getLoc(), lower, upper,
                                   nest.constantIndex(b, step));
    OpBuilder inner = OpBuilder::atBlockBegin(rows.getBody());
    if (isInnermost) {
      addRows(inner, nest, loop, rows.getInductionVar(), step);
    } else {
      nest.open(loop, rows.getInductionVar());
      emitReductions(inner, nest, loop + 1);
      nest.close(loop);
    }
  }
  if (whole < nest.getExtent(loop))
    addRows(b, nest, loop, nest.constantIndex(b, whole),
            nest.getExtent(loop) - whole);
}

void zero::emitColumnSums(OpBuilder &b, LoopNest &nest) {
  emitReductions(b, nest, 0);
}
