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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::zero;

static bool dependsOn(AffineMap map, int loop) {
  return map.isFunctionOfDim(static_cast<unsigned>(loop));
}

LoopNest::LoopNest(OpBuilder &b, linalg::LinalgOp op,
                   const LoopContext &context)
    : VectorCode(b, op.getLoc(), context.lanes), op(op), context(context),
      body(op.getBlock()), extents(op.getStaticLoopRanges()),
      iterators(op.getIteratorTypesArray()), current(op.getNumLoops()) {
  for (auto [i, row] : llvm::enumerate(context.rows))
    current[i] = row;
  LaneChoice choice = chooseLane(op, context);
  contiguous = choice.contiguous;
  laneLoop = choice.vectors ? contiguous : -1;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

int LoopNest::findClosed(int loop, bool reduction) const {
  while (loop < getNumLoops() &&
         (isOpen(loop) || isReduction(loop) != reduction || loop == laneLoop ||
          loop == context.together))
    ++loop;
  return loop;
}

Values LoopNest::positionsFrom(Value first, int64_t count, int64_t step) {
  Values positions = {first};
  for (int64_t i = 1; i < count; ++i)
    positions.push_back(add(first, i * step));
  return positions;
}

std::pair<Value, Value> LoopNest::getBounds(int loop) {
  if (loop == laneLoop && part.first)
    return part;
  if (isCut(loop))
    return {context.columnBegin, context.columnEnd};
  return {index(0), index(extents[loop])};
}

void LoopNest::forLane(llvm::function_ref<void(Value)> emit) {
  auto [lower, upper] = getBounds(laneLoop);
  forVectors(lower, upper, [&](Value first, Value mask) {
    open(laneLoop, first);
    emit(mask);
    close(laneLoop);
  });
}

Values LoopNest::forCarried(int number, ArrayRef<Value> values,
                            llvm::function_ref<Values(ArrayRef<Value>)> emit) {
  auto [lower, upper] = getBounds(number);
  return loop(lower, upper, 1, values, [&](Value at, ArrayRef<Value> carried) {
    open(number, at);
    Values next = emit(carried);
    close(number);
    return next;
  });
}

void LoopNest::forEach(int loop, llvm::function_ref<void()> emit) {
  forCarried(loop, {}, [&](ArrayRef<Value>) {
    emit();
    return Values();
  });
}

Values
LoopNest::forReductions(int loop, ArrayRef<Value> values,
                        llvm::function_ref<Values(ArrayRef<Value>)> emit) {
  loop = findClosed(loop, /*reduction=*/true);
  if (loop == getNumLoops())
    return emit(values);
  return forCarried(loop, values, [&](ArrayRef<Value> carried) {
    return forReductions(loop + 1, carried, emit);
  });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Values LoopNest::indicesOf(OpOperand &operand) {
  Values indices;
  ArrayRef<AffineExpr> positions =
      op.getMatchingIndexingMap(&operand).getResults();
  if (rowBufferOf(operand))
    positions = positions.drop_front(context.rows.size());
  for (AffineExpr expr : positions)
    indices.push_back(affine::expandAffineExpr(b, loc, expr, current, {}));
  // A thread's own buffer holds only the thread's elements.
  if (context.owned.contains(bufferOf(operand)))
    indices.back() = placeOfOwn(indices.back());
  return indices;
}

/// The index of `element`, of a row, in the buffer of the thread that owns it.
Value LoopNest::placeOfOwn(Value element) {
  const int64_t ratio = lanes.stride / lanes.width;
  Value chunks;
  if (lanes.team > 0) {
    chunks = div(element, kChunk * lanes.team);
    element = rem(element, kChunk);
  }
  Value own = div(sub(element, firstOf(index(0))), ratio);
  return chunks ? add(own, mul(chunks, kChunk / ratio)) : own;
}

Value LoopNest::rowBufferOf(OpOperand &operand) const {
  Value whole = operand.get();
  return whole == context.partlyStaged && !isStaged
             ? Value()
             : context.rowBuffers.lookup(whole);
}

Value LoopNest::bufferOf(OpOperand &operand) const {
  Value row = rowBufferOf(operand);
  return row ? row : operand.get();
}

bool LoopNest::onLane(OpOperand &operand) {
  return laneLoop >= 0 &&
         dependsOn(op.getMatchingIndexingMap(&operand), laneLoop);
}

bool LoopNest::isAtLane(OpOperand &operand) {
  AffineExpr last = op.getMatchingIndexingMap(&operand).getResults().back();
  return last == getAffineDimExpr(laneLoop, last.getContext());
}

Value LoopNest::load(OpOperand &operand, Value mask) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  Values indices = indicesOf(operand);
  if (onLane(operand))
    return loadVector(bufferOf(operand), indices, mask, isAtLane(operand));
  return loadOne(bufferOf(operand), indices);
}

bool LoopNest::isReplicated(OpOperand &operand) {
  return !lanes.isHalfWarp() ||
         bufferOf(operand).getDefiningOp<memref::AllocaOp>();
}

void LoopNest::onOneThread(bool every, llvm::function_ref<void()> emit) {
  if (every || !lanes.isHalfWarp())
    return emit();
  Value isFirst = isEqual(lanes.thread, 0);
  if (lanes.team > 0)
    isFirst = both(isFirst, isEqual(lanes.member, 0));
  when(isFirst, emit);
}

void LoopNest::store(OpOperand &operand, Value value, Value mask) {
  Values indices = indicesOf(operand);
  if (onLane(operand))
    storeVector(asVector(value), bufferOf(operand), indices, mask,
                isAtLane(operand));
  else
    storeOne(value, bufferOf(operand), indices);
}

Values LoopNest::loadInits(Value mask) {
  Values values;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    // Loops of reductions carry the value even if the body does not read it.
    bool used = findClosed(0, /*reduction=*/true) < getNumLoops() ||
                !body->getArgument(init.getOperandNumber()).use_empty();
    values.push_back(used ? load(init, mask) : Value());
  }
  return values;
}

