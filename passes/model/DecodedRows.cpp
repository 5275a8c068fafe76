//===- DecodedRows.cpp - A model of some positions of each slot -----------===//

#include "passes/model/DecodedRows.h"

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/model/LoopsOfGeneric.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;

DecodedRows::DecodedRows(func::FuncOp function, const DecodedInputs &inputs)
    : function(function), in(inputs), b(function.getContext()) {}

LogicalResult DecodedRows::mixes(Operation *op) {
  return op->emitError(
      "mixes positions in a way that generation does not "
      "know: it needs nn.attention with causal, nn.causal_conv or "
      "nn.gated_delta_rule; drop --sample");
}

RankedTensorType DecodedRows::resized(Value old, unsigned dim) const {
  RankedTensorType type = tensorTypeOf(old);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = shape[dim] / in.positions * in.step;
  return type.clone(shape);
}

/// min(begin + i, T - 1): positions beyond the sequence are not used.
Value DecodedRows::getPlaces() {
  if (places)
    return places;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.front());
  RankedTensorType tokens = tensorTypeOf(in.tokens);
  auto type = tokens.clone(b.getI32Type());
  AffineMap slot = AffineMap::get(2, 0, b.getAffineDimExpr(0));
  places = emitParallel(
      b, in.begin.getLoc(), type, in.begin, slot,
      [&](OpBuilder &inner, Location at, ValueRange args) {
        Value i = linalg::IndexOp::create(inner, at, 1);
        i = arith::IndexCastOp::create(inner, at, inner.getI32Type(), i);
        Value place = arith::AddIOp::create(inner, at, args[0], i);
        Value last = arith::ConstantOp::create(
            inner, at, inner.getI32IntegerAttr(int32_t(in.positions - 1)));
        place = arith::MinSIOp::create(inner, at, place, last);
        linalg::YieldOp::create(inner, at, place);
      });
  return places;
}

LogicalResult DecodedRows::run(BlockArgument tokens) {
  rows[tokens] = {in.tokens, 1, 1};
  // Other inputs of each position: a slot holds one document from its first
  // position on.
  for (BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      kInputAttr);
    if (argument != tokens && name && name == "positions" &&
        argument.getType() == tensorTypeOf(tokens).clone(b.getI32Type()))
      rows[argument] = {getPlaces(), 1, 1};
  }
  for (Operation &op :
       llvm::make_early_inc_range(function.front().without_terminator())) {
    if (llvm::none_of(op.getOperands(),
                      [&](Value value) { return hasRows(value); }))
      continue;
    b.setInsertionPointAfter(&op);
    if (failed(visit(&op)))
      return failure();
  }
  return success();
}

Value DecodedRows::clone(Operation *op, ArrayRef<Value> operands,
                         const Rows &mark) {
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  for (auto [old, fresh] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    fresh.setType(resized(old, mark.dim));
    rows[old] = {fresh, mark.dim, mark.inner};
  }
  return copy->getResult(0);
}

LogicalResult DecodedRows::visit(Operation *op) {
  const bool ofTensors =
      llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  if (OpTrait::hasElementwiseMappableTraits(op) && ofTensors) {
    auto first = llvm::find_if(op->getOperands(),
                               [&](Value value) { return hasRows(value); });
    const Rows mark = rows[*first];
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto known = rows.find(operand);
      if (known == rows.end()) {
        Value pulled = mark.inner == 1 && mark.dim == 1
                           ? pull(operand, mark.dim)
                           : Value();
        if (!pulled)
          pulled = resize(operand, mark);
        if (!pulled)
          return mixes(op);
        operands.push_back(pulled);
      } else if (known->second.dim == mark.dim) {
        operands.push_back(known->second.value);
      } else {
        return mixes(op);
      }
    }
    clone(op, operands, mark);
    return success();
  }
  if (auto attention = dyn_cast<nn::AttentionOp>(op))
    return visitAttention(attention);
  if (auto conv = dyn_cast<nn::CausalConvOp>(op))
    return visitConv(conv);
  if (auto rule = dyn_cast<nn::GatedDeltaRuleOp>(op))
    return visitRule(rule);
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return visitReshape(op);
  if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp, tensor::ConcatOp>(op))
    return visitSlice(op);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return visitGeneric(structured);
  return visitRows(op);
}

