//===- Attention.cpp - Attention and its backward -------------------------===//
//
// The linalg forms here spell the mathematics with whole T x S matrices; they
// serve `--reference`, checks of derivatives, and as the definition.  The
// kernels that zeroc generates tile the same sums (passes/codegen).
//
// Loop names: b batch, g head of keys and values, n query head within g, i
// query, j key, d element of a head.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/AttentionWork.h"
#include "dialect/nn/Dropout.h"
#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::nn;

/// The type of `lse`.
static RankedTensorType statisticsOf(RankedTensorType q) {
  return RankedTensorType::get(
      {q.getDimSize(0), q.getDimSize(2), q.getDimSize(1)},
      getSumType(q.getElementType()));
}

template <typename OpT>
static LogicalResult verifyAttention(OpT op) {
  RankedTensorType q = op.getQ().getType(), k = op.getK().getType();
  if (q.getRank() != 4 || k.getRank() != 4 ||
      q.getDimSize(0) != k.getDimSize(0) ||
      q.getDimSize(3) != k.getDimSize(3)) // (C1)
    return op.emitOpError("q must be [B, T, H, D] and k, v [B, S, G, D], got ")
           << q << " and " << k;
  int64_t heads = q.getDimSize(2), kvHeads = k.getDimSize(2);
  if (kvHeads == 0 ? heads != 0 : heads % kvHeads != 0) // (C1)
    return op.emitOpError("has ")
           << heads << " query heads, which must be a multiple of the "
           << kvHeads << " heads of keys and values";
  if (op.getCausal() && k.getDimSize(1) < q.getDimSize(1)) // (C2)
    return op.emitOpError(
               "causal attention needs at least as many keys as queries, got ")
           << k.getDimSize(1) << " and " << q.getDimSize(1);
  RankedTensorType expected = statisticsOf(q);
  if (op.getLse() && op.getLse().getType() != expected) // (C3)
    return op.emitOpError("lse must be ")
           << expected << ", got " << op.getLse().getType();
  if (std::optional<uint64_t> window = op.getWindow();
      window && static_cast<int64_t>(*window) <= 0) // (C4)
    return op.emitOpError("window must be positive, got ")
           << static_cast<int64_t>(*window);
  if (std::optional<APFloat> cap = op.getSoftCap();
      cap && !(cap->convertToDouble() > 0 && cap->isFinite())) // (C5)
    return op.emitOpError("soft_cap must be positive and finite, got ")
           << cap->convertToDouble();
  if (Value starts = op.getStarts()) {
    auto type = cast<RankedTensorType>(starts.getType());
    if (type.getShape() != q.getShape().take_front(2)) // (C6)
      return op.emitOpError("starts must have the shape [B, T] of q, which is ")
             << q << ", got " << type;
  }
  if (!op.getCausal() && (op.getWindow() || op.getStarts())) // (C4, C6)
    return op.emitOpError(op.getWindow() ? "window" : "starts")
           << " hides positions before a query's own; add causal";
  Value keys = op.getKeys();
  if (bool(keys) != op.getRate().has_value() ||
      bool(keys) != op.getPlace().has_value()) // (C7)
    return op.emitOpError("dropout has keys, rate and place; give all or none");
  std::optional<APFloat> rate = op.getRate();
  if (!keys || !rate)
    return success();
  if (auto type = cast<RankedTensorType>(keys.getType());
      type.getShape() != q.getShape().take_front(1)) // (C7)
    return op.emitOpError("keys must have the shape [B] of q, which is ")
           << q << ", got " << type;
  return verifyRate(op, rate->convertToDouble()); // (C7)
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this); }
LogicalResult AttentionBackwardOp::verify() { return verifyAttention(*this); }

namespace {

using Parts = SmallVector<ReassociationIndices>;

/// [B, T, H, D] as [B, T, G, N, D], and [B, H, T] as [B, G, N, T].
Value splitHeads(OpBuilder &b, Location loc, Value value, int64_t kvHeads) {
  auto type = cast<RankedTensorType>(value.getType());
  const bool isLse = type.getRank() == 3;
  const unsigned dim = isLse ? 1 : 2;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= kvHeads;
  shape.insert(shape.begin() + dim, kvHeads);
  Parts parts = isLse ? Parts{{0}, {1, 2}, {3}} : Parts{{0}, {1}, {2, 3}, {4}};
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), value, parts);
}

/// The inverse of splitHeads, to `type`.
Value joinHeads(OpBuilder &b, Location loc, Value value,
                RankedTensorType type) {
  Parts parts = type.getRank() == 3 ? Parts{{0}, {1, 2}, {3}}
                                    : Parts{{0}, {1}, {2, 3}, {4}};
  return tensor::CollapseShapeOp::create(
      b, loc,
      type.clone(cast<RankedTensorType>(value.getType()).getElementType()),
      value, parts);
}

