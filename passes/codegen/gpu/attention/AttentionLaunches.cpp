//===- AttentionLaunches.cpp - Attention as launches of blocks ------------===//
//
// Units are those of the CPU's kernel: a query head of a batch forward, a head
// of keys backward.  Many blocks share a unit.
//
//   @k  nn.attention           =>  @k(..., thread, shared, unit, part)
//   @k  nn.attention_backward  =>  @k for dK and dV, and @k.queries of the
//                                  same arguments for dQ
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/AttentionLaunches.h"

#include "abi/zrt.h"
#include "passes/codegen/gpu/attention/MmaAttention.h"
#include "passes/codegen/gpu/threads/HalfWarpBuffers.h"

using namespace mlir;
using namespace mlir::zero;

static_assert(kAttentionSharedBytes <= kMaxSharedBytes &&
              AttentionCode::kThreads == kBlockThreads);

namespace {

/// Three blocks at once leave 168 registers per thread.  That is enough where
/// `fits` says so, for heads of up to 64 columns without cap and dropout.
void describeTensorLaunch(func::FuncOp function, const AttentionShape &shape,
                          bool fits) {
  Builder b(function.getContext());
  function->setAttr(kRoundsAttr, b.getUnitAttr());
  if (fits && shape.width <= 64 && shape.softCap == 0 && shape.rate == 0)
    function->setAttr(kBlocksAtOnceAttr, b.getI64IntegerAttr(3));
}

/// The widest heads whose sums and rows fit into the registers of a warp, or of
/// two in the backward.
constexpr int64_t kMaxTensorWidth = 256;

/// Decides whether tensor cores compute the products.
template <typename OpT>
bool takesTensorCores(OpT op, AttentionUnits units) {
  RankedTensorType q = op.getQ().getType();
  return units != AttentionUnits::F32 && q.getElementTypeBitWidth() == 16 &&
         q.getDimSize(3) <= kMaxTensorWidth;
}

/// The view of an operand, or null if there is none.
Value viewIfAny(KernelViews &views, Value operand) {
  return operand ? views.operand(cast<TypedValue<RankedTensorType>>(operand))
                 : Value();
}

LogicalResult refuse(Operation *op) {
  return op->emitOpError("is used in a way that its kernel does not support");
}

LogicalResult emitForward(func::FuncOp kernel, nn::AttentionOp op,
                          AttentionUnits units) {
  OpBuilder b(kernel.getContext());
  KernelViews views(kernel, b, /*isHalfWarp=*/true);
  Value q = views.operand(op.getQ()), k = views.operand(op.getK()),
        v = views.operand(op.getV()), out = views.result(op.getResult()),
        lse = op.getLse() ? views.result(op.getLse()) : Value(),
        starts = viewIfAny(views, op.getStarts()),
        keys = viewIfAny(views, op.getKeys());
  if (!q || !k || !v || !out || (op.getStarts() && !starts) ||
      (op.getKeys() && !keys) ||
      (op.getLse() && !lse && !op.getLse().use_empty()))
    return refuse(op);
  const AttentionShape shape = shapeOf(op);
  auto operandsOf = [&](AttentionBase &code) -> ForwardOperands {
    code.batch = code.div(views.begin, shape.heads);
    code.head = code.rem(views.begin, shape.heads);
    code.openDropout(keys);
    Value keyHead = code.div(code.head, shape.headsPerKey());
    return {{q, code.head}, {k, keyHead}, {v, keyHead}, {out, code.head}, lse};
  };
  if (takesTensorCores(op, units)) {
    const TensorSizes sizes = tensorSizes(shape.width, std::nullopt);
    TensorCode code(b, op.getLoc(), shape, sizes,
                    op.getQ().getType().getElementType(), views, starts);
    emitTensorForward(code, operandsOf(code));
    describeParts(kernel, countTensorParts(shape, sizes),
                  tensorSharedBytes(sizes, std::nullopt));
    describeTensorLaunch(kernel, shape, !shape.window && !starts);
  } else {
    AttentionCode code(b, op.getLoc(), shape, views, starts);
    emitForwardBlock(code, operandsOf(code));
    describeParts(kernel, countForwardParts(shape), kAttentionSharedBytes);
  }
  views.finish();
  return success();
}

LogicalResult emitBackward(func::FuncOp kernel, nn::AttentionBackwardOp op,
                           BackwardLaunch launch, AttentionUnits units) {
  OpBuilder b(kernel.getContext());
  KernelViews views(kernel, b, /*isHalfWarp=*/true);
  Value grad = views.operand(op.getGrad()), q = views.operand(op.getQ()),
        k = views.operand(op.getK()), v = views.operand(op.getV()),
        lse = views.operand(op.getLse()), delta = views.operand(op.getDelta()),
        dq = views.result(op.getDq()), dk = views.result(op.getDk()),
        dv = views.result(op.getDv()),
        starts = viewIfAny(views, op.getStarts()),
        keys = viewIfAny(views, op.getKeys());
  if (!grad || !q || !k || !v || !lse || !delta || !dq || !dk || !dv ||
      (op.getStarts() && !starts) || (op.getKeys() && !keys))
    return refuse(op);
  AttentionShape shape = shapeOf(op);
  auto operandsOf = [&](AttentionBase &code) -> BackwardOperands {
    code.batch = code.div(views.begin, shape.keyHeads);
    code.openDropout(keys);
    Value keyHead = code.rem(views.begin, shape.keyHeads),
          first = code.mul(keyHead, shape.headsPerKey());
    return {{grad, first}, {q, first},  {k, keyHead},  {v, keyHead}, lse,
            delta,         {dq, first}, {dk, keyHead}, {dv, keyHead}};
  };
  if (takesTensorCores(op, units)) {
    const bool isKeys = launch == BackwardLaunch::Keys;
    const TensorSizes sizes = tensorSizes(shape.width, launch);
    TensorCode code(b, op.getLoc(), shape, sizes,
                    op.getQ().getType().getElementType(), views, starts);
    emitTensorBackward(code, operandsOf(code), launch);
    describeParts(kernel,
                  isKeys ? llvm::divideCeil(shape.keys, sizes.blockRows())
                         : countTensorParts(shape, sizes) * shape.headsPerKey(),
                  tensorSharedBytes(sizes, launch));
    describeTensorLaunch(kernel, shape, launch != BackwardLaunch::Queries);
  } else {
    // The sums of one block of queries come in addition to the total sums.
    if (launch == BackwardLaunch::Keys && shape.addsToKeys)
      shape.held = 1;
    AttentionCode code(b, op.getLoc(), shape, views, starts);
    emitBackwardBlock(code, operandsOf(code), launch);
    describeParts(kernel, countBackwardParts(shape, launch),
                  kAttentionSharedBytes);
  }
  views.finish();
  return success();
}

LogicalResult emitCached(func::FuncOp kernel, nn::CachedAttentionOp op) {
  OpBuilder b(kernel.getContext());
  KernelViews views(kernel, b, /*isHalfWarp=*/true);
  const CachedOperands all = {
      views.operand(op.getQ()),        views.operand(op.getK()),
      views.operand(op.getV()),        views.operand(op.getKeys()),
      views.operand(op.getValues()),   views.operand(op.getBegin()),
      views.operand(op.getCount()),    viewIfAny(views, op.getStarts()),
      views.result(op.getResult()),    views.result(op.getNextKeys()),
      views.result(op.getNextValues())};
  if (!all.q || !all.k || !all.v || !all.keys || !all.values || !all.begin ||
      !all.count || (op.getStarts() && !all.starts) || !all.out ||
      !all.nextKeys || !all.nextValues)
    return refuse(op);
  const int64_t bytes = emitCachedAttentionBlock(b, op, views, all);
  RankedTensorType q = op.getQ().getType();
  describeParts(kernel,
                q.getDimSize(1) * q.getDimSize(2) /
                    op.getK().getType().getDimSize(2),
                bytes);
  views.finish();
  return success();
}

/// The attention in `kernel`, forward or backward; the other one is null.
std::pair<nn::AttentionOp, nn::AttentionBackwardOp>
findAttention(func::FuncOp kernel) {
  std::pair<nn::AttentionOp, nn::AttentionBackwardOp> found;
  kernel.walk([&](nn::AttentionOp op) { found.first = op; });
  kernel.walk([&](nn::AttentionBackwardOp op) { found.second = op; });
  return found;
}

/// Fails with an error if no kernel supports the operation's types and sizes.
template <typename OpT>
LogicalResult check(OpT op, AttentionUnits units) {
  RankedTensorType q = op.getQ().getType();
  Type element = q.getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return op->emitOpError("has a kernel for f32, bf16 and f16; compile with "
                           "--reference");
  if (q.getDimSize(3) > ZRT_MAX_ATTENTION_WIDTH)
    return op->emitOpError("has heads of width ")
           << q.getDimSize(3) << ", and a kernel for up to "
           << ZRT_MAX_ATTENTION_WIDTH;
  if (units == AttentionUnits::TensorCores && !takesTensorCores(op, units))
    return op->emitOpError("has heads of width ")
           << q.getDimSize(3) << " of " << element
           << ", and a kernel for tensor cores for bf16 and f16 up to width "
           << kMaxTensorWidth << "; drop --attention=tensor-cores";
  return success();
}

} // namespace

LogicalResult zero::emitAttentionBlocks(func::FuncOp kernel,
                                        AttentionUnits units) {
  nn::CachedAttentionOp cached;
  kernel.walk([&](nn::CachedAttentionOp op) { cached = op; });
  if (cached)
    return failure(failed(check(cached, AttentionUnits::F32)) ||
                   failed(emitCached(kernel, cached)));
  auto [forward, backward] = findAttention(kernel);
  if (!forward && !backward)
    return kernel->emitError("is attention of a library, and has no code");
  if (forward)
    return failure(failed(check(forward, units)) ||
                   failed(emitForward(kernel, forward, units)));
  if (failed(check(backward, units)))
    return failure();
  func::FuncOp queries = kernel.clone();
  queries.setName((kernel.getName() + ".queries").str());
  OpBuilder b(kernel);
  b.setInsertionPointAfter(kernel);
  queries->setAttr(kLaunchOfAttr, b.getStringAttr(kernel.getName()));
  b.insert(queries);
  for (auto [function, launch] : {std::pair(kernel, BackwardLaunch::Keys),
                                  std::pair(queries, BackwardLaunch::Queries)})
    if (failed(emitBackward(function, findAttention(function).second, launch,
                            units)))
      return failure();
  return success();
}
