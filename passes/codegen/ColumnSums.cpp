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
// Many rows are cut into runs.  Each has a sum of its own, and these are added in
// order: what is added up is longer by far than what one run adds to, and a GPU
// can sum runs side by side.
//
//   for each run of rows
//     part[c] = 0; part[c] += its rows, as above; sum[c] += part[c]
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Rows that are added to columns at once.
constexpr int64_t kColumnRows = 8;
/// Rows of a run, and runs at most: with more rows, runs are longer.
constexpr int64_t kRunRows = 64, kMaxRuns = 512;
/// Columns whose parts a thread of a CPU keeps.
constexpr int64_t kPartColumns = 1024;

class ColumnSums {
public:
  explicit ColumnSums(LoopNest &nest)
      : nest(nest), op(nest.getOp()), loc(nest.getLoc()), lane(nest.getLane()),
        runRows(chooseRun()) {}

  void emit(OpBuilder &b) {
    if (runRows == 0)
      return emitReductions(b, 0);
    const int64_t columns =
        nest.getLanes().isGroup() ? nest.getLanes().stride : kPartColumns;
    createParts(b, columns);
    auto [lower, upper] = nest.getBounds(b, lane);
    Value step = index(b, columns);
    scf::ForOp::create(
        b, loc, lower, upper, step, {},
        [&, end = upper](OpBuilder &inner, Location, Value begin, ValueRange) {
          first = begin;
          Value next = arith::AddIOp::create(inner, loc, begin, step);
          nest.cutLane(begin, arith::MinUIOp::create(inner, loc, next, end));
          emitReductions(inner, 0);
          nest.cutLane(Value(), Value());
          scf::YieldOp::create(inner, loc);
        });
  }

private:
  LoopNest &nest;
  linalg::LinalgOp op;
  Location loc;
  int lane;
  int64_t runRows; ///< 0: rows are not cut
  /// Sums of a run, of the columns from `first` on.
  SmallVector<Value> parts;
  Value first;

  Value index(OpBuilder &b, int64_t value) {
    return nest.constantIndex(b, value);
  }

  /// Of the innermost reduction; 0 where there are few, or what is summed up is
  /// not known to be a sum.
  int64_t chooseRun() {
    int64_t rows = 1, inner = 1;
    for (int loop = 0; loop < nest.getNumLoops(); ++loop)
      if (nest.isReduction(loop) && !nest.isOpen(loop)) {
        inner = nest.getExtent(loop);
        rows *= inner;
      }
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
      if (Operation *combiner = getCombiner(op, i);
          !combiner || !getIdentity(combiner))
        return 0;
    int64_t run = kRunRows;
    while (run * kMaxRuns < rows)
      run *= 2;
    return inner > run ? run : 0;
  }

  void createParts(OpBuilder &b, int64_t columns) {
    auto kernel =
        b.getInsertionBlock()->getParent()->getParentOfType<func::FuncOp>();
    OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
    const int64_t mine =
        columns / nest.getLanes().stride * nest.getLanes().width;
    for (Value init : op.getDpsInits()) {
      auto type = MemRefType::get(
          {mine}, cast<MemRefType>(init.getType()).getElementType());
      parts.push_back(
          memref::AllocaOp::create(top, loc, type, b.getI64IntegerAttr(64)));
    }
  }

  /// Where the open vector lies in a part.
  Value placeInPart(OpBuilder &b) {
    const Lanes &lanes = nest.getLanes();
    Value place = arith::SubIOp::create(b, loc, nest.getIndex(lane),
                                        firstOf(b, loc, lanes, first));
    return lanes.stride == lanes.width
               ? place
               : arith::DivUIOp::create(b, loc, place,
                                        index(b, lanes.stride / lanes.width));
  }

