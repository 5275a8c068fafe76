//===- DeltaRule.cpp - The gated delta rule and its backward --------------===//
//
// The linalg forms are the recurrence, position by position; they serve
// `--reference`, checks of derivatives, and as the definition.  Kernels compute
// chunks (runtime/device/cpu/delta).
//
// Loop names: b batch, g head of q and k, n head of v within g, x element of a
// key, y element of a value.
//
//===----------------------------------------------------------------------===//

#include "numerics/DeltaRule.h"
#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::nn;

/// The type of `states` for operands q and v.
static RankedTensorType statesOf(RankedTensorType q, RankedTensorType v) {
  return v.clone({v.getDimSize(0), v.getDimSize(2),
                  zrt::deltaChunks(v.getDimSize(1)), q.getDimSize(3),
                  v.getDimSize(3)});
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
  return verifyRule(*this);
}

namespace {

/// What the recurrence computes at one position.
struct Position {
  Value before;  ///< S of the position before
  Value decayed; ///< with the decay
  Value after;
  Value miss; ///< what v is more than predicted
  Value u;
};

/// The linalg form, whose values have heads [.., G, N, ..].
template <typename OpT>
struct Recurrence {
  OpT op;
  OpBuilder &b;
  Location loc = op.getLoc();
  RankedTensorType q = op.getQ().getType(), v = op.getV().getType();
  int64_t batch = v.getDimSize(0), length = v.getDimSize(1),
          keyHeads = q.getDimSize(2), perHead = v.getDimSize(2) / keyHeads,
          keyWidth = q.getDimSize(3), valueWidth = v.getDimSize(3);

  RankedTensorType type(ArrayRef<int64_t> shape) { return v.clone(shape); }
  RankedTensorType stateType() {
    return type({batch, keyHeads, perHead, keyWidth, valueWidth});
  }

  /// [B, H, ...] as [B, G, N, ...].
  Value splitHeads(Value row) {
    auto whole = cast<RankedTensorType>(row.getType());
    SmallVector<int64_t> shape(whole.getShape());
    shape[1] = keyHeads;
    shape.insert(shape.begin() + 2, perHead);
    return tensor::ExpandShapeOp::create(b, loc, whole.clone(shape), row,
                                         partsOf(whole.getRank()));
  }

  Value joinHeads(Value row) {
    auto whole = cast<RankedTensorType>(row.getType());
    SmallVector<int64_t> shape(whole.getShape());
    shape[1] *= shape[2];
    shape.erase(shape.begin() + 2);
    return tensor::CollapseShapeOp::create(b, loc, whole.clone(shape), row,
                                           partsOf(int64_t(shape.size())));
  }

  static SmallVector<ReassociationIndices> partsOf(int64_t rank) {
    SmallVector<ReassociationIndices> parts = {{0}, {1, 2}};
    for (int64_t dim = 2; dim < rank; ++dim)
      parts.push_back({dim + 1});
    return parts;
  }

  Value query(int64_t t) { return keyRow(op.getQ(), t); }
  Value key(int64_t t) { return keyRow(op.getK(), t); }
  Value keyRow(Value of, int64_t t) {
    return slice(of, t, {batch, keyHeads, keyWidth});
  }
  Value valueRow(Value of, int64_t t) {
    return splitHeads(slice(of, t, {batch, keyHeads * perHead, valueWidth}));
  }
  Value numberRow(Value of, int64_t t) {
    return splitHeads(slice(of, t, {batch, keyHeads * perHead}));
  }

  Value slice(Value of, int64_t t, ArrayRef<int64_t> shape) {
    auto whole = cast<RankedTensorType>(of.getType());
    const unsigned rank = whole.getRank();
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes,
        strides(rank, b.getIndexAttr(1));
    for (int64_t size : whole.getShape())
      sizes.push_back(b.getIndexAttr(size));
    offsets[1] = b.getIndexAttr(t);
    sizes[1] = b.getIndexAttr(1);
    return tensor::ExtractSliceOp::create(b, loc, whole.clone(shape), of,
                                          offsets, sizes, strides);
  }

  /// `into` with `row`, [B, ...] or with heads apart, at index t of dimension
  /// `dim`.
  Value insert(Value row, Value into, int64_t t, unsigned dim = 1) {
    auto whole = cast<RankedTensorType>(into.getType());
    const unsigned rank = whole.getRank();
    if (cast<RankedTensorType>(row.getType()).getRank() == rank)
      row = joinHeads(row);
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes,
        strides(rank, b.getIndexAttr(1));
    for (int64_t size : whole.getShape())
      sizes.push_back(b.getIndexAttr(size));
    offsets[dim] = b.getIndexAttr(t);
    sizes[dim] = b.getIndexAttr(1);
    return tensor::InsertSliceOp::create(b, loc, row, into, offsets, sizes,
                                         strides);
  }

