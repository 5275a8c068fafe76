//===- Attention.cpp - Attention and its backward -------------------------===//
//
// The linalg forms here spell the mathematics with whole T x S matrices; they
// serve `--reference`, checks of derivatives, and as the definition.  The
// kernels that zeroc generates tile the same sums (passes/codegen).
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::nn;

/// The type of `lse`.
static RankedTensorType statisticsOf(RankedTensorType q) {
  return RankedTensorType::get(
      {q.getDimSize(0), q.getDimSize(2), q.getDimSize(1)},
      getSumType(q.getElementType()));
}

static LogicalResult verifyAttention(Operation *op, RankedTensorType q,
                                     RankedTensorType k, Type lse,
                                     bool causal) {
  if (q.getRank() != 4 || k.getRank() != 4 ||
      q.getDimSize(0) != k.getDimSize(0) ||
      q.getDimSize(2) != k.getDimSize(2) ||
      q.getDimSize(3) != k.getDimSize(3)) // (C1)
    return op->emitOpError("q must be [B, T, H, D] and k, v [B, S, H, D], got ")
           << q << " and " << k;
  if (causal && k.getDimSize(1) < q.getDimSize(1)) // (C2)
    return op->emitOpError(
               "causal attention needs at least as many keys as queries, got ")
           << k.getDimSize(1) << " and " << q.getDimSize(1);
  RankedTensorType expected = statisticsOf(q);
  if (lse && lse != expected) // (C3)
    return op->emitOpError("lse must be ") << expected << ", got " << lse;
  return success();
}

LogicalResult AttentionOp::verify() {
  return verifyAttention(*this, getQ().getType(), getK().getType(),
                         getLse() ? getLse().getType() : Type(), getCausal());
}

LogicalResult AttentionBackwardOp::verify() {
  return verifyAttention(*this, getQ().getType(), getK().getType(),
                         getLse().getType(), getCausal());
}

namespace {

/// Selects `x` where query i sees key j, else `other`; loops are b h i j.
S visible(OpBuilder &b, Location loc, S x, S other, int64_t offset) {
  Value i = linalg::IndexOp::create(b, loc, 2);
  Value j = linalg::IndexOp::create(b, loc, 3);
  Value shift = arith::ConstantIndexOp::create(b, loc, offset);
  Value last = arith::AddIOp::create(b, loc, i, shift);
  Value seen =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, j, last);
  return select(seen, x, other);
}

Value multiply(OpBuilder &b, Location loc, ValueRange in) {
  return S(b, loc, in[0]) * S(b, loc, in[1]);
}

Value identity(OpBuilder &, Location, ValueRange in) { return in[0]; }

/// scale * q k^T as b h i j, unmasked.
Value scores(OpBuilder &b, Location loc, Value q, Value k, double scale) {
  Value raw =
      reduceSum(b, loc, {q, k}, {"bihd", "bjhd"}, "bhij", multiply, "bhijd");
  return elementwise(
      b, loc, {raw}, {"bhij"}, "bhij",
      [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
        return scale * S(nested, at, in[0]);
      });
}

int64_t causalOffset(Value q, Value k) {
  return cast<RankedTensorType>(k.getType()).getDimSize(1) -
         cast<RankedTensorType>(q.getType()).getDimSize(1);
}

} // namespace

SmallVector<Value> AttentionOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  int64_t offset = causalOffset(getQ(), getK());
  Value q = widen(b, loc, getQ()), k = widen(b, loc, getK()),
        v = widen(b, loc, getV());
  Value s = scores(b, loc, q, k, getScale().convertToDouble());
  if (getCausal())
    s = elementwise(
        b, loc, {s}, {"bhij"}, "bhij",
        [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
          S x(nested, at, in[0]);
          return visible(nested, at, x, x.constant(-INFINITY), offset);
        });
  Value max = reduceMax(b, loc, {s}, {"bhij"}, "bhi", identity);
  Value e =
      elementwise(b, loc, {s, max}, {"bhij", "bhi"}, "bhij",
                  [](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    return exp(S(nested, at, in[0]) - S(nested, at, in[1]));
                  });
  Value sum = reduceSum(b, loc, {e}, {"bhij"}, "bhi", identity);
  Value p =
      elementwise(b, loc, {e, sum}, {"bhij", "bhi"}, "bhij",
                  [](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    return S(nested, at, in[0]) / S(nested, at, in[1]);
                  });
  Value o =
      reduceSum(b, loc, {p, v}, {"bhij", "bjhd"}, "bihd", multiply, "bihdj");
  o = roundTo(b, loc, o, getResult().getType());
  if (!getLse())
    return {o};
  Value lse =
      elementwise(b, loc, {max, sum}, {"bhi", "bhi"}, "bhi",
                  [](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    return S(nested, at, in[0]) + log(S(nested, at, in[1]));
                  });
  return {o, lse};
}

