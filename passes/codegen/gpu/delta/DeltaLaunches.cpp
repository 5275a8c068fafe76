//===- DeltaLaunches.cpp - The delta rule as launches of blocks -----------===//
//
// Units are those of the CPU's kernel: a head of values of a batch forward, a
// head of keys backward.
//
//   @k  nn.gated_delta_rule           =>  @k(..., thread, shared, unit, part)
//   @k  nn.gated_delta_rule_backward  =>  @k and @k.chunks of the same
//                                         arguments, one after another
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/delta/DeltaLaunches.h"

#include "abi/zrt.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

template <typename OpT>
DeltaShape shapeOf(OpT op) {
  RankedTensorType q = op.getQ().getType(), v = op.getV().getType();
  return {v.getDimSize(1), q.getDimSize(2), v.getDimSize(2), q.getDimSize(3),
          v.getDimSize(3)};
}

template <typename OpT>
LogicalResult check(OpT op) {
  const DeltaShape shape = shapeOf(op);
  if (Type element = op.getQ().getType().getElementType(); !element.isF32())
    return op.emitOpError("has a kernel for f32, not ")
           << element << "; compile for --target=cpu --reference";
  const int64_t widest = std::max(shape.keyWidth, shape.valueWidth);
  if (widest > ZRT_MAX_DELTA_WIDTH)
    return op.emitOpError("has heads of width ")
           << widest << ", and a kernel for up to " << ZRT_MAX_DELTA_WIDTH
           << "; use narrower heads";
  return success();
}

/// Finds the views of a kernel's operands and results.
class Views {
public:
  Views(func::FuncOp kernel, OpBuilder &b) : views(kernel, b, true) {}

  KernelViews views;
  bool isComplete = true;

  Value operand(Value tensor) {
    return tensor ? found(views.operand(tensor)) : Value();
  }
  Value result(Value tensor) {
    return tensor ? found(views.result(tensor)) : Value();
  }

private:
  Value found(Value view) {
    isComplete &= static_cast<bool>(view);
    return view;
  }
};

template <typename OpT>
DeltaOperands inputsOf(OpT op, Views &views) {
  DeltaOperands all;
  all.q = views.operand(op.getQ());
  all.k = views.operand(op.getK());
  all.v = views.operand(op.getV());
  all.gates = views.operand(op.getGates());
  all.beta = views.operand(op.getBeta());
  all.starts = views.operand(op.getStarts());
  return all;
}

LogicalResult refuse(Operation *op) {
  return op->emitOpError("is used in a way that its kernel does not support");
}

LogicalResult emitForward(func::FuncOp kernel, nn::GatedDeltaRuleOp op) {
  OpBuilder b(kernel.getContext());
  const bool isSaved = op.getStates() && !op.getStates().use_empty();
  Views views(kernel, b);
  DeltaOperands all = inputsOf(op, views);
  all.out = views.result(op.getResult());
  if (isSaved)
    all.states = views.result(op.getStates());
  if (!views.isComplete)
    return refuse(op);
  const DeltaShape shape = shapeOf(op);
  emitDeltaForward(b, op.getLoc(), shape, views.views, all);
  describeParts(kernel, shape.slices(), DeltaSlice::sharedBytes(shape));
  views.views.finish();
  return success();
}

LogicalResult emitBackward(func::FuncOp kernel, bool isFirst) {
  auto op = *kernel.getOps<nn::GatedDeltaRuleBackwardOp>().begin();
  OpBuilder b(kernel.getContext());
  Views views(kernel, b);
  DeltaOperands all = inputsOf(op, views);
  all.states = views.operand(op.getStates());
  all.grad = views.operand(op.getGrad());
  all.dq = views.result(op.getDq());
  all.dk = views.result(op.getDk());
  all.dv = views.result(op.getDv());
  all.dgates = views.result(op.getDgates());
  all.dbeta = views.result(op.getDbeta());
  all.room = views.result(op.getRoom());
  if (!views.isComplete)
    return refuse(op);
  const DeltaShape shape = shapeOf(op);
  if (isFirst) {
    emitDeltaStates(b, op.getLoc(), shape, views.views, all);
    describeParts(kernel, shape.slices() * shape.headsPerKey(),
                  DeltaSlice::sharedBytes(shape));
  } else {
    describeParts(kernel, shape.chunks(),
                  emitDeltaChunk(b, op.getLoc(), shape, views.views, all));
  }
  views.views.finish();
  return success();
}

} // namespace

LogicalResult zero::emitDeltaBlocks(func::FuncOp kernel, Operation *op) {
  if (auto forward = dyn_cast<nn::GatedDeltaRuleOp>(op))
    return failure(failed(check(forward)) ||
                   failed(emitForward(kernel, forward)));
  auto backward = dyn_cast<nn::GatedDeltaRuleBackwardOp>(op);
  if (!backward)
    return op->emitError("has no kernel for GPUs yet; compile for "
                         "--target=cpu, or without generation");
  if (failed(check(backward)))
    return failure();
  if (!backward.getRoom())
    return op->emitOpError("has no room for what kernels of GPUs keep between "
                           "their launches; compile from level step or before "
                           "with --target=cuda");
  func::FuncOp chunks = kernel.clone();
  chunks.setName((kernel.getName() + ".chunks").str());
  OpBuilder b(kernel);
  chunks->setAttr(kLaunchOfAttr, b.getStringAttr(kernel.getName()));
  b.setInsertionPointAfter(kernel);
  b.insert(chunks);
  return failure(failed(emitBackward(kernel, /*isFirst=*/true)) ||
                 failed(emitBackward(chunks, /*isFirst=*/false)));
}
