//===- DecodedCaches.cpp - Operations that keep something of a sequence ---===//
//
// Those that read other positions.  Attention keeps keys and values of all T
// positions; convolutions and delta rules keep a state, which does not grow
// with T:
//
//   nn.cached_attention    keys, values             [S, G, T, D]
//   nn.cached_causal_conv  inputs                   [S, 64 + K - 1, C]
//   nn.cached_delta_rule   state, and of a chunk    [S, H, K, V]
//                          keys, updates, decays    [S, G or H, 64, ...]
//
// A sequence with states may go back to any position of its last chunk of 64
// positions, for which a convolution needs the K - 1 inputs before it.
//
//===----------------------------------------------------------------------===//

#include "passes/model/DecodedRows.h"

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::zero;

BlockArgument DecodedRows::addCache(Operation *op, Value like,
                                    ArrayRef<int64_t> shape, StringRef what) {
  StringAttr name = b.getStringAttr(Twine(layers) + "." + what);
  const unsigned place = function.getNumArguments();
  (void)function.insertArgument(
      place, tensorTypeOf(like).clone(shape),
      b.getDictionaryAttr(b.getNamedAttr(kCacheAttr, name)),
      NameLoc::get(name, op->getLoc()));
  return function.getArgument(place);
}

Value DecodedRows::documentOf(Value starts) {
  if (!starts)
    return {};
  if (starts.getDefiningOp<nn::DocumentStartsOp>())
    return in.document;
  // A slot holds one document from its first position on.
  return arith::ConstantOp::create(
      b, starts.getLoc(),
      DenseElementsAttr::get(tensorTypeOf(in.begin), b.getI32IntegerAttr(0)));
}

bool DecodedRows::areRowsOfSlots(ValueRange values) const {
  return llvm::all_of(values, [&](Value value) {
    auto known = rows.find(value);
    return known != rows.end() && known->second.dim == 1 &&
           known->second.inner == 1;
  });
}

LogicalResult DecodedRows::visitAttention(nn::AttentionOp op) {
  if (!areRowsOfSlots({op.getQ(), op.getK(), op.getV()}) || !op.getCausal() ||
      op.getK().getType().getDimSize(1) != op.getQ().getType().getDimSize(1))
    return mixes(op);
  Value k = lookup(op.getK()), v = lookup(op.getV());
  const bool isOfDocuments =
      op.getStarts() && op.getStarts().getDefiningOp<nn::DocumentStartsOp>();
  RankedTensorType type = tensorTypeOf(k);
  const int64_t shape[] = {type.getDimSize(0), type.getDimSize(2), in.positions,
                           type.getDimSize(3)};
  // Layers that share keys and values share their caches.
  auto [shared, isFirst] =
      attended.try_emplace({op.getK(), op.getV()}, caches.size());
  if (isFirst) {
    caches.emplace_back(addCache(op, k, shape, "keys"), Value());
    caches.emplace_back(addCache(op, v, shape, "values"), Value());
    ++layers;
  }
  auto &[keys, nextKeys] = caches[shared->second];
  auto &[values, nextValues] = caches[shared->second + 1];
  auto fresh = nn::CachedAttentionOp::create(
      b, op.getLoc(), resized(op.getResult(), 1), keys.getType(),
      values.getType(), lookup(op.getQ()), k, v, isFirst ? keys : nextKeys,
      isFirst ? values : nextValues, in.begin, in.count,
      isOfDocuments ? in.document : Value(), op.getScaleAttr(),
      op.getWindowAttr(), op.getSoftCapAttr());
  rows[op.getResult()] = {fresh.getResult(), 1, 1};
  nextKeys = fresh.getNextKeys();
  nextValues = fresh.getNextValues();
  return success();
}

LogicalResult DecodedRows::visitConv(nn::CausalConvOp op) {
  if (!areRowsOfSlots(op.getX()) || hasRows(op.getWeight()))
    return mixes(op);
  Value x = lookup(op.getX());
  RankedTensorType type = tensorTypeOf(x);
  const int64_t taps = op.getWeight().getType().getDimSize(1),
                chunk = nn::getDeltaChunk();
  BlockArgument inputs = addCache(
      op, x, {type.getDimSize(0), chunk + taps - 1, type.getDimSize(2)},
      "inputs");
  ++layers;
  auto fresh = nn::CachedCausalConvOp::create(
      b, op.getLoc(), type, inputs.getType(), x, op.getWeight(), inputs,
      in.begin, in.count, documentOf(op.getStarts()));
  rows[op.getResult()] = {fresh.getResult(), 1, 1};
  caches.push_back({inputs, fresh.getNextInputs()});
  return success();
}

LogicalResult DecodedRows::visitRule(nn::GatedDeltaRuleOp op) {
  if (!areRowsOfSlots({op.getQ(), op.getK(), op.getV(), op.getGates()}) ||
      (op.getBeta() && !areRowsOfSlots(Value(op.getBeta()))))
    return mixes(op);
  Value k = lookup(op.getK()), v = lookup(op.getV());
  RankedTensorType ofKeys = tensorTypeOf(k), ofValues = tensorTypeOf(v);
  const int64_t slots = ofValues.getDimSize(0), heads = ofValues.getDimSize(2),
                keyWidth = ofKeys.getDimSize(3),
                valueWidth = ofValues.getDimSize(3),
                chunk = nn::getDeltaChunk();
  BlockArgument state = addCache(op, v, {slots, heads, keyWidth, valueWidth},
                                 "state"),
                keys = addCache(op, k,
                                {slots, ofKeys.getDimSize(2), chunk, keyWidth},
                                "keys"),
                updates = addCache(op, v, {slots, heads, chunk, valueWidth},
                                   "updates"),
                decays = addCache(op, v, {slots, heads, chunk}, "decays");
  ++layers;
  auto fresh = nn::CachedDeltaRuleOp::create(
      b, op.getLoc(), ofValues, state.getType(), keys.getType(),
      updates.getType(), decays.getType(), lookup(op.getQ()), k, v,
      lookup(op.getGates()), state, keys, updates, decays, in.begin, in.count,
      op.getBeta() ? lookup(op.getBeta()) : Value(),
      documentOf(op.getStarts()));
  rows[op.getResult()] = {fresh.getResult(), 1, 1};
  caches.append({{state, fresh.getNextState()},
                 {keys, fresh.getNextKeys()},
                 {updates, fresh.getNextUpdates()},
                 {decays, fresh.getNextDecays()}});
  return success();
}
