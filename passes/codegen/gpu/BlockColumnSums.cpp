//===- BlockColumnSums.cpp - Sums of columns by a block of threads --------===//
//
// A block has 16 columns and all rows.  Its threads form groups of 4.  Each
// group sums every `groups`-th run of rows (ColumnSums.cpp) into the block's
// memory; then the first group adds these sums in the order of runs.
//
//   group g: for run = g, g + groups, ...     part[run] = sum of its rows
//   barrier
//   group 0: for each run in order            sum += part[run]
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/Shuffle.h"
#include "passes/codegen/loops/ColumnSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::zero;

/// Views of the runs' sums, one buffer [runs, columns] for each result.
SmallVector<Value> ColumnSums::viewRuns(OpBuilder &b) {
  SmallVector<Value> views;
  int64_t offset = 0;
  for (size_t i = 0; i < op.getDpsInits().size(); ++i) {
    auto type = MemRefType::get({getNumRuns(), kBlockColumns}, getElementOf(i));
    views.push_back(memref::ViewOp::create(b, loc, type,
                                           nest.getRowShare().memory,
                                           index(b, offset), ValueRange()));
    offset += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }
  return views;
}

/// Sums the rows of run `run` into `runs`.
void ColumnSums::sumRun(OpBuilder &b, Value run, ArrayRef<Value> runs) {
  Value inner = arith::RemUIOp::create(b, loc, run, index(b, innerRuns)),
        rest = arith::DivUIOp::create(b, loc, run, index(b, innerRuns));
  for (int loop : llvm::reverse(ArrayRef<int>(rowLoops).drop_back())) {
    Value extent = index(b, nest.getExtent(loop));
    nest.open(loop, arith::RemUIOp::create(b, loc, rest, extent));
    rest = arith::DivUIOp::create(b, loc, rest, extent);
  }
  const int loop = rowLoops.back();
  Value begin = arith::MulIOp::create(b, loc, inner, index(b, runRows));
  clearParts(b);
  const int64_t last = nest.getExtent(loop) % runRows;
  if (last == 0) {
    addBlocks(b, loop, begin, runRows);
  } else {
    Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         inner, index(b, innerRuns - 1));
    auto add = [&](int64_t rows) {
      return [&, rows](OpBuilder &at, Location) {
        addBlocks(at, loop, begin, rows);
        scf::YieldOp::create(at, loc);
      };
    };
    scf::IfOp::create(b, loc, isLast, add(last), add(runRows));
  }
  for (int outer : ArrayRef<int>(rowLoops).drop_back())
    nest.close(outer);
  nest.forLane(b, [&](OpBuilder &at, Value) {
    Value column = arith::SubIOp::create(at, loc, nest.getIndex(lane), first);
    for (auto [view, part] : llvm::zip_equal(runs, loadParts(at)))
      storeVector(at, loc, nest.getLanes(), part, view, {run, column}, Value());
  });
}

/// Adds the sums in `runs`, in order.
void ColumnSums::addRuns(OpBuilder &b, ArrayRef<Value> runs) {
  nest.forLane(b, [&](OpBuilder &at, Value mask) {
    Value column = arith::SubIOp::create(at, loc, nest.getIndex(lane), first);
    SmallVector<Value> sums;
    for (Value sum : nest.loadInits(at, mask))
      sums.push_back(nest.asVector(at, sum));
    auto all = scf::ForOp::create(
        at, loc, index(at, 0), index(at, getNumRuns()), index(at, 1), sums,
        [&](OpBuilder &inner, Location, Value run, ValueRange carried) {
          SmallVector<Value> next;
          for (auto [i, view] : llvm::enumerate(runs))
            next.push_back(combine(inner, loc, getCombinerOf(i)->getName(),
                                   carried[i],
                                   loadVector(inner, loc, nest.getLanes(), view,
                                              {run, column}, Value())));
          scf::YieldOp::create(inner, loc, next);
        });
    nest.storeInits(at, SmallVector<Value>(all.getResults()), mask);
  });
}

void ColumnSums::emitByBlock(OpBuilder &b) {
  const RowShare &share = nest.getRowShare();
  SmallVector<Value> runs = viewRuns(b);
  forColumns(b, [&](OpBuilder &inner) {
    scf::ForOp::create(inner, loc, share.group, index(inner, getNumRuns()),
                       index(inner, share.groups), {},
                       [&](OpBuilder &at, Location, Value run, ValueRange) {
                         sumRun(at, run, runs);
                         scf::YieldOp::create(at, loc);
                       });
    syncBlock(inner, loc);
    Value isFirst = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq,
                                          share.group, index(inner, 0));
    scf::IfOp::create(inner, loc, isFirst, [&](OpBuilder &at, Location) {
      addRuns(at, runs);
      scf::YieldOp::create(at, loc);
    });
  });
}
