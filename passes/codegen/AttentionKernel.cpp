//===- AttentionKernel.cpp - Attention as calls of the runtime ------------===//
//
// Units are pairs of a batch and a head: a query head forward, and a head of
// keys and values backward.  Each is one call of zrt_attention or
// zrt_attention_backward, which read and write heads where they lie.
//
// So are those of nn.cached_attention: a slot and a head of keys and values, by
// zrt_cached_attention, which puts rows into the head's caches.  On processors
// nn.library_attention is nn.attention; its backward first makes the sums of
// dO O in its room, by zrt_attention_sums.
//
//   %o = nn.attention %q, %k, %v      =>  for unit in [begin, end)
//                                           call @zrt_attention(T, S, D, ...,
//                                             address and row stride of q, ...)
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"
#include "passes/codegen/RuntimeCall.h"

#include "abi/zrt.h"
#include "dialect/nn/LibraryAttention.h"
#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class AttentionEmitter : RuntimeCall {
public:
  AttentionEmitter(func::FuncOp kernel, Operation *op, OpBuilder &b,
                   KernelViews &views, zrt::Kernel16 products)
      : RuntimeCall(kernel, op, b, views), products(products) {}

  LogicalResult forward(nn::AttentionOp attention);
  /// With `library`, `delta` is made of its operands in its room.
  LogicalResult backward(nn::AttentionBackwardOp attention,
                         nn::LibraryAttentionBackwardOp library = {});
  LogicalResult cached(nn::CachedAttentionOp attention);

private:
  const zrt::Kernel16 products;

  /// Makes the sums of dO O of the unit's query heads; returns a view of those
  /// of all heads, [B, H, T], or null after an error.
  Value makeSums(nn::LibraryAttentionBackwardOp library, Value grad);

  /// Passes T, S, D, scale and cap; S is the number of keys.
  template <typename OpT>
  LogicalResult passSizes(OpT attention, int64_t keys) {
    RankedTensorType q = attention.getQ().getType();
    if (q.getDimSize(3) > ZRT_MAX_ATTENTION_WIDTH)
      return op->emitOpError("has heads of width ")
             << q.getDimSize(3) << ", and a kernel for up to "
             << ZRT_MAX_ATTENTION_WIDTH << "; compile with --reference";
    passInteger(q.getDimSize(1));
    passInteger(keys);
    passInteger(q.getDimSize(3));
    passFloat(attention.getScale().convertToDouble());
    std::optional<APFloat> cap = attention.getSoftCap();
    passFloat(cap ? cap->convertToDouble() : 0);
    return success();
  }

  /// Passes the type of elements, and what multiplies them.
  void passElement(Type element) {
    passInteger(element.isBF16()  ? ZRT_BF16
                : element.isF16() ? ZRT_F16
                                  : ZRT_F32,
                32);
    passInteger(element.isF32() ? 0 : static_cast<int64_t>(products), 32);
  }

  /// Passes T, S, D, scale, cap, the mask, dropout, and the type of elements.
  template <typename OpT>
  LogicalResult passShape(OpT attention) {
    RankedTensorType q = attention.getQ().getType(),
                     k = attention.getK().getType();
    if (failed(passSizes(attention, k.getDimSize(1))))
      return failure();
    passInteger(attention.getCausal(), 32);
    passInteger(attention.getWindow().value_or(0));
    if (failed(passOfBatch(attention.getStarts())) ||
        failed(passOfBatch(attention.getKeys())))
      return failure();
    passInteger(attention.getPlace().value_or(0));
    std::optional<APFloat> rate = attention.getRate();
    args.push_back(arith::ConstantOp::create(
        b, loc, b.getF64FloatAttr(rate ? rate->convertToDouble() : 0)));
    args.push_back(arith::IndexCastOp::create(b, loc, b.getI64Type(), head));
    passElement(q.getElementType());
    return success();
  }

  /// Passes the statistics of the heads from `ofHead` on, [B, H, T], and sets
  /// the distance of heads.
  LogicalResult passStatistic(Value view, Value ofHead, int64_t &distance) {
    SmallVector<int64_t> strides;
    if (failed(passAddress(view, ofHead, 1, strides)))
      return failure();
    distance = strides[1];
    return success();
  }
};

