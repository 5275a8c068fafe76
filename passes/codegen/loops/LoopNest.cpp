//===- LoopNest.cpp - The loops around one operation, and its body --------===//
//
// The body is emitted at the current indices of its loops.  In the vector loop,
// values are vectors of lanes.  Values that do not depend on that loop stay
// scalar until they meet a vector, and values that depend on no closed loop are
// computed before the loops:
//
//   y[r, c] = x[r, c] * (1 / s[r])        row r is open
//
//     %s = memref.load s[r]               hoisted: no closed loop changes it
//     %i = arith.divf 1, %s
//     for c in vectors of 16
//       %x = vector.load x[r, c]
//       %b = vector.broadcast %i
//       vector.store (%x * %b), y[r, c]
//
// Why this is not linalg::vectorize: here the order of every sum is fixed.  It
// is written down as loops, with 16 lanes whatever the processor's vectors are
// (VectorLoops, ColumnSums, RowSums), and follows from the operation and its
// shape: a step has the same bits at every stage, with any number of threads,
// and with any width of vectors.  Upstream's vectorizer makes a reduction one
// vector.multi_reduction or vector.contract, which say nothing of the order of
// their additions: that is left to the patterns that lower them.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/LoopNest.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::zero;

static bool dependsOn(AffineMap map, int loop) {
  return map.isFunctionOfDim(static_cast<unsigned>(loop));
}

LoopNest::LoopNest(linalg::LinalgOp op, const LoopContext &context)
    : op(op), context(context), loc(op.getLoc()), body(op.getBlock()),
      extents(op.getStaticLoopRanges()), iterators(op.getIteratorTypesArray()),
      index(op.getNumLoops()) {
  for (auto [i, row] : llvm::enumerate(context.rows))
    index[i] = row;
  LaneChoice choice = chooseLane(op, context);
  contiguous = choice.contiguous;
  lane = choice.vectors ? contiguous : -1;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

int LoopNest::findClosed(int loop, bool reduction) const {
  while (loop < getNumLoops() &&
         (isOpen(loop) || isReduction(loop) != reduction || loop == lane))
    ++loop;
  return loop;
}

Value LoopNest::constantIndex(OpBuilder &b, int64_t value) const {
  return arith::ConstantIndexOp::create(b, loc, value);
}

SmallVector<Value> LoopNest::positionsFrom(OpBuilder &b, Value first,
                                           int64_t count, int64_t step) const {
  SmallVector<Value> positions = {first};
  for (int64_t i = 1; i < count; ++i)
    positions.push_back(
        arith::AddIOp::create(b, loc, first, constantIndex(b, i * step)));
  return positions;
}

std::pair<Value, Value> LoopNest::getBounds(OpBuilder &b, int loop) const {
  if (loop == lane && part.first)
    return part;
  if (isCut(loop))
    return {context.columnBegin, context.columnEnd};
  return {constantIndex(b, 0), constantIndex(b, extents[loop])};
}

void LoopNest::forLane(OpBuilder &b,
                       llvm::function_ref<void(OpBuilder &, Value)> emit) {
  auto [lower, upper] = getBounds(b, lane);
  forVectors(b, loc, context.lanes, lower, upper, {},
             [&](OpBuilder &inner, Value first, Value mask, ValueRange) {
               open(lane, first);
               emit(inner, mask);
               close(lane);
               return SmallVector<Value>();
             });
}

SmallVector<Value> LoopNest::forCarried(
    OpBuilder &b, int loop, ArrayRef<Value> values,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ArrayRef<Value>)> emit) {
  auto [lower, upper] = getBounds(b, loop);
  auto nest = scf::ForOp::create(
      b, loc, lower, upper, constantIndex(b, 1), values,
      [&](OpBuilder &inner, Location, Value at, ValueRange carried) {
        open(loop, at);
        scf::YieldOp::create(inner, loc,
                             emit(inner, SmallVector<Value>(carried)));
        close(loop);
      });
  return nest.getResults();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

SmallVector<Value> LoopNest::indicesOf(OpBuilder &b, OpOperand &operand) {
  SmallVector<Value> indices;
  ArrayRef<AffineExpr> positions =
      op.getMatchingIndexingMap(&operand).getResults();
  if (context.rowBuffers.contains(operand.get()))
    positions = positions.drop_front(context.rows.size());
  for (AffineExpr expr : positions)
    indices.push_back(affine::expandAffineExpr(b, loc, expr, index, {}));
  // A thread's own buffer holds only the thread's elements.
  if (context.owned.contains(bufferOf(operand))) {
    indices.back() = placeOfOwn(b, indices.back());
  }
  return indices;
}

/// The index of `element`, of a row, in the buffer of the thread that owns it.
Value LoopNest::placeOfOwn(OpBuilder &b, Value element) const {
  const Lanes &lanes = context.lanes;
  Value chunks;
  if (lanes.team > 0) {
    Value size = constantIndex(b, kChunk);
    chunks = arith::DivUIOp::create(b, loc, element,
                                    constantIndex(b, kChunk * lanes.team));
    element = arith::RemUIOp::create(b, loc, element, size);
  }
  Value own = arith::SubIOp::create(
      b, loc, element, firstOf(b, loc, lanes, constantIndex(b, 0)));
  const int64_t ratio = lanes.stride / lanes.width;
  own = arith::DivUIOp::create(b, loc, own, constantIndex(b, ratio));
  if (!chunks)
    return own;
  return arith::AddIOp::create(
      b, loc, own,
      arith::MulIOp::create(b, loc, chunks, constantIndex(b, kChunk / ratio)));
}

Value LoopNest::bufferOf(OpOperand &operand) const {
  auto found = context.rowBuffers.find(operand.get());
  return found == context.rowBuffers.end() ? operand.get() : found->second;
}

bool LoopNest::onLane(OpOperand &operand) {
  return lane >= 0 && dependsOn(op.getMatchingIndexingMap(&operand), lane);
}

bool LoopNest::isAtLane(OpOperand &operand) {
  AffineExpr last = op.getMatchingIndexingMap(&operand).getResults().back();
  return last == getAffineDimExpr(lane, last.getContext());
}

Value LoopNest::load(OpBuilder &b, OpOperand &operand, Value mask) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  SmallVector<Value> indices = indicesOf(b, operand);
  if (onLane(operand))
    return loadVector(b, loc, context.lanes, bufferOf(operand), indices, mask,
                      isAtLane(operand));
  return memref::LoadOp::create(b, loc, bufferOf(operand), indices);
}

