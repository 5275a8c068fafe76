//===- BlockColumnSums.cpp - Sums of columns by a block of threads --------===//
//
// A block has 8 columns and all rows; or if there are few, all columns, 8 after
// 8.  Its threads form groups of 2.  Each group sums every `groups`-th run of
// rows (ColumnSums.cpp) into the block's memory; then the first group adds
// these sums in the order of runs.
//
//   group g: for run = g, g + groups, ...     part[run] = sum of its rows
//   barrier
//   group 0: for each run in order            sum += part[run]
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/loops/ColumnSums.h"

using namespace mlir;
using namespace mlir::zero;

/// Views of the runs' sums, one buffer [runs, columns] for each result.
Values ColumnSums::viewRuns() {
  Values views;
  int64_t offset = 0;
  for (size_t i = 0; i < op.getDpsInits().size(); ++i) {
    auto type = MemRefType::get({getNumRuns(), kBlockColumns}, getElementOf(i));
    views.push_back(c.viewAs(type, c.getRowShare().memory, c.index(offset)));
    offset += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }
  return views;
}

/// Sums the rows of run `run` into `runs`.
void ColumnSums::sumRun(Value run, ArrayRef<Value> runs) {
  Value inner = c.rem(run, innerRuns), rest = c.div(run, innerRuns);
  for (int loop : llvm::reverse(ArrayRef<int>(rowLoops).take_front(cut))) {
    c.open(loop, c.rem(rest, c.getExtent(loop)));
    rest = c.div(rest, c.getExtent(loop));
  }
  Value begin = c.mul(inner, runRows);
  clearParts();
  auto addRows = [&](int64_t rows) {
    return [&, rows] { addRange(cut, begin, rows); };
  };
  const int64_t last = c.getExtent(rowLoops[cut]) % runRows;
  if (last == 0)
    addRange(cut, begin, runRows);
  else
    c.whenElse(c.isEqual(inner, innerRuns - 1), addRows(last),
               addRows(runRows));
  for (int outer : ArrayRef<int>(rowLoops).take_front(cut))
    c.close(outer);
  c.forLane([&](Value) {
    Value column = c.sub(c.getIndex(lane), first);
    for (auto [view, part] : llvm::zip_equal(runs, loadParts()))
      c.storeVector(part, view, {run, column});
  });
}

/// Adds the sums in `runs`, in order.
void ColumnSums::addRuns(ArrayRef<Value> runs) {
  c.forLane([&](Value mask) {
    Value column = c.sub(c.getIndex(lane), first);
    Values sums;
    for (Value sum : c.loadInits(mask))
      sums.push_back(c.asVector(sum));
    sums =
        c.loop(c.index(0), c.index(getNumRuns()), 1, sums,
               [&](Value run, ArrayRef<Value> carried) {
                 Values next;
                 for (auto [i, view] : llvm::enumerate(runs))
                   next.push_back(c.combine(getCombinerOf(i), carried[i],
                                            c.loadVector(view, {run, column})));
                 return next;
               });
    c.storeInits(sums, mask);
  });
}

void ColumnSums::emitByBlock() {
  const RowShare &share = c.getRowShare();
  Values runs = viewRuns();
  forColumns([&] {
    c.loop(share.group, c.index(getNumRuns()), share.groups, {},
           [&](Value run, ArrayRef<Value>) {
             sumRun(run, runs);
             return Values();
           });
    syncBlock(c.b, c.loc);
    c.when(c.isEqual(share.group, 0), [&] { addRuns(runs); });
    if (!c.isCut(lane)) // the next columns come to the same memory
      syncBlock(c.b, c.loc);
  });
}
