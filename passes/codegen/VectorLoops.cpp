//===- VectorLoops.cpp - From a linalg operation to vector loops ----------===//
//
// The loops of an operation on memrefs are emitted as
//
//   rows                   given by the kernel
//   other parallel loops   one scf.for each
//   the contiguous loop    in vectors of 16, the rest masked
//   reductions             innermost, accumulators in registers
//
// A sum of columns adds 8 rows at a time to all columns of its range, from left
// to right: memory is read in 8 long runs, and the sums stay in cache.
//
// When the contiguous loop is itself a reduction it comes last: 16 lanes
// accumulate separately and are combined pairwise at the end, so the order of a
// sum depends on the shape alone.  Four such vectors take turns where the loop
// is long enough: one would wait for each addition before the next.  Values
// that the vector loop does not change stay scalar, and those that no loop
// changes are computed before the loops.
//
// An operation that walks some operand across memory (a transpose), or whose
// reduction is not of a known kind, gets scalar loops.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/kernels/Clusters.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Rows that are added to columns at once.
constexpr int64_t kColumnRows = 8;
/// Vectors that take turns in accumulating a row.
constexpr int64_t kRowVectors = 4;

class Emitter {
public:
  Emitter(linalg::LinalgOp op, const LoopContext &context)
      : op(op), context(context), loc(op.getLoc()), body(op.getBlock()),
        extents(op.getStaticLoopRanges()),
        iterators(op.getIteratorTypesArray()), index(op.getNumLoops()) {

    for (auto [i, row] : llvm::enumerate(context.rows))
      index[i] = row;
  }

  LogicalResult emit(OpBuilder &b) {
    for (OpOperand &operand : op->getOpOperands())
      for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
        if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
          return op->emitError(
                     "has an indexing map that row kernels do not support: ")
                 << AffineMapAttr::get(op.getMatchingIndexingMap(&operand));
    lane = contiguousLoop(op);
    if (lane >= 0 && index[lane])
      lane = -1; // the row itself
    if (lane >= 0 && !canVectorize()) {
      if (context.columnBegin)
        scalarColumn = lane;
      lane = -1;
    }
    hoistInvariants(b);
    emitParallel(b, 0);
    return success();
  }

private:
  linalg::LinalgOp op;
  const LoopContext &context;
  Location loc;
  Block *body;
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<Value> index; ///< of each loop that is open
  int lane = -1;            ///< the vector loop, or -1
  int scalarColumn = -1;    ///< the contiguous loop of a scalar column kernel
  IRMapping invariant;      ///< body values that no loop changes

  bool isReduction(int loop) const {
    return iterators[loop] == utils::IteratorType::reduction;
  }

  //===--------------------------------------------------------------------===//
  // Analysis
  //===--------------------------------------------------------------------===//

  bool dependsOn(AffineMap map, int loop) const {
    return map.isFunctionOfDim(static_cast<unsigned>(loop));
  }