LogicalResult AttentionEmitter::forward(nn::AttentionOp attention) {
  Value q = views.operand(attention.getQ()),
        k = views.operand(attention.getK()),
        v = views.operand(attention.getV()),
        out = views.result(attention.getResult()),
        lse = attention.getLse() ? views.result(attention.getLse()) : Value();
  if (!q || !k || !v || !out ||
      (attention.getLse() && !lse && !attention.getLse().use_empty()))
    return op->emitOpError("is used in a way that its kernel does not support");
  const int64_t heads = attention.getQ().getType().getDimSize(2),
                kvHeads = attention.getK().getType().getDimSize(2);
  openUnits(heads);
  Value kvHead = div(head, heads / kvHeads);
  if (failed(passShape(attention)) || failed(passRows(q, head)) ||
      failed(passRows({k, v}, kvHead)) || failed(passRows(out, head)))
    return failure();
  int64_t distance;
  if (!lse)
    passNull();
  else if (failed(passStatistic(lse, head, distance)))
    return failure();
  call("zrt_attention");
  return success();
}

Value AttentionEmitter::makeSums(nn::LibraryAttentionBackwardOp library,
                                 Value grad) {
  Value out = views.operand(library.getOut()),
        room = views.result(library.getRoom());
  RankedTensorType q = library.getQ().getType(),
                   lse = library.getLse().getType();
  if (!out || !room)
    return {};
  Value all = memref::SubViewOp::create(b, loc, room, ArrayRef<int64_t>(0),
                                        ArrayRef(lse.getNumElements()),
                                        ArrayRef<int64_t>(1));
  Value sums = memref::ExpandShapeOp::create(b, loc, lse.getShape(), all,
                                             ReassociationIndices{0, 1, 2});
  SmallVector<Value> ofAttention = std::move(args);
  args.clear();
  passInteger(q.getDimSize(1));
  passInteger(q.getDimSize(3));
  passElement(q.getElementType());
  passInteger(q.getDimSize(2) / library.getK().getType().getDimSize(2));
  int64_t distance;
  if (failed(passRows({grad, out}, head, /*passHeads=*/true)) ||
      failed(passStatistic(sums, head, distance)))
    return {};
  passInteger(distance);
  call("zrt_attention_sums");
  args = std::move(ofAttention);
  return sums;
}

LogicalResult
AttentionEmitter::backward(nn::AttentionBackwardOp attention,
                           nn::LibraryAttentionBackwardOp library) {
  Value grad = views.operand(attention.getGrad()),
        q = views.operand(attention.getQ()),
        k = views.operand(attention.getK()),
        v = views.operand(attention.getV()),
        lse = views.operand(attention.getLse()),
        delta = views.operand(attention.getDelta()),
        dq = views.result(attention.getDq()),
        dk = views.result(attention.getDk()),
        dv = views.result(attention.getDv());
  if (!grad || !q || !k || !v || !lse || !delta || !dq || !dk || !dv)
    return op->emitOpError("is used in a way that its kernel does not support");
  const int64_t kvHeads = attention.getK().getType().getDimSize(2),
                perKvHead = attention.getQ().getType().getDimSize(2) / kvHeads;
  openUnits(kvHeads);
  Value kvHead = head;
  head = mul(kvHead, perKvHead);
  if (library && !(delta = makeSums(library, grad)))
    return op->emitOpError("is used in a way that its kernel does not support");
  if (failed(passShape(attention)))
    return failure();
  passInteger(perKvHead);
  constexpr bool kPassHeads = true;
  if (failed(passRows({grad, q}, head, kPassHeads)) ||
      failed(passRows({k, v}, kvHead)))
    return failure();
  int64_t ofLse, ofDelta;
  if (failed(passStatistic(lse, head, ofLse)) ||
      failed(passStatistic(delta, head, ofDelta)))
    return failure();
  if (ofLse != ofDelta)
    return op->emitOpError("is used in a way that its kernel does not support");
  passInteger(ofLse);
  if (failed(passRows(dq, head, kPassHeads)) ||
      failed(passRows({dk, dv}, kvHead)))
    return failure();
  call("zrt_attention_backward");
  return success();
}

