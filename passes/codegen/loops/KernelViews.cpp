//===- KernelViews.cpp - Memref views of a kernel's tensors ---------------===//

#include "passes/codegen/loops/KernelViews.h"

#include "dialect/zero/Storage.h"
#include "dialect/zero/Zero.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;

MemRefType zero::memrefOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  StridedLayoutAttr layout;
  if (int64_t pitch = getRowPitch(tensor))
    layout = StridedLayoutAttr::get(type.getContext(), 0, {pitch, 1});
  return MemRefType::get(tensor.getShape(), tensor.getElementType(), layout);
}

UnitArguments zero::addUnitArguments(func::FuncOp kernel, bool isHalfWarp) {
  Block &body = kernel.getBody().front();
  Builder b(kernel.getContext());
  auto add = [&](Type type) -> Value {
    return body.addArgument(type, kernel.getLoc());
  };
  UnitArguments units;
  if (isHalfWarp) {
    units.thread = add(b.getIndexType());
    units.shared = add(MemRefType::get({kMaxSharedBytes}, b.getI8Type()));
  }
  units.begin = add(b.getIndexType());
  units.end = add(b.getIndexType());
  kernel.setType(
      b.getFunctionType(body.getArgumentTypes(), kernel.getResultTypes()));
  return units;
}

KernelViews::KernelViews(func::FuncOp kernel, OpBuilder &b, bool isHalfWarp)
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
  auto [thread, memory, first, last] = addUnitArguments(kernel, isHalfWarp);
  if (isHalfWarp)
    lanes = Lanes::ofHalfWarp(thread);
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

/// `memref` in the shape of `type`, by the groups of dimensions of `reshape`.
static Value reshaped(OpBuilder &b, Operation *reshape, Value memref,
                      Type type) {
  auto shape = cast<RankedTensorType>(type).getShape();
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  auto groups =
      expand ? expand.getReassociationIndices()
             : cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices();
  if (shape.size() == groups.size())
    return memref::CollapseShapeOp::create(b, reshape->getLoc(), memref,
                                           groups);
  return memref::ExpandShapeOp::create(b, reshape->getLoc(), shape, memref,
                                       groups);
}

Value KernelViews::operand(Value tensor) {
  if (Value known = inputs.lookup(tensor))
    return known;
  Operation *def = tensor.getDefiningOp();
  auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(def);
  if (!slice && !(def && isReshape(def)))
    return {};
  Value source = operand(def->getOperand(0));
  if (!source)
    return {};
  return inputs[tensor] = slice ? subview(b, slice, slice.getType(), source)
                                : reshaped(b, def, source, tensor.getType());
}

Value KernelViews::result(Value tensor) {
  if (Value known = outputs.lookup(tensor))
    return known;
  if (!tensor.hasOneUse())
    return {};
  Operation *user = *tensor.user_begin();
  auto insert = dyn_cast<tensor::InsertSliceOp>(user);
  if (!insert && !isReshape(user))
    return {};
  Value target = result(user->getResult(0));
  if (!target)
    return {};
  // A link of the chain of inserts has the same bytes.
  return outputs[tensor] =
             !insert ? reshaped(b, user, target, tensor.getType())
             : insert.getDest() == tensor
                 ? target
                 : subview(b, insert, insert.getSourceType(), target);
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