/// The parts that `nn.attention` and its backward share.
template <typename OpT>
struct Form {
  OpT op;
  OpBuilder &b;
  Location loc = op.getLoc();
  int64_t kvHeads = op.getK().getType().getDimSize(2);
  int64_t offset =
      op.getK().getType().getDimSize(1) - op.getQ().getType().getDimSize(1);
  double scale = op.getScale().convertToDouble();
  Value q = splitHeads(b, loc, widen(b, loc, op.getQ()), kvHeads),
        k = widen(b, loc, op.getK()), v = widen(b, loc, op.getV());

  /// scale q k^T, capped; unmasked.
  Value scores() {
    Value raw = reduceSum(b, loc, {q, k}, {"bignd", "bjgd"}, "bgnij", multiply,
                          "bgnijd");
    return elementwise(b, loc, {raw}, [&](const Scalars &in) {
      S s = scale * in[0];
      if (!op.getSoftCap())
        return s;
      double cap = op.getSoftCap()->convertToDouble();
      return cap * tanh(s / s.constant(cap));
    });
  }

  /// `values`, with dropout if the operation has it.
  Value dropout(Value values) {
    if (!op.getKeys())
      return values;
    const int64_t groups = op.getQ().getType().getDimSize(2) / kvHeads;
    const int64_t shape[] = {kvHeads, groups, op.getQ().getType().getDimSize(1),
                             op.getK().getType().getDimSize(1)};
    return elementwise(b, loc, {values, op.getKeys()}, {"bgnij", "b"}, "bgnij",
                       [&](const Scalars &in) {
                         const Value places[] = {in.index(1), in.index(2),
                                                 in.index(3), in.index(4)};
                         return dropped(
                             in, in[0], in[1], numberOf(in, shape, places),
                             op.getRate()->convertToDouble(), *op.getPlace());
                       });
  }

  /// body(scalars of the inputs) where query i sees key j, else `hidden`.
  /// `maps` gives the loops of each input.
  Value masked(SmallVector<Value> inputs, SmallVector<StringRef> maps,
               double hidden, ScalarBody body) {
    const unsigned count = inputs.size();
    if (op.getStarts()) {
      inputs.push_back(op.getStarts());
      maps.push_back("bi");
    }
    return elementwise(b, loc, inputs, maps, "bgnij", [&](const Scalars &in) {
      ValueRange own = in.values.take_front(count);
      S x(in.b, in.loc, body({in.b, in.loc, own}));
      if (!op.getCausal())
        return x;
      Value seen = isSeen(in, in.values.drop_front(count));
      return select(seen, x, x.constant(hidden));
    });
  }

private:
  /// Whether query i sees key j, in a body of loops b g n i j.
  Value isSeen(const Scalars &in, ValueRange starts) {
    Value i = in.index(3), j = in.index(4);
    Value last = in.emit<arith::AddIOp>(i, in.number(offset));
    Value seen = in.compare(arith::CmpIPredicate::sle, j, last);
    auto both = [&](Value other) {
      seen = in.emit<arith::AndIOp>(seen, other);
    };
    if (std::optional<uint64_t> window = op.getWindow()) {
      Value end = in.emit<arith::AddIOp>(j, in.number(int64_t(*window)));
      both(in.compare(arith::CmpIPredicate::sgt, end, last));
    }
    if (!starts.empty()) {
      Value start = in.emit<arith::IndexCastOp>(in.b.getIndexType(), starts[0]);
      start = in.emit<arith::MinSIOp>(start, last);
      both(in.compare(arith::CmpIPredicate::sge, j, start));
    }
    return seen;
  }
};

} // namespace

SmallVector<Value> AttentionOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  Form<AttentionOp> form{*this, b};
  Value s = form.scores();
  if (getCausal())
    s = form.masked({s}, {"bgnij"}, -INFINITY, identity);
  Value max = reduceMax(b, loc, {s}, {"bgnij"}, "bgni", identity);
  Value e = elementwise(b, loc, {s, max}, {"bgnij", "bgni"}, "bgnij",
                        expOfDifference);
  Value sum = reduceSum(b, loc, {e}, {"bgnij"}, "bgni", identity);
  Value p = elementwise(b, loc, {e, sum}, {"bgnij", "bgni"}, "bgnij", divide);
  Value o = reduceSum(b, loc, {form.dropout(p), form.v}, {"bgnij", "bjgd"},
                      "bignd", multiply, "bigndj");
  o = roundTo(b, loc, joinHeads(b, loc, o, getResult().getType()),
              getResult().getType());
  if (!getLse())
    return {o};
  Value lse = elementwise(b, loc, {max, sum}, addLog);
  return {o,
          joinHeads(b, loc, lse, cast<RankedTensorType>(getLse().getType()))};
}