bool LoopNest::isReplicated(OpOperand &operand) {
  return !context.lanes.isGroup() ||
         bufferOf(operand).getDefiningOp<memref::AllocaOp>();
}

void LoopNest::onOneThread(OpBuilder &b, bool every,
                           llvm::function_ref<void(OpBuilder &)> emit) {
  if (every || !context.lanes.isGroup())
    return emit(b);
  auto isZero = [&](Value value) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value,
                                 constantIndex(b, 0));
  };
  Value isFirst = isZero(context.lanes.thread);
  if (context.lanes.team > 0)
    isFirst =
        arith::AndIOp::create(b, loc, isFirst, isZero(context.lanes.member));
  scf::IfOp::create(b, loc, isFirst, [&](OpBuilder &inner, Location) {
    emit(inner);
    scf::YieldOp::create(inner, loc);
  });
}

void LoopNest::store(OpBuilder &b, OpOperand &operand, Value value,
                     Value mask) {
  SmallVector<Value> indices = indicesOf(b, operand);
  if (onLane(operand))
    storeVector(b, loc, context.lanes, asVector(b, value), bufferOf(operand),
                indices, mask, isAtLane(operand));
  else
    memref::StoreOp::create(b, loc, value, bufferOf(operand), indices);
}

SmallVector<Value> LoopNest::loadInits(OpBuilder &b, Value mask) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    OpOperand &init = *op.getDpsInitOperand(i);
    // Loops of reductions carry the value even if the body does not read it.
    bool used = findClosed(0, /*reduction=*/true) < getNumLoops() ||
                !body->getArgument(init.getOperandNumber()).use_empty();
    values.push_back(used ? load(b, init, mask) : Value());
  }
  return values;
}

void LoopNest::storeInits(OpBuilder &b, ArrayRef<Value> values, Value mask) {
  for (auto [i, value] : llvm::enumerate(values))
    store(b, *op.getDpsInitOperand(i), value, mask);
}

Value LoopNest::asVector(OpBuilder &b, Value value) const {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({context.lanes.width}, value.getType()), value);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

void LoopNest::hoistInvariants(OpBuilder &b) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool open = llvm::all_of(llvm::seq<int>(0, getNumLoops()), [&](int loop) {
      return isOpen(loop) || !dependsOn(map, loop);
    });
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

SmallVector<Value>
LoopNest::emitBody(OpBuilder &b, ArrayRef<Value> accumulators, Value mask) {
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

Value LoopNest::emitIndex(OpBuilder &b, linalg::IndexOp loop) const {
  Value position = index[loop.getDim()];
  if (static_cast<int>(loop.getDim()) != lane)
    return position;
  auto type = VectorType::get({context.lanes.width}, b.getIndexType());
  Value step = vector::StepOp::create(b, loc, type);
  return arith::AddIOp::create(b, loc, asVector(b, position), step);
}

Value LoopNest::emitLoad(OpBuilder &b, memref::LoadOp access, IRMapping &map,
                         Value mask) {
  SmallVector<Value> indices;
  bool isVector = false;
  for (Value position : access.getIndices()) {
    auto loop = position.getDefiningOp<linalg::IndexOp>();
    bool along = loop && static_cast<int>(loop.getDim()) == lane;
    indices.push_back(along ? index[lane] : map.lookupOrDefault(position));
    isVector |= along;
  }
  if (isVector)
    return loadVector(b, loc, context.lanes, access.getMemRef(), indices, mask);
  return memref::LoadOp::create(b, loc, access.getMemRef(), indices);
}

void LoopNest::emitBodyOp(OpBuilder &b, Operation &inner, IRMapping &map,
                          Value mask) {
  if (auto loop = dyn_cast<linalg::IndexOp>(inner))
    return map.map(loop.getResult(), emitIndex(b, loop));
  if (auto access = dyn_cast<memref::LoadOp>(inner))
    return map.map(access.getResult(), emitLoad(b, access, map, mask));
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
    types.push_back(VectorType::get({context.lanes.width}, type));
  OperationState state(loc, inner.getName(), operands, types, inner.getAttrs());
  state.propertiesAttr = inner.getPropertiesAsAttribute();
  map.map(inner.getResults(), b.create(state)->getResults());
}
