//===- DeltaRuleKernel.cpp - The delta rule as calls of the runtime -------===//
//
// Units are pairs of a batch and a head: a head of values forward, by
// zrt_gated_delta_rule, and a head of queries and keys backward, by
// zrt_gated_delta_rule_backward, and with a kept state, by
// zrt_cached_delta_rule.  Those of a convolution with kept inputs, by
// zrt_cached_causal_conv, are slots.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"
#include "passes/codegen/RuntimeCall.h"

#include "abi/zrt.h"
#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <utility>

using namespace mlir;
using namespace mlir::zero;

namespace {

class DeltaRuleEmitter : RuntimeCall {
public:
  DeltaRuleEmitter(func::FuncOp kernel, Operation *op, OpBuilder &b,
                   KernelViews &views)
      : RuntimeCall(kernel, op, b, views) {}

  LogicalResult forward(nn::GatedDeltaRuleOp rule);
  LogicalResult backward(nn::GatedDeltaRuleBackwardOp rule);
  LogicalResult cached(nn::CachedDeltaRuleOp rule);
  LogicalResult cached(nn::CachedCausalConvOp conv);

private:
  /// Opens the loop over units of `heads`, and passes T, K and V.
  template <typename OpT>
  LogicalResult passSizes(OpT rule, int64_t heads) {
    const int64_t keyWidth = rule.getQ().getType().getDimSize(3),
                  valueWidth = rule.getV().getType().getDimSize(3);
    if (std::max(keyWidth, valueWidth) > ZRT_MAX_DELTA_WIDTH)
      return op->emitOpError("has heads of width ")
             << std::max(keyWidth, valueWidth) << ", and a kernel for up to "
             << ZRT_MAX_DELTA_WIDTH << "; compile with --reference";
    openUnits(heads);
    passInteger(rule.getV().getType().getDimSize(1));
    passInteger(keyWidth);
    passInteger(valueWidth);
    return success();
  }

  /// Passes rows, or none for a null view.
  LogicalResult passOptional(Value view, Value ofHead, bool passHeads = false) {
    if (view)
      return passRows(view, ofHead, passHeads);
    passNull();
    passInteger(0);
    if (passHeads)
      passInteger(0);
    return success();
  }

  /// Writes zeros to all elements of `view` at `place`.
  void clear(Value view, Values place) {
    ArrayRef<int64_t> shape = cast<MemRefType>(view.getType()).getShape();
    if (place.size() == shape.size())
      return storeOne(f32(0), view, place);
    loop(index(0), index(shape[place.size()]), 1, {},
         [&](Value i, ArrayRef<Value>) {
           Values inner = place;
           inner.push_back(i);
           clear(view, inner);
           return Values();
         });
  }

  Value operandOf(TypedValue<RankedTensorType> value) {
    return value ? views.operand(value) : Value();
  }
};

} // namespace

static constexpr llvm::StringLiteral kNoView =
    "is used in a way that its kernel does not support";

LogicalResult DeltaRuleEmitter::forward(nn::GatedDeltaRuleOp rule) {
  Value q = operandOf(rule.getQ()), k = operandOf(rule.getK()),
        v = operandOf(rule.getV()), gates = operandOf(rule.getGates()),
        beta = operandOf(rule.getBeta()), out = views.result(rule.getResult()),
        states = rule.getStates() ? views.result(rule.getStates()) : Value();
  if (!q || !k || !v || !gates || !out || bool(beta) != bool(rule.getBeta()) ||
      (rule.getStates() && !states && !rule.getStates().use_empty()))
    return op->emitOpError(kNoView);
  const int64_t heads = rule.getV().getType().getDimSize(2),
                keyHeads = rule.getQ().getType().getDimSize(2);
  if (failed(passSizes(rule, heads)) || failed(passOfBatch(rule.getStarts())))
    return failure();
  Value keyHead = div(head, heads / keyHeads);
  if (failed(passRows({q, k}, keyHead)) || failed(passRows({v, gates}, head)) ||
      failed(passOptional(beta, head)) || failed(passRows(out, head)))
    return failure();
  SmallVector<int64_t> strides;
  if (!states)
    passNull();
  else if (failed(passAddress(states, head, 1, strides)))
    return failure();
  call("zrt_gated_delta_rule");
  return success();
}

LogicalResult DeltaRuleEmitter::backward(nn::GatedDeltaRuleBackwardOp rule) {
  Value grad = operandOf(rule.getGrad()), q = operandOf(rule.getQ()),
        k = operandOf(rule.getK()), v = operandOf(rule.getV()),
        gates = operandOf(rule.getGates()), beta = operandOf(rule.getBeta()),
        states = operandOf(rule.getStates()), dq = views.result(rule.getDq()),
        dk = views.result(rule.getDk()), dv = views.result(rule.getDv()),
        dgates = views.result(rule.getDgates()),
        dbeta = rule.getDbeta() ? views.result(rule.getDbeta()) : Value();
  if (!grad || !q || !k || !v || !gates || !states || !dq || !dk || !dv ||
      !dgates || bool(beta) != bool(rule.getBeta()) ||
      bool(dbeta) != bool(rule.getDbeta()))
    return op->emitOpError(kNoView);
  const int64_t keyHeads = rule.getQ().getType().getDimSize(2),
                perHead = rule.getV().getType().getDimSize(2) / keyHeads;
  if (failed(passSizes(rule, keyHeads)) ||
      failed(passOfBatch(rule.getStarts())))
    return failure();
  passInteger(perHead);
  Value keyHead = head, first = mul(head, perHead);
  constexpr bool kPassHeads = true;
  SmallVector<int64_t> strides;
  if (failed(passRows(grad, first, kPassHeads)) ||
      failed(passRows({q, k}, keyHead)) ||
      failed(passRows({v, gates}, first, kPassHeads)) ||
      failed(passOptional(beta, first, kPassHeads)) ||
      failed(passAddress(states, first, 1, strides)))
    return failure();
  passInteger(strides[1]);
  if (failed(passRows({dq, dk}, keyHead)) ||
      failed(passRows({dv, dgates}, first, kPassHeads)) ||
      failed(passOptional(dbeta, first, kPassHeads)))
    return failure();
  call("zrt_gated_delta_rule_backward");
  if (rule.getRoom()) {
    Value room = views.result(rule.getRoom());
    if (!room)
      return op->emitOpError(kNoView);
    for (int64_t n = 0; n < perHead; ++n)
      clear(room, {batch, add(first, n)});
  }
  return success();
}

