//===- DeltaLaunches.cpp - The delta rule as launches of blocks -----------===//
//
// Units are those of the CPU's kernel: a head of values of a batch forward, a
// head of keys backward and with a kept state, a slot of a convolution.
//
//   @k  nn.gated_delta_rule           =>  @k(..., thread, shared, unit, part)
//   @k  nn.gated_delta_rule_backward  =>  @k and @k.chunks of the same
//                                         arguments, one after another
//   @k  nn.cached_delta_rule          =>  @k and @k.keep, likewise
//   @k  nn.cached_causal_conv         =>  @k
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

LogicalResult checkType(Operation *op, RankedTensorType type) {
  if (type.getElementType().isF32())
    return success();
  return op->emitOpError("has a kernel for f32, not ")
         << type.getElementType() << "; compile for --target=cpu --reference";
}

template <typename OpT>
LogicalResult check(OpT op) {
  const DeltaShape shape = shapeOf(op);
  if (failed(checkType(op, op.getQ().getType())))
    return failure();
  const int64_t widest = std::max(shape.keyWidth, shape.valueWidth);
  if (widest > ZRT_MAX_DELTA_WIDTH)
    return op.emitOpError("has heads of width ")
           << widest << ", and a kernel for up to " << ZRT_MAX_DELTA_WIDTH
           << "; use narrower heads";
  return success();
}

template <typename OpT>
DeltaOperands inputsOf(OpT op, DeltaViews &views) {
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
  DeltaViews views(kernel, b);
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
  DeltaViews views(kernel, b);
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

LogicalResult emitRule(func::FuncOp kernel, nn::CachedDeltaRuleOp op,
                       bool isFirst) {
  OpBuilder b(kernel.getContext());
  DeltaViews views(kernel, b);
  const CachedDeltaOperands all = {.q = views.operand(op.getQ()),
                                   .k = views.operand(op.getK()),
                                   .v = views.operand(op.getV()),
                                   .gates = views.operand(op.getGates()),
                                   .beta = views.operand(op.getBeta()),
                                   .begin = views.operand(op.getBegin()),
                                   .count = views.operand(op.getCount()),
                                   .starts = views.operand(op.getStarts()),
                                   .out = views.result(op.getResult()),
                                   .state = views.result(op.getNextState()),
                                   .keys = views.result(op.getNextKeys()),
                                   .updates = views.result(op.getNextUpdates()),
                                   .decays = views.result(op.getNextDecays())};
  if (!views.isComplete)
    return refuse(op);
  const DeltaShape shape = shapeOf(op);
  const BlockParts parts =
      isFirst ? emitCachedDelta(b, op.getLoc(), shape, views.views, all)
              : emitKeptRows(b, op.getLoc(), shape, views.views, all);
  describeParts(kernel, parts.count, parts.sharedBytes);
  views.views.finish();
  return success();
}

LogicalResult emitConv(func::FuncOp kernel, nn::CachedCausalConvOp op) {
  OpBuilder b(kernel.getContext());
  DeltaViews views(kernel, b);
  const CachedConvOperands all = {.x = views.operand(op.getX()),
                                  .weight = views.operand(op.getWeight()),
                                  .begin = views.operand(op.getBegin()),
                                  .count = views.operand(op.getCount()),
                                  .starts = views.operand(op.getStarts()),
                                  .out = views.result(op.getResult()),
                                  .inputs = views.result(op.getNextInputs())};
  if (!views.isComplete)
    return refuse(op);
  const BlockParts parts = emitCachedConv(b, op.getLoc(), views.views, all);
  describeParts(kernel, parts.count, parts.sharedBytes);
  views.views.finish();
  return success();
}

/// A launch behind `kernel`, which is a copy of it as yet.
func::FuncOp addLaunch(func::FuncOp kernel, StringRef what) {
  func::FuncOp launch = kernel.clone();
  launch.setName((kernel.getName() + "." + what).str());
  OpBuilder b(kernel);
  launch->setAttr(kLaunchOfAttr, b.getStringAttr(kernel.getName()));
  b.setInsertionPointAfter(kernel);
  b.insert(launch);
  return launch;
}

LogicalResult emitCachedBlocks(func::FuncOp kernel, nn::CachedDeltaRuleOp op) {
  if (failed(check(op)))
    return failure();
  func::FuncOp keep = addLaunch(kernel, "keep");
  auto copy = *keep.getOps<nn::CachedDeltaRuleOp>().begin();
  return failure(failed(emitRule(kernel, op, /*isFirst=*/true)) ||
                 failed(emitRule(keep, copy, /*isFirst=*/false)));
}

} // namespace

LogicalResult zero::emitDeltaBlocks(func::FuncOp kernel, Operation *op) {
  if (auto forward = dyn_cast<nn::GatedDeltaRuleOp>(op))
    return failure(failed(check(forward)) ||
                   failed(emitForward(kernel, forward)));
  if (auto cached = dyn_cast<nn::CachedDeltaRuleOp>(op))
    return emitCachedBlocks(kernel, cached);
  if (auto conv = dyn_cast<nn::CachedCausalConvOp>(op))
    return failure(failed(checkType(op, conv.getX().getType())) ||
                   failed(emitConv(kernel, conv)));
  auto backward = cast<nn::GatedDeltaRuleBackwardOp>(op);
  if (failed(check(backward)))
    return failure();
  if (!backward.getRoom())
    return op->emitOpError("has no room for what kernels of GPUs keep between "
                           "their launches; compile from level step or before "
                           "with --target=cuda");
  func::FuncOp chunks = addLaunch(kernel, "chunks");
  return failure(failed(emitBackward(kernel, /*isFirst=*/true)) ||
                 failed(emitBackward(chunks, /*isFirst=*/false)));
}