  /// x times the decay of position t; `letters` are those of x.
  Value decay(Value x, StringRef letters, int64_t t) {
    SmallVector<Value> inputs = {x, numberRow(op.getGates(), t)};
    SmallVector<StringRef> maps = {letters, "bgn"};
    if (op.getStarts()) {
      inputs.push_back(slice(op.getStarts(), t, {batch}));
      maps.push_back("b");
    }
    return elementwise(b, loc, inputs, maps, letters, [&](const Scalars &in) {
      S decayed = in[0] * exp(in[1]);
      if (!op.getStarts())
        return decayed;
      Value number =
          arith::ConstantIntOp::create(in.b, in.loc, in.b.getI32Type(), t);
      Value begins = in.compare(arith::CmpIPredicate::sge, in[2], number);
      return select(begins, in[0].constant(0), decayed);
    });
  }

  Value stateBegin() { return zeros(b, loc, stateType()); }

  /// Position t, after the state `before`.
  Position step(Value before, int64_t t) {
    Position now;
    now.before = before;
    now.decayed = decay(before, "bgnxy", t);
    now.u = now.miss = valueRow(op.getV(), t);
    if (op.getBeta()) {
      Value predicted = reduceSum(b, loc, {now.decayed, key(t)},
                                  {"bgnxy", "bgx"}, "bgny", multiply, "bgnyx");
      now.miss = elementwise(b, loc, {now.miss, predicted},
                             [](const Scalars &in) { return in[0] - in[1]; });
      now.u = elementwise(b, loc, {now.miss, numberRow(op.getBeta(), t)},
                          {"bgny", "bgn"}, "bgny", multiply);
    }
    now.after = addOuter(now.decayed, key(t), now.u);
    return now;
  }

  /// s + x y^T.
  Value addOuter(Value s, Value x, Value y, double sign = 1) {
    return elementwise(b, loc, {s, x, y}, {"bgnxy", "bgx", "bgny"}, "bgnxy",
                       [&](const Scalars &in) {
                         S product = in[1] * in[2];
                         return in[0] + (sign < 0 ? -product : product);
                       });
  }

  /// s^T x.
  Value read(Value s, Value x) {
    return reduceSum(b, loc, {s, x}, {"bgnxy", "bgx"}, "bgny", multiply,
                     "bgnyx");
  }
  /// s y, added up over the heads that read a key.
  Value readKeys(Value s, Value y) {
    return reduceSum(b, loc, {s, y}, {"bgnxy", "bgny"}, "bgx", multiply,
                     "bgxny");
  }
};

} // namespace

SmallVector<Value> GatedDeltaRuleOp::emitLinalgForm(OpBuilder &b) {
  Recurrence<GatedDeltaRuleOp> form{*this, b};
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
      getGates().getType(), getBeta() ? getBeta().getType() : none, adjoints[0],
      getQ(), getK(), getV(), getGates(), getStates(), getBeta(), getStarts());
  out.append({op.getDq(), op.getDk(), op.getDv(), op.getDgates()});
  if (getBeta())
    out.push_back(op.getDbeta());
  out.resize(getNumOperands());
  return success();
}

SmallVector<Value> GatedDeltaRuleBackwardOp::emitLinalgForm(OpBuilder &b) {
  Recurrence<GatedDeltaRuleBackwardOp> form{*this, b};
  Location loc = getLoc();
  SmallVector<Position> positions;
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
    const Position &now = positions[t];
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
  if (!getBeta())
    return {dq, dk, dv, dgates};
  return {dq, dk, dv, dgates, dbeta};
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// Of `square` products of two rows of a chunk for each pair of a key's
/// elements, a value's, and `cross` products of a chunk with the state.
static int64_t ruleFlops(RankedTensorType q, RankedTensorType v,
                         int64_t ofPairs, int64_t ofState) {
  const int64_t positions = v.getDimSize(0) * v.getDimSize(1) * v.getDimSize(2),
                keys = q.getDimSize(3), values = v.getDimSize(3);
  return 2 * positions *
         (ofPairs * zrt::kDeltaChunk / 2 * (keys + values) +
          ofState * keys * values);
}

int64_t GatedDeltaRuleOp::getFlops(SymbolTableCollection &) {
  return ruleFlops(getQ().getType(), getV().getType(), 2, getBeta() ? 3 : 2);
}

int64_t GatedDeltaRuleBackwardOp::getFlops(SymbolTableCollection &) {
  return ruleFlops(getQ().getType(), getV().getType(), 6, getBeta() ? 8 : 5);
}

static void addRuleWork(Operation *op, int64_t flops, zero::Work &work) {
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