LogicalResult DeltaRuleEmitter::cached(nn::CachedDeltaRuleOp rule) {
  Value q = operandOf(rule.getQ()), k = operandOf(rule.getK()),
        v = operandOf(rule.getV()), gates = operandOf(rule.getGates()),
        beta = operandOf(rule.getBeta()), out = views.result(rule.getResult()),
        state = views.result(rule.getNextState()),
        keys = views.result(rule.getNextKeys()),
        updates = views.result(rule.getNextUpdates()),
        decays = views.result(rule.getNextDecays());
  if (!q || !k || !v || !gates || !out || !state || !keys || !updates ||
      !decays || bool(beta) != bool(rule.getBeta()))
    return op->emitOpError(kNoView);
  const int64_t keyHeads = rule.getQ().getType().getDimSize(2),
                perHead = rule.getV().getType().getDimSize(2) / keyHeads;
  if (failed(passSizes(rule, keyHeads)) ||
      failed(passOfBatch(rule.getBegin())) ||
      failed(passOfBatch(rule.getCount())) ||
      failed(passOfBatch(rule.getStarts())))
    return failure();
  passInteger(perHead);
  Value keyHead = head, first = mul(head, perHead);
  constexpr bool kPassHeads = true;
  if (failed(passRows({q, k}, keyHead)) ||
      failed(passRows({v, gates}, first, kPassHeads)) ||
      failed(passOptional(beta, first, kPassHeads)))
    return failure();
  for (Value kept : {state, keys, updates, decays}) {
    SmallVector<int64_t> strides;
    const bool isOfKeys = kept == keys;
    if (failed(passAddress(kept, isOfKeys ? keyHead : first, 1, strides)))
      return failure();
    if (!isOfKeys)
      passInteger(strides[1]);
  }
  if (failed(passRows(out, first, kPassHeads)))
    return failure();
  call("zrt_cached_delta_rule");
  return success();
}

LogicalResult DeltaRuleEmitter::cached(nn::CachedCausalConvOp conv) {
  Value x = operandOf(conv.getX()), weight = operandOf(conv.getWeight()),
        out = views.result(conv.getResult()),
        inputs = views.result(conv.getNextInputs());
  if (!x || !weight || !out || !inputs)
    return op->emitOpError(kNoView);
  RankedTensorType type = conv.getX().getType();
  openUnits(/*heads=*/1);
  passInteger(type.getDimSize(1));
  passInteger(type.getDimSize(2));
  passInteger(conv.getWeight().getType().getDimSize(1));
  passInteger(conv.getInputs().getType().getDimSize(1));
  if (failed(passOfBatch(conv.getBegin())) ||
      failed(passOfBatch(conv.getCount())) ||
      failed(passOfBatch(conv.getStarts())))
    return failure();
  SmallVector<int64_t> strides;
  const auto passMatrix = [&](Value view, unsigned rows) -> LogicalResult {
    strides.clear();
    if (failed(passAddress(view, Value(), 0, strides)))
      return failure();
    passInteger(strides[rows]);
    return success();
  };
  if (failed(passMatrix(x, 1)))
    return failure();
  // All slots have one weight.
  Value slot = std::exchange(batch, index(0));
  if (failed(passMatrix(weight, 0)))
    return failure();
  batch = slot;
  strides.clear();
  if (failed(passAddress(inputs, Value(), 0, strides)) ||
      failed(passMatrix(out, 1)))
    return failure();
  call("zrt_cached_causal_conv");
  return success();
}

LogicalResult zero::emitDeltaRuleKernel(func::FuncOp kernel, Operation *op) {
  if (!getElementTypeOrSelf(op->getResult(0)).isF32())
    return op->emitOpError("has a kernel for f32; compile with --reference");
  OpBuilder b(kernel.getContext());
  KernelViews views(kernel, b);
  DeltaRuleEmitter emitter(kernel, op, b, views);
  auto forward = dyn_cast<nn::GatedDeltaRuleOp>(op);
  auto cached = dyn_cast<nn::CachedDeltaRuleOp>(op);
  auto conv = dyn_cast<nn::CachedCausalConvOp>(op);
  LogicalResult result =
      forward  ? emitter.forward(forward)
      : cached ? emitter.cached(cached)
      : conv   ? emitter.cached(conv)
               : emitter.backward(cast<nn::GatedDeltaRuleBackwardOp>(op));
  if (succeeded(result))
    views.finish();
  return result;
}