void LoopNest::storeInits(ArrayRef<Value> values, Value mask) {
  for (auto [i, value] : llvm::enumerate(values))
    store(*op.getDpsInitOperand(i), value, mask);
}

Value LoopNest::asVector(Value value) {
  return isa<VectorType>(value.getType()) ? value : spread(value, lanes.width);
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

bool LoopNest::isInvariant(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return !op.isDpsInit(&operand) &&
         llvm::all_of(llvm::seq<int>(0, getNumLoops()), [&](int loop) {
           return isOpen(loop) || !dependsOn(map, loop);
         });
}

SmallVector<Operation *> LoopNest::findInvariants() {
  llvm::SmallDenseSet<Value> known;
  for (OpOperand &operand : op->getOpOperands())
    if (isInvariant(operand))
      known.insert(body->getArgument(operand.getOperandNumber()));
  SmallVector<Operation *> invariants;
  for (Operation &inner : body->without_terminator())
    if (isa<arith::ConstantOp>(inner) ||
        (OpTrait::hasElementwiseMappableTraits(&inner) &&
         llvm::all_of(inner.getOperands(), [&](Value operand) {
           return known.contains(operand) || operand.getParentBlock() != body;
         }))) {
      invariants.push_back(&inner);
      known.insert_range(inner.getResults());
    }
  return invariants;
}

void LoopNest::hoistInvariants() {
  for (OpOperand &operand : op->getOpOperands())
    if (BlockArgument arg = body->getArgument(operand.getOperandNumber());
        isInvariant(operand) && !arg.use_empty())
      invariant.map(arg, load(operand, Value()));
  const SmallVector<Operation *> invariants = findInvariants();
  hoisted.insert_range(invariants);
  SmallVector<Operation *> once;
  if (context.isByElements)
    once = findOnce(invariants);
  for (Operation *inner : invariants)
    if (!llvm::is_contained(once, inner))
      b.clone(*inner, invariant);
  if (!once.empty())
    emitOnce(*this, once);
}

IRMapping LoopNest::loadInputs(Value mask) {
  IRMapping map(invariant);
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument arg = body->getArgument(operand.getOperandNumber());
    if (!op.isDpsInit(&operand) && !arg.use_empty() && !map.contains(arg))
      map.map(arg, load(operand, mask));
  }
  return map;
}

Values LoopNest::emitBody(IRMapping map, ArrayRef<Value> accumulators,
                          Value mask) {
  for (auto [init, value] :
       llvm::zip_equal(op.getDpsInitsMutable(), accumulators))
    if (value)
      map.map(body->getArgument(init.getOperandNumber()), value);
  for (Operation &inner : body->without_terminator())
    if (!hoisted.contains(&inner))
      emitBodyOp(inner, map, mask);
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(),
      [&](Value value) { return map.lookupOrDefault(value); });
}

Value LoopNest::emitIndex(linalg::IndexOp loop) {
  Value position = current[loop.getDim()];
  if (static_cast<int>(loop.getDim()) != laneLoop)
    return position;
  auto type = VectorType::get({lanes.width}, b.getIndexType());
  Value step = vector::StepOp::create(b, loc, type);
  return add(asVector(position), step);
}

Value LoopNest::emitLoad(memref::LoadOp access, IRMapping &map, Value mask) {
  Values indices;
  bool isVector = false;
  for (Value position : access.getIndices()) {
    auto loop = position.getDefiningOp<linalg::IndexOp>();
    bool along = loop && static_cast<int>(loop.getDim()) == laneLoop;
    indices.push_back(along ? current[laneLoop]
                            : map.lookupOrDefault(position));
    isVector |= along;
  }
  if (isVector)
    return loadVector(access.getMemRef(), indices, mask);
  return loadOne(access.getMemRef(), indices);
}

void LoopNest::emitBodyOp(Operation &inner, IRMapping &map, Value mask) {
  if (auto loop = dyn_cast<linalg::IndexOp>(inner))
    return map.map(loop.getResult(), emitIndex(loop));
  if (auto access = dyn_cast<memref::LoadOp>(inner))
    return map.map(access.getResult(), emitLoad(access, map, mask));
  bool vectors = llvm::any_of(inner.getOperands(), [&](Value operand) {
    return isa<VectorType>(map.lookupOrDefault(operand).getType());
  });
  if (!vectors) {
    b.clone(inner, map);
    return;
  }
  Values operands;
  for (Value operand : inner.getOperands())
    operands.push_back(asVector(map.lookupOrDefault(operand)));
  SmallVector<Type> types;
  for (Type type : inner.getResultTypes())
    types.push_back(VectorType::get({lanes.width}, type));
  OperationState state(loc, inner.getName(), operands, types, inner.getAttrs());
  state.propertiesAttr = inner.getPropertiesAsAttribute();
  map.map(inner.getResults(), b.create(state)->getResults());
}
