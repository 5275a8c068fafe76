//===- DeltaRuleKernel.cpp - The delta rule as calls of the runtime -------===//
//
// Units are pairs of a batch and a head: a head of values forward, by
// zrt_gated_delta_rule, and a head of queries and keys backward, by
// zrt_gated_delta_rule_backward.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/KernelCode.h"
#include "passes/codegen/RuntimeCall.h"

#include "abi/zrt.h"
#include "dialect/nn/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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

private:
  /// Opens the loop over units of `heads`, and passes T, K, V and starts.
  template <typename OpT>
  LogicalResult passSizes(OpT rule, int64_t heads) {
    const int64_t keyWidth = rule.getQ().getType().getDimSize(3),
                  valueWidth = rule.getV().getType().getDimSize(3);
    if (std::max(keyWidth, valueWidth) > ZRT_MAX_DELTA_WIDTH)
      return op->emitError("has heads of width ")
             << std::max(keyWidth, valueWidth) << ", and a kernel for up to "
             << ZRT_MAX_DELTA_WIDTH << "; compile with --reference";
    openUnits(heads);
    passInteger(rule.getV().getType().getDimSize(1));
    passInteger(keyWidth);
    passInteger(valueWidth);
    return passOfBatch(rule.getStarts());
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
    return op->emitError(kNoView);
  const int64_t heads = rule.getV().getType().getDimSize(2),
                keyHeads = rule.getQ().getType().getDimSize(2);
  if (failed(passSizes(rule, heads)))
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
    return op->emitError(kNoView);
  const int64_t keyHeads = rule.getQ().getType().getDimSize(2),
                perHead = rule.getV().getType().getDimSize(2) / keyHeads;
  if (failed(passSizes(rule, keyHeads)))
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
  return success();
}

LogicalResult zero::emitDeltaRuleKernel(func::FuncOp kernel, Operation *op) {
  if (!getElementTypeOrSelf(op->getResult(0)).isF32())
    return op->emitError("has a kernel for f32; compile with --reference");
  OpBuilder b(kernel.getContext());
  KernelViews views(kernel, b);
  DeltaRuleEmitter emitter(kernel, op, b, views);
  auto forward = dyn_cast<nn::GatedDeltaRuleOp>(op);
  LogicalResult result =
      forward ? emitter.forward(forward)
              : emitter.backward(cast<nn::GatedDeltaRuleBackwardOp>(op));
  if (succeeded(result))
    views.finish();
  return result;
}
