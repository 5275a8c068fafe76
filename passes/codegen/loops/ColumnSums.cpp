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
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/ColumnSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::zero;

/// Rows that are added to columns at once.
static constexpr int64_t kColumnRows = 8;
/// Rows of a run, and the most runs: with more rows, runs are longer, up to all
/// of the innermost loop.
static constexpr int64_t kRunRows = 64, kMaxRuns = 256;
/// Columns whose parts a thread of a CPU keeps at a time.
static constexpr int64_t kPartColumns = 1024;

ColumnSums::ColumnSums(LoopNest &nest)
    : nest(nest), op(nest.getOp()), loc(nest.getLoc()), lane(nest.getLane()) {
  for (int loop = nest.findClosed(0, /*reduction=*/true);
       loop < nest.getNumLoops();
       loop = nest.findClosed(loop + 1, /*reduction=*/true))
    rowLoops.push_back(loop);
  chooseRuns();
}

/// Does not cut few rows, nor rows of a reduction whose combiner or identity is
/// unknown.
void ColumnSums::chooseRuns() {
  for (size_t i = 0; i < op.getDpsInits().size(); ++i)
    if (!getCombinerOf(i) || !getIdentity(getCombinerOf(i)))
      return;
  for (int loop : ArrayRef<int>(rowLoops).drop_back())
    outerRows *= nest.getExtent(loop);
  const int64_t rows = nest.getExtent(rowLoops.back());
  int64_t run = kRunRows;
  while (run < rows && outerRows * llvm::divideCeil(rows, run) > kMaxRuns)
    run *= 2;
  run = std::min(run, rows);
  if (run < kColumnRows || run == outerRows * rows || outerRows > kMaxRuns)
    return;
  runRows = run;
  innerRuns = llvm::divideCeil(rows, run);
}

