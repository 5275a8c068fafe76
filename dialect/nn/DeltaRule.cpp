//===- DeltaRule.cpp - The gated delta rule and its backward --------------===//
//
// The linalg forms are the recurrence, position by position; they serve
// `--reference`, checks of derivatives, and as the definition.  Kernels compute
// chunks (runtime/device/cpu/delta).
//
//===----------------------------------------------------------------------===//

#include "numerics/DeltaRule.h"
#include "dialect/nn/DeltaRuleForm.h"

using namespace mlir;
using namespace mlir::nn;

int64_t nn::getDeltaChunk() { return zrt::kDeltaChunk; }

/// The type of `states` for operands q and v.
static RankedTensorType statesOf(RankedTensorType q, RankedTensorType v) {
  return v.clone({v.getDimSize(0), v.getDimSize(2),
                  zrt::deltaChunks(v.getDimSize(1)), q.getDimSize(3),
                  v.getDimSize(3)});
}

/// The type of `room` for operands q and v.
static RankedTensorType roomOf(RankedTensorType q, RankedTensorType v,
                               bool hasBeta) {
  return v.clone(
      {v.getDimSize(0), v.getDimSize(2), zrt::deltaChunks(v.getDimSize(1)),
       q.getDimSize(3) + (hasBeta ? zrt::kDeltaChunk : 0), v.getDimSize(3)});
}

template <typename OpT>
static LogicalResult verifyRule(OpT op) {
  RankedTensorType q = op.getQ().getType(), v = op.getV().getType(),
                   gates = op.getGates().getType();
  if (q.getRank() != 4 || v.getRank() != 4 ||
      q.getShape().take_front(2) != v.getShape().take_front(2) ||
      q.getDimSize(2) == 0 || v.getDimSize(2) % q.getDimSize(2) != 0) // (C1)
    return op.emitOpError("q and k must be [B, T, G, K] and v [B, T, H, V], "
                          "with H a multiple of G, got ")
           << q << " and " << v;
  if (gates.getShape() != v.getShape().drop_back() ||
      (op.getBeta() && op.getBeta().getType() != gates)) // (C2)
    return op.emitOpError("gates and beta must be [B, T, H] of v, which is ")
           << v << ", got " << gates;
  if (Value starts = op.getStarts())
    if (auto type = cast<RankedTensorType>(starts.getType());
        type.getShape() != v.getShape().take_front(2)) // (C3)
      return op.emitOpError("starts must be [B, T] of v, which is ")
             << v << ", got " << type;
  if (op.getStates() && op.getStates().getType() != statesOf(q, v)) // (C4)
    return op.emitOpError("states must be ")
           << statesOf(q, v) << ", got " << op.getStates().getType();
  return success();
}

LogicalResult GatedDeltaRuleOp::verify() { return verifyRule(*this); }

LogicalResult GatedDeltaRuleBackwardOp::verify() {
  if (bool(getBeta()) != bool(getDbeta()) ||
      (getBeta() && getBeta().getType() != getDbeta().getType())) // (C1)
    return emitOpError("dbeta must have the type of beta, and be there with "
                       "it");
  if (failed(verifyRule(*this)))
    return failure();
  RankedTensorType room =
      roomOf(getQ().getType(), getV().getType(), bool(getBeta()));
  if (getRoom() && getRoom().getType() != room) // (C2)
    return emitOpError("room must be ")
           << room << ", got " << getRoom().getType();
  return success();
}

SmallVector<Value> GatedDeltaRuleOp::emitLinalgForm(OpBuilder &b) {
  DeltaRecurrence<GatedDeltaRuleOp> form{*this, b};
  Location loc = getLoc();
  Value out = emptyOf(b, loc, getResult().getType()), states;
  if (getStates())
    states = emptyOf(b, loc, cast<RankedTensorType>(getStates().getType()));
  Value state = form.stateBegin();
  for (int64_t t = 0; t < form.length; ++t) {
    if (states && t % zrt::kDeltaChunk == 0)
      states = form.insert(form.joinHeads(state), states, t / zrt::kDeltaChunk,
                           /*dim=*/2);
    state = form.step(state, t).after;
    out = form.insert(form.read(state, form.query(t)), out, t);
  }
  if (!states)
    return {out};
  return {out, states};
}

void GatedDeltaRuleOp::saveForBackward(RewriterBase &rewriter) {
  if (getStates())
    return;
  rewriter.setInsertionPoint(*this);
  auto op = GatedDeltaRuleOp::create(
      rewriter, getLoc(), getResult().getType(),
      statesOf(getQ().getType(), getV().getType()), getQ(), getK(), getV(),
      getGates(), getBeta(), getStarts());
  rewriter.replaceOp(*this, op.getResult());
}

LogicalResult GatedDeltaRuleOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                              ArrayRef<bool>,
                                              SmallVectorImpl<Value> &out) {
  Type none;
  auto op = GatedDeltaRuleBackwardOp::create(
      b, getLoc(), getQ().getType(), getK().getType(), getV().getType(),
      getGates().getType(), getBeta() ? getBeta().getType() : none,
      /*room=*/none, adjoints[0], getQ(), getK(), getV(), getGates(),
      getStates(), getBeta(), getStarts());
  out.append({op.getDq(), op.getDk(), op.getDv(), op.getDgates()});
  if (getBeta())
    out.push_back(op.getDbeta());
  out.resize(getNumOperands());
  return success();
}

