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
// Many rows are cut into runs.  Each run has its own sum, and the sums are
// added in order.  That costs little, because runs have many rows, and a GPU
// can sum runs in parallel.
//
//   for each run of rows
//     part[c] = 0; part[c] += its rows, as above; sum[c] += part[c]
//
// If there are several reductions, the innermost is cut; or, if those around it
// alone make too many runs, one of these, and a run has all rows inside.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/ColumnSums.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::zero;

/// Rows that are added to columns at once.
static constexpr int64_t kColumnRows = 8;
/// Rows of a run, and the most runs: with more rows, runs are longer, up to all
/// of the loop that is cut.
static constexpr int64_t kRunRows = 64, kMaxRuns = 256;
/// Columns whose parts a thread of a CPU keeps at a time.
static constexpr int64_t kPartColumns = 1024;

ColumnSums::ColumnSums(LoopNest &nest)
    : c(nest), op(nest.getOp()), lane(nest.getLane()) {
  for (int loop = c.findClosed(0, /*reduction=*/true); loop < c.getNumLoops();
       loop = c.findClosed(loop + 1, /*reduction=*/true))
    rowLoops.push_back(loop);
  cut = rowLoops.size() - 1;
  chooseRuns();
}

/// Does not cut few rows, nor rows of a reduction whose combiner or identity is
/// unknown.
void ColumnSums::chooseRuns() {
  for (size_t i = 0; i < op.getDpsInits().size(); ++i)
    if (!getCombinerOf(i) || !getIdentity(getCombinerOf(i)))
      return;
  const auto rowsOf = [&](ArrayRef<int> loops) {
    int64_t rows = 1;
    for (int loop : loops)
      rows *= c.getExtent(loop);
    return rows;
  };
  const ArrayRef<int> all = rowLoops;
  while (cut > 0 && rowsOf(all.take_front(cut)) > kMaxRuns)
    --cut;
  outerRows = rowsOf(all.take_front(cut));
  const int64_t rows = c.getExtent(rowLoops[cut]),
                inside = rowsOf(all.drop_front(cut + 1));
  int64_t run = std::max<int64_t>(kRunRows / inside, 1);
  while (run < rows && outerRows * llvm::divideCeil(rows, run) > kMaxRuns)
    run *= 2;
  run = std::min(run, rows);
  if (run * inside < kColumnRows || run == outerRows * rows) {
    cut = rowLoops.size() - 1;
    return;
  }
  runRows = run;
  innerRuns = llvm::divideCeil(rows, run);
}

//===----------------------------------------------------------------------===//
// Sums of a run
//===----------------------------------------------------------------------===//

void ColumnSums::createParts(int64_t columns) {
  // At the start of the kernel.
  auto kernel = op->getParentOfType<func::FuncOp>();
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (size_t i = 0; i < op.getDpsInits().size(); ++i)
    parts.push_back(memref::AllocaOp::create(
        top, c.loc,
        MemRefType::get({columns / c.lanes.stride * c.lanes.width},
                        getElementOf(i)),
        top.getI64IntegerAttr(64)));
}

/// The index of the open vector in a part.  On a GPU a part is one vector,
/// which a constant index lets LLVM keep in registers.
Value ColumnSums::placeInPart() {
  if (c.lanes.isHalfWarp())
    return c.index(0);
  return c.div(c.sub(c.getIndex(lane), c.firstOf(first)),
               c.lanes.stride / c.lanes.width);
}

Values ColumnSums::loadParts() {
  return llvm::map_to_vector(
      parts, [&](Value part) { return c.loadVector(part, placeInPart()); });
}

/// Stores whole vectors: lanes beyond the last column are never added.
void ColumnSums::storeParts(ArrayRef<Value> values) {
  for (auto [part, value] : llvm::zip_equal(parts, values))
    c.storeVector(c.asVector(value), part, placeInPart());
}

void ColumnSums::clearParts() {
  c.forLane([&](Value) {
    Values zeros;
    for (size_t i = 0; i < parts.size(); ++i)
      zeros.push_back(c.constantVector(
          getElementOf(i), getIdentity(getCombinerOf(i)).value_or(NAN)));
    storeParts(zeros);
  });
}