Type ColumnSums::getElementOf(size_t i) {
  return cast<MemRefType>(op.getDpsInits()[i].getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// Sums of a run
//===----------------------------------------------------------------------===//

void ColumnSums::createParts(int64_t columns) {
  // Inserts at the start of the kernel: `b`'s loops may not be attached to it
  // yet.
  auto kernel = op->getParentOfType<func::FuncOp>();
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  const Lanes &lanes = nest.getLanes();
  for (size_t i = 0; i < op.getDpsInits().size(); ++i)
    parts.push_back(memref::AllocaOp::create(
        top, loc,
        MemRefType::get({columns / lanes.stride * lanes.width},
                        getElementOf(i)),
        top.getI64IntegerAttr(64)));
}

/// The index of the open vector in a part.
Value ColumnSums::placeInPart(OpBuilder &b) {
  const Lanes &lanes = nest.getLanes();
  Value place = arith::SubIOp::create(b, loc, nest.getIndex(lane),
                                      firstOf(b, loc, lanes, first));
  return lanes.stride == lanes.width
             ? place
             : arith::DivUIOp::create(b, loc, place,
                                      index(b, lanes.stride / lanes.width));
}

SmallVector<Value> ColumnSums::loadParts(OpBuilder &b) {
  return llvm::map_to_vector(parts, [&](Value part) {
    return loadVector(b, loc, nest.getLanes(), part, placeInPart(b), Value());
  });
}

/// Stores whole vectors: lanes beyond the last column are never added.
void ColumnSums::storeParts(OpBuilder &b, ArrayRef<Value> values) {
  for (auto [part, value] : llvm::zip_equal(parts, values))
    storeVector(b, loc, nest.getLanes(), nest.asVector(b, value), part,
                placeInPart(b), Value());
}

void ColumnSums::clearParts(OpBuilder &b) {
  nest.forLane(b, [&](OpBuilder &inner, Value) {
    SmallVector<Value> zeros;
    for (size_t i = 0; i < parts.size(); ++i) {
      Attribute identity =
          b.getFloatAttr(getElementOf(i), *getIdentity(getCombinerOf(i)));
      auto type = VectorType::get({nest.getLanes().width}, getElementOf(i));
      zeros.push_back(arith::ConstantOp::create(
          inner, loc, DenseElementsAttr::get(type, identity)));
    }
    storeParts(inner, zeros);
  });
}

void ColumnSums::addParts(OpBuilder &b) {
  nest.forLane(b, [&](OpBuilder &inner, Value mask) {
    SmallVector<Value> sums = nest.loadInits(inner, mask);
    for (auto [i, part] : llvm::enumerate(loadParts(inner)))
      sums[i] = combine(inner, loc, getCombinerOf(i)->getName(),
                        nest.asVector(inner, sums[i]), part);
    nest.storeInits(inner, sums, mask);
  });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Adds `rows` of `loop` to every column, from `from` on.
void ColumnSums::addRows(OpBuilder &b, int loop, Value from, int64_t rows) {
  SmallVector<Value> at = nest.positionsFrom(b, from, rows, 1);
  // Reads the invariants of each row before its columns.
  IRMapping outside = nest.invariant;
  SmallVector<IRMapping> ofRow;
  for (Value row : at) {
    nest.open(loop, row);
    nest.hoistInvariants(b);
    ofRow.push_back(nest.invariant);
    nest.invariant = outside;
  }
  nest.forLane(b, [&](OpBuilder &inner, Value mask) {
    SmallVector<Value> sums =
        runRows ? loadParts(inner) : nest.loadInits(inner, mask);
    for (auto [row, values] : llvm::zip_equal(at, ofRow)) {
      nest.open(loop, row);
      nest.invariant = values;
      sums = nest.emitBody(inner, sums, mask);
    }
    nest.invariant = outside;
    if (runRows)
      storeParts(inner, sums);
    else
      nest.storeInits(inner, sums, mask);
  });
  nest.close(loop);
}

/// Adds [begin, begin + rows) of `loop`, 8 at a time.
void ColumnSums::addBlocks(OpBuilder &b, int loop, Value begin, int64_t rows) {
  const int64_t rest = rows % kColumnRows;
  Value whole = arith::AddIOp::create(b, loc, begin, index(b, rows - rest));
  if (rows > rest)
    scf::ForOp::create(b, loc, begin, whole, index(b, kColumnRows), {},
                       [&](OpBuilder &inner, Location, Value row, ValueRange) {
                         addRows(inner, loop, row, kColumnRows);
                         scf::YieldOp::create(inner, loc);
                       });
  if (rest > 0)
    addRows(b, loop, whole, rest);
}

void ColumnSums::addRun(OpBuilder &b, int loop, Value begin, int64_t rows) {
  clearParts(b);
  addBlocks(b, loop, begin, rows);
  addParts(b);
}

/// Opens the reduction loops from `loop` on, the innermost in runs or in blocks
/// of rows, and inside them the vector loop.
void ColumnSums::emitReductions(OpBuilder &b, int loop) {
  loop = nest.findClosed(loop, /*reduction=*/true);
  if (loop != rowLoops.back())
    return nest.forEach(
        b, loop, [&](OpBuilder &inner) { emitReductions(inner, loop + 1); });
  const int64_t extent = nest.getExtent(loop);
  if (runRows == 0)
    return addBlocks(b, loop, index(b, 0), extent);
  const int64_t rest = extent % runRows;
  Value whole = index(b, extent - rest);
  scf::ForOp::create(b, loc, index(b, 0), whole, index(b, runRows), {},
                     [&](OpBuilder &inner, Location, Value row, ValueRange) {
                       addRun(inner, loop, row, runRows);
                       scf::YieldOp::create(inner, loc);
                     });
  if (rest > 0)
    addRun(b, loop, whole, rest);
}

void ColumnSums::forColumns(OpBuilder &b,
                            llvm::function_ref<void(OpBuilder &)> emit) {
  const Lanes &lanes = nest.getLanes();
  const int64_t columns = lanes.isGroup() ? lanes.stride : kPartColumns;
  createParts(columns);
  auto [lower, upper] = nest.getBounds(b, lane);
  Value step = index(b, columns);
  scf::ForOp::create(
      b, loc, lower, upper, step, {},
      [&, end = upper](OpBuilder &inner, Location, Value begin, ValueRange) {
        first = begin;
        Value next = arith::AddIOp::create(inner, loc, begin, step);
        nest.cutLane(begin, arith::MinUIOp::create(inner, loc, next, end));
        emit(inner);
        nest.cutLane(Value(), Value());
        scf::YieldOp::create(inner, loc);
      });
}

void ColumnSums::emit(OpBuilder &b) {
  if (runRows == 0)
    return emitReductions(b, 0);
  if (nest.getRowShare().groups > 0)
    return emitByBlock(b);
  forColumns(b, [&](OpBuilder &inner) { emitReductions(inner, 0); });
}

ColumnRuns zero::getColumnRuns(linalg::LinalgOp op,
                               const LoopContext &context) {
  LoopNest nest(op, context);
  if (nest.getLane() < 0 || nest.isReduction(nest.getLane()) ||
      nest.findClosed(0, /*reduction=*/true) == nest.getNumLoops())
    return {};
  int64_t bytes = 0;
  for (Value init : op.getDpsInits())
    bytes += cast<MemRefType>(init.getType()).getElementTypeBitWidth() / 8;
  const int64_t runs = ColumnSums(nest).getNumRuns();
  return {runs, runs * kBlockColumns * bytes};
}
