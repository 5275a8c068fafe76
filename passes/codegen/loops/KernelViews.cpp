//===- KernelViews.cpp - Memref views of a kernel's tensors ---------------===//

#include "passes/codegen/loops/KernelViews.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;

MemRefType zero::memrefOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

UnitArguments zero::addUnitArguments(func::FuncOp kernel, bool isGroup) {
  Block &body = kernel.getBody().front();
  Builder b(kernel.getContext());
  auto add = [&](Type type) -> Value {
    return body.addArgument(type, kernel.getLoc());
  };
  UnitArguments units;
  if (isGroup) {
    units.thread = add(b.getIndexType());
    units.shared = add(MemRefType::get({kMaxSharedBytes}, b.getI8Type()));
  }
  units.begin = add(b.getIndexType());
  units.end = add(b.getIndexType());
  kernel.setType(
      b.getFunctionType(body.getArgumentTypes(), kernel.getResultTypes()));
  return units;
}

KernelViews::KernelViews(func::FuncOp kernel, OpBuilder &b, bool isGroup)
    : kernel(kernel), b(b) {
  Block &body = kernel.getBody().front();
  auto returned = cast<func::ReturnOp>(body.getTerminator());
  for (Operation &op : body.without_terminator())
    tensorOps.push_back(&op);
  SmallVector<Value> results(returned.getOperands());
  unsigned count = body.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    BlockArgument tensor = body.getArgument(i);
    inputs[tensor] =
        body.addArgument(memrefOf(tensor.getType()), tensor.getLoc());
  }
  for (Value result : results)
    outputs[result] =
        body.addArgument(memrefOf(result.getType()), result.getLoc());
  auto [thread, memory, first, last] = addUnitArguments(kernel, isGroup);
  if (isGroup)
    lanes = Lanes::ofGroup(thread);
  shared = memory;
  begin = first;
  end = last;
  b.setInsertionPoint(returned);
  func::ReturnOp::create(b, returned.getLoc());
  returned.erase();
  b.setInsertionPoint(body.getTerminator());
}

/// The part of `whole` that `slice` reads or inserts into, a tensor of type
/// `part`.
static Value subview(OpBuilder &b, OffsetSizeAndStrideOpInterface slice,
                     RankedTensorType part, Value whole) {
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      part.getShape(), cast<MemRefType>(whole.getType()),
      slice.getStaticOffsets(), slice.getStaticSizes(),
      slice.getStaticStrides()));
  return memref::SubViewOp::create(
      b, slice.getLoc(), type, whole, slice.getMixedOffsets(),
      slice.getMixedSizes(), slice.getMixedStrides());
}

Value KernelViews::operand(Value tensor) {
  if (Value known = inputs.lookup(tensor))
    return known;
  Operation *def = tensor.getDefiningOp();
  if (!def)
    return {};
  Value view;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(def)) {
    if (Value source = operand(slice.getSource()))
      view = subview(b, slice, slice.getType(), source);
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(def)) {
    if (Value source = operand(expand.getSrc()))
      view = memref::ExpandShapeOp::create(b, expand.getLoc(),
                                           expand.getType().getShape(), source,
                                           expand.getReassociationIndices());
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(def)) {
    if (Value source = operand(collapse.getSrc()))
      view = memref::CollapseShapeOp::create(
          b, collapse.getLoc(), source, collapse.getReassociationIndices());
  }
  if (view)
    inputs[tensor] = view;
  return view;
}

Value KernelViews::result(Value tensor) {
  if (Value known = outputs.lookup(tensor))
    return known;
  if (!tensor.hasOneUse())
    return {};
  Operation *user = *tensor.user_begin();
  Value view;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
    if (Value target = result(collapse.getResult()))
      view = memref::ExpandShapeOp::create(
          b, collapse.getLoc(),
          cast<RankedTensorType>(tensor.getType()).getShape(), target,
          collapse.getReassociationIndices());
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user)) {
    if (Value target = result(expand.getResult()))
      view = memref::CollapseShapeOp::create(b, expand.getLoc(), target,
                                             expand.getReassociationIndices());
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(user)) {
    Value target = result(insert.getResult());
    if (!target)
      return {};
    // A link of the chain of inserts has the same bytes.
    view = insert.getDest() == tensor
               ? target
               : subview(b, insert, insert.getSourceType(), target);
  }
  if (view)
    outputs[tensor] = view;
  return view;
}

void KernelViews::finish() {
  for (Operation *op : llvm::reverse(tensorOps)) {
    op->dropAllUses();
    op->erase();
  }
  Block &body = kernel.getBody().front();
  unsigned tensors =
      llvm::count_if(body.getArgumentTypes(), llvm::IsaPred<RankedTensorType>);
  body.eraseArguments(0, tensors);
  kernel.setArgAttrsAttr(ArrayAttr());
  kernel.setResAttrsAttr(ArrayAttr());
  kernel.setType(b.getFunctionType(body.getArgumentTypes(), {}));
}