SmallVector<Value> GatedDeltaRuleBackwardOp::emitLinalgForm(OpBuilder &b) {
  DeltaRecurrence<GatedDeltaRuleBackwardOp> form{*this, b};
  Location loc = getLoc();
  SmallVector<DeltaPosition> positions;
  Value state = form.stateBegin();
  for (int64_t t = 0; t < form.length; ++t) {
    positions.push_back(form.step(state, t));
    state = positions.back().after;
  }
  Value dq = emptyOf(b, loc, getDq().getType()),
        dk = emptyOf(b, loc, getDk().getType()),
        dv = emptyOf(b, loc, getDv().getType()),
        dgates = emptyOf(b, loc, getDgates().getType()), dbeta;
  if (getBeta())
    dbeta = emptyOf(b, loc, cast<RankedTensorType>(getDbeta().getType()));
  Value ds = form.stateBegin();
  for (int64_t t = form.length - 1; t >= 0; --t) {
    const DeltaPosition &now = positions[t];
    Value grad = form.valueRow(getGrad(), t), key = form.key(t);
    dq = form.insert(form.readKeys(now.after, grad), dq, t);
    ds = form.addOuter(ds, form.query(t), grad);
    Value du = form.read(ds, key), dkey = form.readKeys(ds, now.u);
    if (getBeta()) {
      dbeta = form.insert(
          reduceSum(b, loc, {du, now.miss}, {"bgny", "bgny"}, "bgn", multiply),
          dbeta, t);
      du = elementwise(b, loc, {du, form.numberRow(getBeta(), t)},
                       {"bgny", "bgn"}, "bgny", multiply);
      dkey = elementwise(b, loc, {dkey, form.readKeys(now.decayed, du)},
                         [](const Scalars &in) { return in[0] - in[1]; });
      ds = form.addOuter(ds, key, du, /*sign=*/-1);
    }
    dk = form.insert(dkey, dk, t);
    dv = form.insert(du, dv, t);
    Value sum = reduceSum(b, loc, {ds, now.before}, {"bgnxy", "bgnxy"}, "bgn",
                          multiply);
    dgates = form.insert(form.decay(sum, "bgn", t), dgates, t);
    ds = form.decay(ds, "bgnxy", t);
  }
  SmallVector<Value> results = {dq, dk, dv, dgates};
  if (getBeta())
    results.push_back(dbeta);
  if (getRoom())
    results.push_back(
        zeros(b, loc, cast<RankedTensorType>(getRoom().getType())));
  return results;
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

int64_t nn::countRuleFlops(RankedTensorType q, RankedTensorType v,
                           int64_t ofPairs, int64_t ofState) {
  const int64_t positions = v.getDimSize(0) * v.getDimSize(1) * v.getDimSize(2),
                keys = q.getDimSize(3), values = v.getDimSize(3);
  return 2 * positions *
         (ofPairs * zrt::kDeltaChunk / 2 * (keys + values) +
          ofState * keys * values);
}

int64_t GatedDeltaRuleOp::getFlops(SymbolTableCollection &) {
  return countRuleFlops(getQ().getType(), getV().getType(), 2,
                        getBeta() ? 3 : 2);
}

int64_t GatedDeltaRuleBackwardOp::getFlops(SymbolTableCollection &) {
  return countRuleFlops(getQ().getType(), getV().getType(), 6,
                        getBeta() ? 8 : 5);
}

void nn::addRuleWork(Operation *op, int64_t flops, zero::Work &work) {
  work[(op->getName().stripDialect() + ".flop").str()] += double(flops);
}

void GatedDeltaRuleOp::addWork(SymbolTableCollection &symbols,
                               zero::Work &work) {
  addRuleWork(*this, getFlops(symbols), work);
}

void GatedDeltaRuleBackwardOp::addWork(SymbolTableCollection &symbols,
                                       zero::Work &work) {
  addRuleWork(*this, getFlops(symbols), work);
}

SmallVector<int64_t> GatedDeltaRuleOp::getKernelSpace() {
  return headsOf(getV());
}

// A unit adds up the adjoints of all readers of a head of keys.
SmallVector<int64_t> GatedDeltaRuleBackwardOp::getKernelSpace() {
  return headsOf(getK());
}
bool GatedDeltaRuleBackwardOp::writesUnused() { return true; }

void GatedDeltaRuleBackwardOp::addRoom(RewriterBase &rewriter) {
  if (getRoom())
    return;
  rewriter.setInsertionPoint(*this);
  auto op = GatedDeltaRuleBackwardOp::create(
      rewriter, getLoc(), getDq().getType(), getDk().getType(),
      getDv().getType(), getDgates().getType(),
      getBeta() ? getBeta().getType() : Type(),
      roomOf(getQ().getType(), getV().getType(), bool(getBeta())), getGrad(),
      getQ(), getK(), getV(), getGates(), getStates(), getBeta(), getStarts());
  rewriter.replaceOp(*this, op->getResults().drop_back());
}