  bool isContiguousIn(Value operand, AffineMap map) const {
    unsigned uses = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      return dim && static_cast<int>(dim.getPosition()) == lane;
    });
    auto last = dyn_cast<AffineDimExpr>(map.getResult(map.getNumResults() - 1));
    if (uses != 1 || !last || static_cast<int>(last.getPosition()) != lane)
      return false;
    SmallVector<int64_t> strides;
    int64_t offset;
    return succeeded(cast<MemRefType>(operand.getType())
                         .getStridesAndOffset(strides, offset)) &&
           strides.back() == 1;
  }

  bool canVectorize() {
    if (extents[lane] < kLanes / 2 && !context.columnBegin)
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (isa<MemRefType>(operand.get().getType()) && dependsOn(map, lane) &&
          !isContiguousIn(operand.get(), map))
        return false;
      if (op.isDpsInit(&operand) && dependsOn(map, lane) == isReduction(lane))
        return false;
    }
    if (isReduction(lane))
      for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
        if (!combiner(i) || !identity(combiner(i)))
          return false;
    for (Operation &inner : body->without_terminator()) {
      if (isa<linalg::IndexOp, arith::ConstantOp>(inner))
        continue;
      if (auto load = dyn_cast<memref::LoadOp>(inner)) {
        for (auto [i, position] : llvm::enumerate(load.getIndices())) {
          bool last = i + 1 == load.getIndices().size();
          auto loop = position.getDefiningOp<linalg::IndexOp>();
          bool onLane = loop && static_cast<int>(loop.getDim()) == lane;
          if (onLane && last)
            continue;
          if (onLane || variesWithLane(position))
            return false;
        }
        continue;
      }
      if (!OpTrait::hasElementwiseMappableTraits(&inner))
        return false;
    }
    return true;
  }

  bool variesWithLane(Value value) {
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() != body)
        return false;
      return dependsOn(
          op.getMatchingIndexingMap(&op->getOpOperand(arg.getArgNumber())),
          lane);
    }
    Operation *def = value.getDefiningOp();
    if (def->getBlock() != body)
      return false;
    if (auto loop = dyn_cast<linalg::IndexOp>(def))
      return static_cast<int>(loop.getDim()) == lane;
    return llvm::any_of(def->getOperands(),
                        [&](Value operand) { return variesWithLane(operand); });
  }

  /// The operation that adds to accumulator `i`, if it is the accumulator's one
  /// use and yields the result.
  Operation *combiner(unsigned i) {
    BlockArgument acc = body->getArgument(op.getNumDpsInputs() + i);
    Operation *def = body->getTerminator()->getOperand(i).getDefiningOp();
    if (!def || !acc.hasOneUse() || *acc.user_begin() != def ||
        def->getNumOperands() != 2)
      return nullptr;
    return def;
  }

  std::optional<double> identity(Operation *combine) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (isa<arith::AddFOp>(combine))
      return 0.0;
    if (isa<arith::MulFOp>(combine))
      return 1.0;
    if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combine))
      return -infinity;
    if (isa<arith::MinimumFOp, arith::MinNumFOp>(combine))
      return infinity;
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  SmallVector<Value> indicesOf(OpBuilder &b, OpOperand &operand) {
    SmallVector<Value> indices;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        indices.push_back(index[dim.getPosition()]);
      else
        indices.push_back(arith::ConstantIndexOp::create(
            b, loc, cast<AffineConstantExpr>(expr).getValue()));
    }
    if (context.rowBuffers.contains(operand.get()))
      indices.erase(indices.begin(), indices.begin() + context.rows.size());
    return indices;
  }

  Value bufferOf(OpOperand &operand) {
    auto found = context.rowBuffers.find(operand.get());
    return found == context.rowBuffers.end() ? operand.get() : found->second;
  }

  bool onLane(OpOperand &operand) {
    return lane >= 0 && dependsOn(op.getMatchingIndexingMap(&operand), lane);
  }

  Value load(OpBuilder &b, OpOperand &operand, Value mask) {
    if (!isa<MemRefType>(operand.get().getType()))
      return operand.get();
    SmallVector<Value> indices = indicesOf(b, operand);
    if (onLane(operand))
      return loadVector(b, loc, bufferOf(operand), indices, mask);
    return memref::LoadOp::create(b, loc, bufferOf(operand), indices);
  }

  void store(OpBuilder &b, OpOperand &operand, Value value, Value mask) {
    SmallVector<Value> indices = indicesOf(b, operand);
    if (onLane(operand))
      storeVector(b, loc, asVector(b, value), bufferOf(operand), indices, mask);
    else
      memref::StoreOp::create(b, loc, value, bufferOf(operand), indices);
  }

  Value asVector(OpBuilder &b, Value value) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(
        b, loc, VectorType::get({kLanes}, value.getType()), value);
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  bool isOpen(int loop) const { return static_cast<bool>(index[loop]); }

  Value constantIndex(OpBuilder &b, int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  std::pair<Value, Value> bounds(OpBuilder &b, int loop) {
    if (context.columnBegin && (loop == lane || loop == scalarColumn))
      return {context.columnBegin, context.columnEnd};
    return {constantIndex(b, 0), constantIndex(b, extents[loop])};
  }

  /// Opens the parallel loops from `loop` on, but not the vector loop.
  void emitParallel(OpBuilder &b, int loop) {
    int count = extents.size();
    while (loop < count && (isOpen(loop) || isReduction(loop) || loop == lane))
      ++loop;
    if (loop < count) {
      auto [lower, upper] = bounds(b, loop);
      auto nest = scf::ForOp::create(b, loc, lower, upper, constantIndex(b, 1));
      OpBuilder inner = OpBuilder::atBlockBegin(nest.getBody());
      index[loop] = nest.getInductionVar();
      emitParallel(inner, loop + 1);
      index[loop] = nullptr;
      return;
    }
    if (lane < 0)
      return emitPoint(b, Value());
    if (isReduction(lane))
      return emitLaneReduction(b);
    if (hasReductions())
      return emitColumns(b, 0);
    forLane(b, [&](OpBuilder &inner, Value mask) { emitPoint(inner, mask); });
  }

  /// The vector loop, where it carries nothing.
  void forLane(OpBuilder &b,
               llvm::function_ref<void(OpBuilder &, Value mask)> emit) {
    auto [lower, upper] = bounds(b, lane);
    forVectors(b, loc, lower, upper, {},
               [&](OpBuilder &inner, Value first, Value mask, ValueRange) {
                 index[lane] = first;
                 emit(inner, mask);
                 index[lane] = nullptr;
                 return SmallVector<Value>();
               });
  }

  bool hasReductions() {
    return llvm::any_of(llvm::seq<int>(0, extents.size()), [&](int loop) {
      return isReduction(loop) && !isOpen(loop);
    });
  }

  /// Opens the reduction loops from `loop` on, the innermost in blocks of rows,
  /// and inside them the vector loop.
  void emitColumns(OpBuilder &b, int loop) {
    int count = extents.size(), inner = loop;
    auto isNext = [&](int i) { return !isOpen(i) && isReduction(i); };
    while (!isNext(loop))
      ++loop;
    for (inner = loop + 1; inner < count && !isNext(inner);)
      ++inner;
    int64_t step = inner < count ? 1 : kColumnRows;
    int64_t whole = extents[loop] / step * step;
    if (whole > 0) {
      auto nest =
          scf::ForOp::create(b, loc, constantIndex(b, 0),
                             constantIndex(b, whole), constantIndex(b, step));
      OpBuilder at = OpBuilder::atBlockBegin(nest.getBody());
      index[loop] = nest.getInductionVar();
      if (inner < count)
        emitColumns(at, loop);
      else
        addRows(at, loop, step);
    }
    if (whole < extents[loop]) {
      index[loop] = constantIndex(b, whole);
      addRows(b, loop, extents[loop] - whole);
    }
    index[loop] = nullptr;
  }

  /// Adds `rows` of loop `loop` to every column, from the open index on.
  void addRows(OpBuilder &b, int loop, int64_t rows) {
    SmallVector<Value> at = {index[loop]};
    for (int64_t i = 1; i < rows; ++i)
      at.push_back(
          arith::AddIOp::create(b, loc, index[loop], constantIndex(b, i)));
    // What a row has once is read before its columns.
    IRMapping outside = invariant;
    SmallVector<IRMapping> ofRow;
    for (Value row : at) {
      index[loop] = row;
      hoistInvariants(b);
      ofRow.push_back(invariant);
      invariant = outside;
    }
    forLane(b, [&](OpBuilder &inner, Value mask) {
      SmallVector<Value> sums = loadInits(inner, mask);
      for (auto [row, values] : llvm::zip_equal(at, ofRow)) {
        index[loop] = row;
        invariant = values;
        sums = emitBody(inner, sums, mask);
      }
      invariant = outside;
      storeInits(inner, sums, mask);
    });
  }

  SmallVector<Value> loadInits(OpBuilder &b, Value mask) {
    SmallVector<Value> values;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      bool used = !body->getArgument(init.getOperandNumber()).use_empty();
      values.push_back(used ? load(b, init, mask) : Value());
    }
    return values;
  }

  void storeInits(OpBuilder &b, ArrayRef<Value> values, Value mask) {
    for (auto [init, value] : llvm::zip(op.getDpsInitsMutable(), values))
      store(b, init, value, mask);
  }

  /// Everything for one index of the parallel loops (one vector, or a scalar).
  void emitPoint(OpBuilder &b, Value mask) {
    storeInits(b, emitReductions(b, 0, loadInits(b, mask), mask), mask);
  }

  void openLane(Value first) { index[lane] = first; }

  /// `first` and the vectors behind it.
  SmallVector<Value> vectorsFrom(OpBuilder &b, Value first, int64_t count) {
    SmallVector<Value> firsts = {first};
    for (int64_t i = 1; i < count; ++i)
      firsts.push_back(
          arith::AddIOp::create(b, loc, first, constantIndex(b, i * kLanes)));
    return firsts;
  }

  /// Opens the reduction loops from `loop` on, carrying the accumulators.
  SmallVector<Value> emitReductions(OpBuilder &b, int loop,
                                    ArrayRef<Value> accumulators, Value mask) {
    int count = extents.size();
    while (loop < count && (isOpen(loop) || !isReduction(loop) || loop == lane))
      ++loop;
    if (loop >= count)
      return emitBody(b, accumulators, mask);
    auto [lower, upper] = bounds(b, loop);
    auto nest = scf::ForOp::create(b, loc, lower, upper, constantIndex(b, 1),
                                   accumulators);
    OpBuilder inner = OpBuilder::atBlockBegin(nest.getBody());
    index[loop] = nest.getInductionVar();
    SmallVector<Value> carried(nest.getRegionIterArgs());
    SmallVector<Value> next = emitReductions(inner, loop + 1, carried, mask);
    index[loop] = nullptr;
    inner.setInsertionPointToEnd(nest.getBody());
    scf::YieldOp::create(inner, loc, next);
    return SmallVector<Value>(nest.getResults());
  }

  /// One accumulator of lanes for each result.
  SmallVector<Value> identities(OpBuilder &b) {
    SmallVector<Value> lanes;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      auto type = VectorType::get(
          {kLanes}, body->getTerminator()->getOperand(i).getType());
      lanes.push_back(arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(
              type,
              b.getFloatAttr(type.getElementType(), *identity(combiner(i))))));
    }
    return lanes;
  }

  /// `x` and `y` by the operation that adds to accumulator `i`.
  Value combine(OpBuilder &b, unsigned i, Value x, Value y) {
    OperationState state(loc, combiner(i)->getName(), ValueRange{x, y},
                         x.getType());
    return b.create(state)->getResult(0);
  }

  /// The vector loop is a reduction: lanes first, then pairwise.
  void emitLaneReduction(OpBuilder &b) {
    SmallVector<Value> lanes = emitLaneReductions(b, 0, identities(b));
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      Value total = combineLanes(b, loc, combiner(i)->getName(), lanes[i]);
      Value start = load(b, init, Value());
      store(b, init, combine(b, i, start, total), Value());
    }
  }

  SmallVector<Value> emitLaneReductions(OpBuilder &b, int loop,
                                        ArrayRef<Value> lanes) {
    int count = extents.size();
    while (loop < count && (isOpen(loop) || !isReduction(loop) || loop == lane))
      ++loop;
    if (loop < count) {
      auto [lower, upper] = bounds(b, loop);
      auto nest =
          scf::ForOp::create(b, loc, lower, upper, constantIndex(b, 1), lanes);
      OpBuilder inner = OpBuilder::atBlockBegin(nest.getBody());
      index[loop] = nest.getInductionVar();
      SmallVector<Value> carried(nest.getRegionIterArgs());
      SmallVector<Value> next = emitLaneReductions(inner, loop + 1, carried);
      index[loop] = nullptr;
      inner.setInsertionPointToEnd(nest.getBody());
      scf::YieldOp::create(inner, loc, next);
      return SmallVector<Value>(nest.getResults());
    }
    auto [lower, upper] = bounds(b, lane);
    SmallVector<Value> start(lanes);
    if (extents[lane] >= 2 * kRowVectors * kLanes && !context.columnBegin) {
      int64_t step = kRowVectors * kLanes;
      Value end = constantIndex(b, extents[lane] / step * step);
      start = emitTurns(b, lower, end, lanes);
      lower = end;
    }
    return forVectors(
        b, loc, lower, upper, start,
        [&](OpBuilder &inner, Value first, Value mask, ValueRange carried) {
          index[lane] = first;
          SmallVector<Value> current(carried);
          SmallVector<Value> next = emitBody(inner, current, mask);
          index[lane] = nullptr;
          // Lanes off the mask keep what they have.
          for (auto [value, old] : llvm::zip(next, current)) {
            value = asVector(inner, value);
            if (mask)
              value = arith::SelectOp::create(inner, loc, mask, value, old);
          }
          return next;
        });
  }

  /// Accumulates [lower, upper), whole turns of kRowVectors vectors each.
  SmallVector<Value> emitTurns(OpBuilder &b, Value lower, Value upper,
                               ArrayRef<Value> lanes) {
    unsigned inits = lanes.size();
    SmallVector<Value> start(lanes);
    for (int64_t i = 1; i < kRowVectors; ++i)
      llvm::append_range(start, identities(b));
    auto nest = scf::ForOp::create(
        b, loc, lower, upper, constantIndex(b, kRowVectors * kLanes), start);
    OpBuilder inner = OpBuilder::atBlockBegin(nest.getBody());
    SmallVector<Value> carried(nest.getRegionIterArgs()), next;
    for (auto [i, first] : llvm::enumerate(
             vectorsFrom(inner, nest.getInductionVar(), kRowVectors))) {
      openLane(first);
      ArrayRef<Value> current =
          ArrayRef<Value>(carried).slice(i * inits, inits);
      for (Value value : emitBody(inner, current, Value()))
        next.push_back(asVector(inner, value));
    }
    openLane(Value());
    scf::YieldOp::create(inner, loc, next);
    SmallVector<Value> sums(nest.getResults());
    for (int64_t half = kRowVectors / 2; half >= 1; half /= 2)
      for (unsigned i = 0; i < half * inits; ++i)
        sums[i] = combine(b, i % inits, sums[i], sums[half * inits + i]);
    sums.truncate(inits);
    return sums;
  }

  //===--------------------------------------------------------------------===//
  // The body
  //===--------------------------------------------------------------------===//

  /// Loads and arithmetic that only depend on rows, before any loop.
  void hoistInvariants(OpBuilder &b) {
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      bool open = llvm::all_of(
          llvm::seq<unsigned>(0, op.getNumLoops()),
          [&](unsigned loop) { return isOpen(loop) || !dependsOn(map, loop); });
      BlockArgument arg = body->getArgument(operand.getOperandNumber());
      if (open && !op.isDpsInit(&operand) && !arg.use_empty())
        invariant.map(arg, load(b, operand, Value()));
    }
    for (Operation &inner : body->without_terminator()) {
      bool fixed = isa<arith::ConstantOp>(inner) ||
                   (OpTrait::hasElementwiseMappableTraits(&inner) &&
                    llvm::all_of(inner.getOperands(), [&](Value operand) {
                      return invariant.contains(operand) ||
                             operand.getParentBlock() != body;
                    }));
      if (fixed)
        b.clone(inner, invariant);
    }
  }

  SmallVector<Value> emitBody(OpBuilder &b, ArrayRef<Value> accumulators,
                              Value mask) {
    IRMapping map(invariant);
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument arg = body->getArgument(operand.getOperandNumber());
      if (op.isDpsInit(&operand)) {
        if (Value acc =
                accumulators[operand.getOperandNumber() - op.getNumDpsInputs()])
          map.map(arg, acc);
      } else if (!arg.use_empty() && !map.contains(arg)) {
        map.map(arg, load(b, operand, mask));
      }
    }
    for (Operation &inner : body->without_terminator())
      if (inner.getNumResults() == 0 || !map.contains(inner.getResult(0)))
        emitBodyOp(b, inner, map, mask);
    SmallVector<Value> results;
    for (Value value : body->getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(value));
    return results;
  }

  void emitBodyOp(OpBuilder &b, Operation &inner, IRMapping &map, Value mask) {
    if (auto loop = dyn_cast<linalg::IndexOp>(inner)) {
      Value position = index[loop.getDim()];
      if (static_cast<int>(loop.getDim()) == lane) {
        auto type = VectorType::get({kLanes}, b.getIndexType());
        Value step = vector::StepOp::create(b, loc, type);
        position = arith::AddIOp::create(b, loc, asVector(b, position), step);
      }
      map.map(loop.getResult(), position);
      return;
    }
    if (auto access = dyn_cast<memref::LoadOp>(inner)) {
      SmallVector<Value> indices;
      bool contiguous = false;
      for (Value position : access.getIndices()) {
        auto loop = position.getDefiningOp<linalg::IndexOp>();
        if (loop && static_cast<int>(loop.getDim()) == lane) {
          indices.push_back(index[lane]);
          contiguous = true;
        } else {
          indices.push_back(map.lookupOrDefault(position));
        }
      }
      Value value =
          contiguous
              ? loadVector(b, loc, access.getMemRef(), indices, mask)
              : memref::LoadOp::create(b, loc, access.getMemRef(), indices)
                    .getResult();
      map.map(access.getResult(), value);
      return;
    }
    bool vectors = llvm::any_of(inner.getOperands(), [&](Value operand) {
      return isa<VectorType>(map.lookupOrDefault(operand).getType());
    });
    if (!vectors) {
      b.clone(inner, map);
      return;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(asVector(b, map.lookupOrDefault(operand)));
    SmallVector<Type> types;
    for (Type type : inner.getResultTypes())
      types.push_back(VectorType::get({kLanes}, type));
    OperationState state(loc, inner.getName(), operands, types,
                         inner.getAttrs());
    state.propertiesAttr = inner.getPropertiesAsAttribute();
    map.map(inner.getResults(), b.create(state)->getResults());
  }
};

} // namespace

LogicalResult zero::emitVectorLoops(OpBuilder &b, linalg::LinalgOp op,
                                    const LoopContext &context) {
  return Emitter(op, context).emit(b);
}