void ColumnSums::addParts() {
  c.forLane([&](Value mask) {
    Values sums = c.loadInits(mask);
    for (auto [i, part] : llvm::enumerate(loadParts()))
      sums[i] = c.combine(getCombinerOf(i), c.asVector(sums[i]), part);
    c.storeInits(sums, mask);
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Adds `rows` of `loop` to every column, from `from` on.
void ColumnSums::addRows(int loop, Value from, int64_t rows) {
  Values at = c.positionsFrom(from, rows, 1);
  // Reads the invariants of each row before its columns.
  IRMapping outside = c.invariant;
  SmallVector<IRMapping> ofRow;
  for (Value row : at) {
    c.open(loop, row);
    c.hoistInvariants();
    ofRow.push_back(c.invariant);
    c.invariant = outside;
  }
  c.forLane([&](Value mask) {
    Values sums = runRows ? loadParts() : c.loadInits(mask);
    for (auto [row, values] : llvm::zip_equal(at, ofRow)) {
      c.open(loop, row);
      c.invariant = values;
      sums = c.emitBody(sums, mask);
    }
    c.invariant = outside;
    if (runRows)
      storeParts(sums);
    else
      c.storeInits(sums, mask);
  });
  c.close(loop);
}

/// Adds [begin, begin + rows) of `loop`, 8 at a time.
void ColumnSums::addBlocks(int loop, Value begin, int64_t rows) {
  const int64_t rest = rows % kColumnRows;
  Value whole = c.add(begin, rows - rest);
  if (rows > rest)
    c.loop(begin, whole, kColumnRows, {}, [&](Value row, ArrayRef<Value>) {
      addRows(loop, row, kColumnRows);
      return Values();
    });
  if (rest > 0)
    addRows(loop, whole, rest);
}

/// Adds [begin, begin + count) of row loop number `level`, with all rows of the
/// loops inside.
void ColumnSums::addRange(size_t level, Value begin, int64_t count) {
  const int loop = rowLoops[level];
  if (loop == rowLoops.back())
    return addBlocks(loop, begin, count);
  c.loop(begin, c.add(begin, count), 1, {}, [&](Value at, ArrayRef<Value>) {
    c.open(loop, at);
    addRange(level + 1, c.index(0), c.getExtent(rowLoops[level + 1]));
    c.close(loop);
    return Values();
  });
}

void ColumnSums::addRun(Value begin, int64_t rows) {
  clearParts();
  addRange(cut, begin, rows);
  addParts();
}

/// Opens the reduction loops from `loop` on, the one that is cut in runs or in
/// blocks of rows, and inside them the vector loop.
void ColumnSums::emitReductions(int loop) {
  loop = c.findClosed(loop, /*reduction=*/true);
  if (loop != rowLoops[cut])
    return c.forEach(loop, [&] { emitReductions(loop + 1); });
  const int64_t extent = c.getExtent(loop);
  if (runRows == 0)
    return addBlocks(loop, c.index(0), extent);
  const int64_t rest = extent % runRows;
  Value whole = c.index(extent - rest);
  c.loop(c.index(0), whole, runRows, {}, [&](Value row, ArrayRef<Value>) {
    addRun(row, runRows);
    return Values();
  });
  if (rest > 0)
    addRun(whole, rest);
}

void ColumnSums::forColumns(llvm::function_ref<void()> emit) {
  const int64_t columns = c.lanes.isHalfWarp() ? c.lanes.stride : kPartColumns;
  createParts(columns);
  auto [lower, upper] = c.getBounds(lane);
  c.loop(lower, upper, columns, {},
         [&, end = upper](Value begin, ArrayRef<Value>) {
           first = begin;
           c.cutLane(begin, arith::MinUIOp::create(c.b, c.loc,
                                                   c.add(begin, columns), end));
           emit();
           c.cutLane(Value(), Value());
           return Values();
         });
}

void ColumnSums::emit() {
  if (runRows == 0)
    return emitReductions(0);
  if (c.getRowShare().groups > 0)
    return emitByBlock();
  forColumns([&] { emitReductions(0); });
}

ColumnRuns zero::getColumnRuns(linalg::LinalgOp op,
                               const LoopContext &context) {
  OpBuilder b(op);
  LoopNest nest(b, op, context);
  if (nest.getLane() < 0 || nest.isReduction(nest.getLane()) ||
      nest.findClosed(0, /*reduction=*/true) == nest.getNumLoops())
    return {};
  int64_t bytes = 0;
  for (Value init : op.getDpsInits())
    bytes += cast<MemRefType>(init.getType()).getElementTypeBitWidth() / 8;
  const int64_t runs = ColumnSums(nest).getNumRuns();
  return {runs, runs * kBlockColumns * bytes};
}