LogicalResult AttentionEmitter::cached(nn::CachedAttentionOp attention) {
  Value q = views.operand(attention.getQ()),
        k = views.operand(attention.getK()),
        v = views.operand(attention.getV()),
        out = views.result(attention.getResult()),
        keys = views.result(attention.getNextKeys()),
        values = views.result(attention.getNextValues());
  if (!q || !k || !v || !out || !keys || !values)
    return op->emitOpError("is used in a way that its kernel does not support");
  const int64_t kvHeads = attention.getK().getType().getDimSize(2),
                perKvHead = attention.getQ().getType().getDimSize(2) / kvHeads;
  openUnits(kvHeads);
  Value kvHead = head;
  head = mul(kvHead, perKvHead);
  if (failed(passSizes(attention, attention.getKeys().getType().getDimSize(2))))
    return failure();
  passInteger(attention.getWindow().value_or(0));
  if (failed(passOfBatch(attention.getBegin())) ||
      failed(passOfBatch(attention.getCount())) ||
      failed(passOfBatch(attention.getStarts())))
    return failure();
  passElement(attention.getQ().getType().getElementType());
  passInteger(perKvHead);
  constexpr bool kPassHeads = true;
  if (failed(passRows(q, head, kPassHeads)) || failed(passRows({k, v}, kvHead)))
    return failure();
  for (Value cache : {keys, values}) {
    SmallVector<int64_t> strides;
    if (failed(passAddress(cache, kvHead, 1, strides)))
      return failure();
    passInteger(strides[2]);
  }
  if (failed(passRows(out, head, kPassHeads)))
    return failure();
  call("zrt_cached_attention");
  return success();
}

} // namespace

/// Puts the operation that kernels compute before one of a library, which keeps
/// only the use of its room.
static void replaceLibrary(nn::LibraryAttentionOp library) {
  OpBuilder b(library);
  nn::AttentionOp op = nn::asAttention(b, library);
  library.getResult().replaceAllUsesWith(op.getResult());
  if (library.getLse())
    library.getLse().replaceAllUsesWith(op.getLse());
}

/// The same; its `delta` is another.
static void replaceLibrary(nn::LibraryAttentionBackwardOp library) {
  OpBuilder b(library);
  nn::AttentionBackwardOp op =
      nn::asAttention(b, library, /*delta=*/library.getLse());
  for (unsigned i = 0; i < 3; ++i)
    library->getResult(i).replaceAllUsesWith(op->getResult(i));
}

LogicalResult zero::emitAttentionKernel(func::FuncOp kernel,
                                        zrt::Kernel16 products) {
  nn::AttentionOp forward;
  nn::AttentionBackwardOp backward;
  nn::CachedAttentionOp cached;
  nn::LibraryAttentionBackwardOp library;
  kernel.walk([&](nn::LibraryAttentionOp op) { replaceLibrary(op); });
  kernel.walk([&](nn::LibraryAttentionBackwardOp op) {
    replaceLibrary(op);
    library = op;
  });
  kernel.walk([&](nn::AttentionOp op) { forward = op; });
  kernel.walk([&](nn::AttentionBackwardOp op) { backward = op; });
  kernel.walk([&](nn::CachedAttentionOp op) { cached = op; });
  OpBuilder b(kernel.getContext());
  Operation *op = forward    ? forward.getOperation()
                  : backward ? backward.getOperation()
                             : cached.getOperation();
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return op->emitOpError("has a kernel for f32, bf16 and f16; compile with "
                           "--reference");
  KernelViews views(kernel, b);
  AttentionEmitter emitter(kernel, op, b, views, products);
  LogicalResult result = forward    ? emitter.forward(forward)
                         : backward ? emitter.backward(backward, library)
                                    : emitter.cached(cached);
  if (succeeded(result))
    views.finish();
  return result;
}