/// Operations of the model whose rows do not read each other.
LogicalResult DecodedRows::visitRows(Operation *op) {
  // The host knows where documents begin, and reads those of a slot one after
  // the other.
  if (isa<nn::DocumentStartsOp>(op))
    return success(); // only operations with caches read it
  auto known = rows.find(op->getOperand(0));
  if (known == rows.end())
    return mixes(op);
  const Rows mark = known->second;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(hasRows(operand) ? lookup(operand) : operand);
  const bool isLast =
      mark.dim + 1 == unsigned(tensorTypeOf(op->getOperand(0)).getRank());
  if (auto rope = dyn_cast<nn::RopeOp>(op)) {
    if (mark.dim != 1 || mark.inner != 1 || rope.getPositions())
      return mixes(op);
    auto fresh = nn::RopeOp::create(
        b, op->getLoc(), resized(rope.getResult(), 1), operands[0], getPlaces(),
        rope.getFrequenciesAttr(), rope.getFactorAttr(),
        rope.getInterleavedAttr(), rope.getInverseAttr());
    rows[rope.getResult()] = {fresh, mark.dim, mark.inner};
    return success();
  }
  if (op->hasTrait<nn::ReadsOwnElement>() ||
      (!isLast && op->hasTrait<nn::ReadsOwnRow>())) {
    clone(op, operands, mark);
    return success();
  }
  // Experts: rows are tokens, or pairs of a token and an expert.
  if (mark.dim != 0)
    return mixes(op);
  if (auto groups = dyn_cast<nn::GroupByExpertOp>(op)) {
    Operation *copy = b.clone(*op);
    copy->setOperands(operands);
    for (unsigned i : {0, 1}) { // rows and places; offsets have no rows
      copy->getResult(i).setType(resized(op->getResult(i), 0));
      rows[op->getResult(i)] = {copy->getResult(i), 0, 1};
    }
    op->getResult(2).replaceAllUsesWith(copy->getResult(2));
    return success();
  }
  if (op->hasTrait<nn::ReadsOwnTokens>()) {
    clone(op, operands, {{}, 0, 1});
    return success();
  }
  return mixes(op);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult DecodedRows::visitReshape(Operation *op) {
  Value old = op->getOperand(0), result = op->getResult(0);
  const Rows mark = rows[old];
  const bool collapses = isa<tensor::CollapseShapeOp>(op);
  SmallVector<ReassociationIndices> groups =
      collapses ? cast<tensor::CollapseShapeOp>(op).getReassociationIndices()
                : cast<tensor::ExpandShapeOp>(op).getReassociationIndices();
  Rows fresh;
  if (collapses) {
    for (auto [i, group] : llvm::enumerate(groups))
      if (llvm::is_contained(group, int64_t(mark.dim))) {
        fresh.dim = unsigned(i);
        fresh.inner = mark.inner;
        for (int64_t dim : group)
          if (dim > int64_t(mark.dim))
            fresh.inner *= tensorTypeOf(old).getDimSize(unsigned(dim));
      }
    fresh.value = tensor::CollapseShapeOp::create(
        b, op->getLoc(), resized(result, fresh.dim), mark.value, groups);
  } else {
    // Finds the dimension of the group that has the positions; the first one,
    // if there is one position.
    bool isFound = in.positions == 1;
    int64_t inner = 1;
    fresh.dim = unsigned(groups[mark.dim].front());
    for (int64_t dim : llvm::reverse(groups[mark.dim])) {
      const int64_t size = tensorTypeOf(result).getDimSize(unsigned(dim));
      if (!isFound && inner * size >= mark.inner * in.positions) {
        if (mark.inner % inner != 0 ||
            size % (mark.inner / inner * in.positions) != 0)
          return mixes(op);
        fresh.dim = unsigned(dim);
        fresh.inner = mark.inner / inner;
        isFound = true;
      }
      inner *= size;
    }
    if (!isFound)
      return mixes(op);
    fresh.value = tensor::ExpandShapeOp::create(
        b, op->getLoc(), resized(result, fresh.dim), mark.value, groups);
  }
  rows[result] = fresh;
  return success();
}

/// Slices and joins that keep all positions.
LogicalResult DecodedRows::visitSlice(Operation *op) {
  auto first = llvm::find_if(op->getOperands(),
                             [&](Value value) { return hasRows(value); });
  const Rows mark = rows[*first];
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    SmallVector<Value> parts;
    for (Value part : concat.getInputs()) {
      auto known = rows.find(part);
      if (concat.getDim() == mark.dim || known == rows.end() ||
          known->second.dim != mark.dim)
        return mixes(op);
      parts.push_back(known->second.value);
    }
    clone(op, parts, mark);
    return success();
  }
  auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
  const int64_t size = tensorTypeOf(op->getOperand(0)).getDimSize(mark.dim);
  if (slice.getStaticOffset(mark.dim) != 0 ||
      slice.getStaticSize(mark.dim) != size ||
      slice.getStaticStride(mark.dim) != 1 ||
      tensorTypeOf(op->getResult(0)).getRank() !=
          int64_t(slice.getStaticSizes().size()))
    return mixes(op);
  SmallVector<Value> operands(op->getOperands());
  for (Value &operand : MutableArrayRef(operands)) {
    if (hasRows(operand))
      operand = lookup(operand);
    else if (isa<RankedTensorType>(operand.getType()) &&
             !(operand = resize(operand, mark)))
      return mixes(op);
  }
  Value fresh = clone(op, operands, mark);
  Operation *copy = fresh.getDefiningOp();
  SmallVector<int64_t> sizes(slice.getStaticSizes());
  sizes[mark.dim] = sizes[mark.dim] / in.positions * in.step;
  copy->setAttr("static_sizes", b.getDenseI64ArrayAttr(sizes));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult DecodedRows::visitGeneric(linalg::LinalgOp op) {
  // The loop over positions.
  std::optional<unsigned> loop;
  int64_t inner = 1;
  for (OpOperand &operand : op->getOpOperands()) {
    auto known = rows.find(operand.get());
    if (known == rows.end())
      continue;
    auto at = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(&operand).getResult(known->second.dim));
    if (!at || (loop && *loop != at.getPosition()))
      return mixes(op);
    loop = at.getPosition();
    inner = known->second.inner;
  }
  if (!loop ||
      op.getIteratorTypesArray()[*loop] != utils::IteratorType::parallel)
    return mixes(op);
  bool readsIndex = false;
  op->walk(
      [&](linalg::IndexOp index) { readsIndex |= index.getDim() == *loop; });
  if (readsIndex)
    return mixes(op);
  AffineExpr row = b.getAffineDimExpr(*loop);
  SmallVector<AffineMap> maps(op.getIndexingMapsArray());
  // The loop over slots, where results have one.
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOpOperands())) {
    AffineMap &map = maps[i];
    if (hasRows(operand.get()) || !map.isFunctionOfDim(*loop)) {
      operands.push_back(hasRows(operand.get()) ? lookup(operand.get())
                                                : operand.get());
      continue;
    }
    auto at = llvm::find(map.getResults(), row);
    if (at == map.getResults().end())
      return mixes(op);
    const auto place = unsigned(at - map.getResults().begin());
    Value fresh = resize(operand.get(), {{}, place, 1});
    const bool haveSlots = inner == 1 && out.getNumResults() > 1 &&
                           out.getResult(1) == row &&
                           isa<AffineDimExpr>(out.getResult(0));
    if (!fresh && haveSlots &&
        (place == 0 || map.getResult(0) == out.getResult(0))) {
      fresh = pull(operand.get(), place);
      if (fresh && place == 0) {
        SmallVector<AffineExpr> all(map.getResults());
        all.insert(all.begin(), out.getResult(0));
        map = AffineMap::get(map.getNumDims(), 0, all, b.getContext());
      }
    }
    if (!fresh)
      return mixes(op);
    operands.push_back(fresh);
  }
  Operation *copy = b.clone(*op);
  copy->setOperands(operands);
  if (auto generic = dyn_cast<linalg::GenericOp>(copy))
    generic.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  else if (maps != op.getIndexingMapsArray())
    return mixes(op);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    auto at = llvm::find(map.getResults(), row);
    if (at == map.getResults().end())
      return mixes(op);
    const auto dim = unsigned(at - map.getResults().begin());
    OpResult old = op.getTiedOpResult(&init);
    Value fresh = copy->getResult(old.getResultNumber());
    fresh.setType(resized(old, dim));
    rows[old] = {fresh, dim, inner};
  }
  return success();
}