  SmallVector<Value> loadParts(OpBuilder &b) {
    SmallVector<Value> values;
    for (Value part : parts)
      values.push_back(
          loadVector(b, loc, nest.getLanes(), part, placeInPart(b), Value()));
    return values;
  }
  /// Whole vectors: what lies beyond the last column is never added.
  void storeParts(OpBuilder &b, ArrayRef<Value> values) {
    for (auto [part, value] : llvm::zip_equal(parts, values))
      storeVector(b, loc, nest.getLanes(), nest.asVector(b, value), part,
                  placeInPart(b), Value());
  }

  SmallVector<Value> loadSums(OpBuilder &b, Value mask) {
    return runRows ? loadParts(b) : nest.loadInits(b, mask);
  }
  void storeSums(OpBuilder &b, ArrayRef<Value> values, Value mask) {
    if (runRows)
      storeParts(b, values);
    else
      nest.storeInits(b, values, mask);
  }

  void clearParts(OpBuilder &b) {
    nest.forLane(b, [&](OpBuilder &inner, Value) {
      SmallVector<Value> zeros;
      for (auto [i, part] : llvm::enumerate(parts)) {
        Type element = cast<MemRefType>(part.getType()).getElementType();
        Attribute identity =
            b.getFloatAttr(element, *getIdentity(getCombiner(op, i)));
        auto type = VectorType::get({nest.getLanes().width}, element);
        zeros.push_back(arith::ConstantOp::create(
            inner, loc, DenseElementsAttr::get(type, identity)));
      }
      storeParts(inner, zeros);
    });
  }

  void addParts(OpBuilder &b) {
    nest.forLane(b, [&](OpBuilder &inner, Value mask) {
      SmallVector<Value> sums = nest.loadInits(inner, mask);
      for (auto [i, part] : llvm::enumerate(loadParts(inner)))
        sums[i] = combine(inner, loc, getCombiner(op, i)->getName(),
                          nest.asVector(inner, sums[i]), part);
      nest.storeInits(inner, sums, mask);
    });
  }

  /// Adds `rows` of loop `loop` to every column, from `first` on.
  void addRows(OpBuilder &b, int loop, Value from, int64_t rows) {
    SmallVector<Value> at = nest.positionsFrom(b, from, rows, 1);
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
      SmallVector<Value> sums = loadSums(inner, mask);
      for (auto [row, values] : llvm::zip_equal(at, ofRow)) {
        nest.open(loop, row);
        nest.invariant = values;
        sums = nest.emitBody(inner, sums, mask);
      }
      nest.invariant = outside;
      storeSums(inner, sums, mask);
    });
    nest.close(loop);
  }

  /// Adds [begin, begin + rows) of the innermost reduction in blocks.
  void addBlocks(OpBuilder &b, int loop, Value begin, int64_t rows) {
    const int64_t rest = rows % kColumnRows;
    auto past = [&](int64_t count) -> Value {
      return arith::AddIOp::create(b, loc, begin, index(b, count));
    };
    Value whole = past(rows - rest);
    if (rows > rest)
      scf::ForOp::create(
          b, loc, begin, whole, index(b, kColumnRows), {},
          [&](OpBuilder &inner, Location, Value row, ValueRange) {
            addRows(inner, loop, row, kColumnRows);
            scf::YieldOp::create(inner, loc);
          });
    if (rest > 0)
      addRows(b, loop, whole, rest);
  }

  void addRun(OpBuilder &b, int loop, Value begin, int64_t rows) {
    clearParts(b);
    addBlocks(b, loop, begin, rows);
    addParts(b);
  }

  /// Opens the reduction loops from `loop` on, the innermost in blocks of rows,
  /// and inside them the vector loop.
  void emitReductions(OpBuilder &b, int loop) {
    loop = nest.findClosed(loop, /*reduction=*/true);
    if (nest.findClosed(loop + 1, /*reduction=*/true) < nest.getNumLoops())
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
};

} // namespace

void zero::emitColumnSums(OpBuilder &b, LoopNest &nest) {
  ColumnSums(nest).emit(b);
}