void AttentionOp::saveForBackward(RewriterBase &rewriter) {
  if (getLse())
    return;
  RankedTensorType q = getQ().getType();
  rewriter.setInsertionPoint(*this);
  auto op =
      AttentionOp::create(rewriter, getLoc(), q, statisticsOf(q), getQ(),
                          getK(), getV(), getScaleAttr(), getCausalAttr());
  rewriter.replaceOp(*this, op.getResult());
}

LogicalResult AttentionOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                         ArrayRef<bool>,
                                         SmallVectorImpl<Value> &out) {
  auto op = AttentionBackwardOp::create(
      b, getLoc(), getQ().getType(), getK().getType(), getV().getType(),
      adjoints[0], getQ(), getK(), getV(), getLse(), getScaleAttr(),
      getCausalAttr());
  out.append({op.getDq(), op.getDk(), op.getDv()});
  return success();
}

SmallVector<Value> AttentionBackwardOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  double scale = getScale().convertToDouble();
  int64_t offset = causalOffset(getQ(), getK());
  Value q = widen(b, loc, getQ()), k = widen(b, loc, getK()),
        v = widen(b, loc, getV()), grad = widen(b, loc, getGrad());
  Value s = scores(b, loc, q, k, scale);
  Value p = elementwise(
      b, loc, {s, getLse()}, {"bhij", "bhi"}, "bhij",
      [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
        S x = exp(S(nested, at, in[0]) - S(nested, at, in[1]));
        return getCausal() ? visible(nested, at, x, x.constant(0), offset) : x;
      });
  Value dp =
      reduceSum(b, loc, {grad, v}, {"bihd", "bjhd"}, "bhij", multiply, "bhijd");
  Value dot = reduceSum(b, loc, {p, dp}, {"bhij", "bhij"}, "bhi", multiply);
  Value ds =
      elementwise(b, loc, {p, dp, dot}, {"bhij", "bhij", "bhi"}, "bhij",
                  [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    auto x = [&](unsigned i) { return S(nested, at, in[i]); };
                    return scale * (x(0) * (x(1) - x(2)));
                  });
  Value dq =
      reduceSum(b, loc, {ds, k}, {"bhij", "bjhd"}, "bihd", multiply, "bihdj");
  Value dk =
      reduceSum(b, loc, {ds, q}, {"bhij", "bihd"}, "bjhd", multiply, "bjhdi");
  Value dv =
      reduceSum(b, loc, {p, grad}, {"bhij", "bihd"}, "bjhd", multiply, "bjhdi");
  return {roundTo(b, loc, dq, getDq().getType()),
          roundTo(b, loc, dk, getDk().getType()),
          roundTo(b, loc, dv, getDv().getType())};
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Floating-point operations of `products` products of a T x S matrix with D
/// columns, for each batch and head; those of positions that are seen.  What is
/// done once for each of these positions is left out: it is 1 of D.
static int64_t productFlops(RankedTensorType q, RankedTensorType k, bool causal,
                            int64_t products) {
  int64_t rows = q.getDimSize(1), columns = k.getDimSize(1);
  // Row i of T sees i + 1 + (S - T) positions of S.
  int64_t seen =
      causal ? rows * columns - rows * (rows - 1) / 2 : rows * columns;
  return 2 * products * seen * q.getDimSize(0) * q.getDimSize(2) *
         q.getDimSize(3);
}

int64_t AttentionOp::getFlops(SymbolTableCollection &) {
  return productFlops(cast<RankedTensorType>(getQ().getType()),
                      cast<RankedTensorType>(getK().getType()), getCausal(),
                      /*products=*/2);
}

int64_t AttentionBackwardOp::getFlops(SymbolTableCollection &) {
  // q k^T again, dO v^T, dS k, dS^T q and P^T dO.
  return productFlops(cast<RankedTensorType>(getQ().getType()),
                      cast<RankedTensorType>(getK().getType()), getCausal(),
                      /*products=*/5);
}