void AttentionOp::saveForBackward(RewriterBase &rewriter) {
  if (getLse())
    return;
  RankedTensorType q = getQ().getType();
  rewriter.setInsertionPoint(*this);
  auto op = AttentionOp::create(
      rewriter, getLoc(), q, statisticsOf(q), getQ(), getK(), getV(),
      getStarts(), getKeys(), getScaleAttr(), getCausalAttr(), getWindowAttr(),
      getSoftCapAttr(), getRateAttr(), getPlaceAttr());
  rewriter.replaceOp(*this, op.getResult());
}

LogicalResult AttentionOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                         ArrayRef<bool>,
                                         SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value grad = widen(b, loc, adjoints[0]), result = widen(b, loc, getResult());
  Value delta = reduceSum(b, loc, {grad, result}, {"bihd", "bihd"}, "bhi",
                          multiply, "bhid");
  auto op = AttentionBackwardOp::create(
      b, loc, getQ().getType(), getK().getType(), getV().getType(), adjoints[0],
      getQ(), getK(), getV(), getLse(), delta, getStarts(), getKeys(),
      getScaleAttr(), getCausalAttr(), getWindowAttr(), getSoftCapAttr(),
      getRateAttr(), getPlaceAttr());
  out.append({op.getDq(), op.getDk(), op.getDv()});
  out.resize(getNumOperands());
  return success();
}

SmallVector<Value> AttentionBackwardOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  Form<AttentionBackwardOp> form{*this, b};
  Value lse = splitHeads(b, loc, getLse(), form.kvHeads),
        delta = splitHeads(b, loc, getDelta(), form.kvHeads),
        grad = splitHeads(b, loc, widen(b, loc, getGrad()), form.kvHeads);
  Value s = form.scores();
  Value p = form.masked({s, lse}, {"bgnij", "bgni"}, 0, expOfDifference);
  Value dp = reduceSum(b, loc, {grad, form.v}, {"bignd", "bjgd"}, "bgnij",
                       multiply, "bgnijd");
  dp = form.dropout(dp);
  Value ds = elementwise(
      b, loc, {p, dp, delta, s}, {"bgnij", "bgnij", "bgni", "bgnij"}, "bgnij",
      [&](const Scalars &in) {
        S d = form.scale * (in[0] * (in[1] - in[2]));
        if (!getSoftCap())
          return d;
        S part = in[3] / in[3].constant(getSoftCap()->convertToDouble());
        return d * (1.0 - part * part);
      });
  Value dq = reduceSum(b, loc, {ds, form.k}, {"bgnij", "bjgd"}, "bignd",
                       multiply, "bigndj");
  Value dk = reduceSum(b, loc, {ds, form.q}, {"bgnij", "bignd"}, "bjgd",
                       multiply, "bjgdni");
  Value dv = reduceSum(b, loc, {form.dropout(p), grad}, {"bgnij", "bignd"},
                       "bjgd", multiply, "bjgdni");
  return {roundTo(b, loc, joinHeads(b, loc, dq, getDq().getType()),
                  getDq().getType()),
          roundTo(b, loc, dk, getDk().getType()),
          roundTo(b, loc, dv, getDv().getType())};
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

int64_t AttentionOp::getFlops(SymbolTableCollection &) {
  return countAttentionFlops(*this, kAttentionMatmuls);
}

int64_t AttentionBackwardOp::getFlops(SymbolTableCollection &) {
  return countAttentionFlops(*this, kAttentionBackwardMatmuls);
}

void AttentionOp::addWork(SymbolTableCollection &symbols, zero::Work &work) {
  addAttentionWork(*this, getQ(), getFlops(symbols), kAttentionMatmuls, work);
}

void AttentionBackwardOp::addWork(SymbolTableCollection &symbols,
                                  zero::Work &work) {
  addAttentionWork(*this, getQ(), getFlops(symbols), kAttentionBackwardMatmuls,
                   work);
}

SmallVector<int64_t> nn::headsOf(Value q) {
  auto type = cast<RankedTensorType>(q.getType());
  return {type.getDimSize(0), type.getDimSize(2)};
}

SmallVector<int64_t> AttentionOp::getKernelSpace() { return headsOf(getQ()); }

// A unit adds up the adjoints of all readers of a head of keys.
SmallVector<int64_t> AttentionBackwardOp::getKernelSpace() {
  return headsOf(getK());
}
bool AttentionBackwardOp::writesUnused() { return true; }
bool AttentionBackwardOp::writesIntoInserts() { return true; }

void nn::addAttentionWork(Operation *op, Value q, int64_t flops,
                          int64_t products, zero::Work &work) {
  auto heads = cast<RankedTensorType>(q.getType());
  const std::string kind = llvm::formatv(
      "{0}.{1}.", op->getName().stripDialect(), heads.getElementType());
  work[kind + "flop"] += double(flops);
  // Each product takes two flops for each column of a pair.
  work[kind + "score"] +=
      double(flops) / double(2 * products * heads.getShape().back());
}
