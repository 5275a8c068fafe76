//===- Interpreter.cpp - What a kernel computes ---------------------------===//

#include "Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Calls `body` for each index of a box, the last dimension first.
void forEachIndex(ArrayRef<int64_t> extents,
                  llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> at(extents.size(), 0);
  int64_t count = llvm::product_of(extents);
  for (int64_t i = 0; i < count; ++i) {
    body(at);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < extents[d])
        break;
      at[d] = 0;
    }
  }
}

int64_t placeOf(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t place = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    place = place * size + i;
  return place;
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

class Interpreter {
public:
  LogicalResult evaluate(Operation *op);

  DenseMap<Value, Elements> tensors;

private:
  LogicalResult evaluate(linalg::LinalgOp op);
  LogicalResult evaluatePoint(linalg::LinalgOp op, ArrayRef<int64_t> at,
                              MutableArrayRef<Elements> results);
  LogicalResult evaluateScalar(Operation &op, ArrayRef<int64_t> at);
  FailureOr<Attribute> look(tensor::ExtractOp op);

  /// The elements of a slice of `source`, in order.
  template <typename Visit>
  void forEachOf(OffsetSizeAndStrideOpInterface slice, ArrayRef<int64_t> shape,
                 Visit visit) {
    forEachIndex(slice.getStaticSizes(), [&](ArrayRef<int64_t> at) {
      SmallVector<int64_t> index;
      for (auto [i, offset, stride] : llvm::zip_equal(
               at, slice.getStaticOffsets(), slice.getStaticStrides()))
        index.push_back(offset + i * stride);
      visit(placeOf(index, shape));
    });
  }

  DenseMap<Value, Attribute> scalars;
};

} // namespace

FailureOr<Attribute> Interpreter::look(tensor::ExtractOp op) {
  SmallVector<int64_t> index;
  for (auto [position, size] :
       llvm::zip_equal(op.getIndices(), shapeOf(op.getTensor()))) {
    auto number = dyn_cast_or_null<IntegerAttr>(scalars.lookup(position));
    if (!number || number.getInt() < 0 || number.getInt() >= size)
      return op.emitOpError("reads outside of its tensor");
    index.push_back(number.getInt());
  }
  return tensors[op.getTensor()][placeOf(index, shapeOf(op.getTensor()))];
}

LogicalResult Interpreter::evaluateScalar(Operation &op, ArrayRef<int64_t> at) {
  SmallVector<Attribute> operands;
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    scalars[index.getResult()] =
        Builder(op.getContext()).getIndexAttr(at[index.getDim()]);
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    FailureOr<Attribute> element = look(extract);
    if (failed(element))
      return failure();
    scalars[extract.getResult()] = *element;
    return success();
  }
  for (Value operand : op.getOperands()) {
    operands.push_back(scalars.lookup(operand));
    if (!operands.back())
      return op.emitOpError("reads what nothing has written");
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op.fold(operands, folded)) || folded.size() != op.getNumResults())
    return op.emitOpError("is not folded");
  for (auto [result, value] : llvm::zip_equal(op.getResults(), folded)) {
    auto attribute = dyn_cast<Attribute>(value);
    scalars[result] =
        attribute ? attribute : scalars.lookup(cast<Value>(value));
  }
  return success();
}

LogicalResult Interpreter::evaluatePoint(linalg::LinalgOp op,
                                         ArrayRef<int64_t> at,
                                         MutableArrayRef<Elements> results) {
  auto placeOfOperand = [&](OpOperand &operand) {
    return placeOf(op.getMatchingIndexingMap(&operand).compose(at),
                   shapeOf(operand.get()));
  };
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!isa<ShapedType>(operand.get().getType()))
      scalars[argument] = scalars.lookup(operand.get());
    else if (op.isDpsInit(&operand))
      scalars[argument] =
          results[operand.getOperandNumber() - op.getNumDpsInputs()]
                 [placeOfOperand(operand)];
    else
      scalars[argument] = tensors[operand.get()][placeOfOperand(operand)];
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    if (failed(evaluateScalar(inner, at)))
      return failure();
  for (auto [init, value, elements] :
       llvm::zip_equal(op.getDpsInitsMutable(),
                       op.getBlock()->getTerminator()->getOperands(), results))
    elements[placeOfOperand(init)] = scalars.lookup(value);
  return success();
}

LogicalResult Interpreter::evaluate(linalg::LinalgOp op) {
  SmallVector<Elements> results;
  for (Value init : op.getDpsInits())
    results.push_back(tensors[init]);
  LogicalResult all = success();
  forEachIndex(op.getStaticLoopRanges(), [&](ArrayRef<int64_t> at) {
    if (succeeded(all))
      all = evaluatePoint(op, at, results);
  });
  for (auto [value, elements] : llvm::zip_equal(op->getResults(), results))
    tensors[value] = std::move(elements);
  return all;
}

LogicalResult Interpreter::evaluate(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return evaluate(structured);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      tensors[constant] = Elements(dense.value_begin<Attribute>(),
                                   dense.value_end<Attribute>());
    else
      scalars[constant] = constant.getValue();
    return success();
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    tensors[empty] = Elements(empty.getType().getNumElements());
    return success();
  }
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    Elements elements = tensors[op->getOperand(0)];
    tensors[op->getResult(0)] = std::move(elements);
    return success();
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    Elements elements;
    forEachOf(slice, shapeOf(slice.getSource()), [&](int64_t place) {
      elements.push_back(tensors[slice.getSource()][place]);
    });
    tensors[slice] = std::move(elements);
    return success();
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    Elements elements = tensors[insert.getDest()];
    size_t next = 0;
    forEachOf(insert, insert.getType().getShape(), [&](int64_t place) {
      elements[place] = tensors[insert.getSource()][next++];
    });
    tensors[insert] = std::move(elements);
    return success();
  }
  return op->emitOpError("has no meaning here");
}

FailureOr<SmallVector<Elements>> zero::interpret(func::FuncOp kernel,
                                                 ArrayRef<Elements> operands) {
  Interpreter interpreter;
  Block &body = kernel.front();
  for (auto [argument, elements] :
       llvm::zip_equal(body.getArguments(), operands))
    interpreter.tensors[argument] = elements;
  for (Operation &op : body.without_terminator())
    if (failed(interpreter.evaluate(&op)))
      return failure();
  SmallVector<Elements> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(interpreter.tensors[value]);
  return results;
}
