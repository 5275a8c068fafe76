//===- CachedAttention.cpp - Attention with kept keys and values ----------===//
//
// The linalg form is the definition, for `--reference`: scores with all T
// places of a slot, of which those are hidden that a query does not see.
//
// Loop names: s slot, g head of keys and values, n query head within g, i
// query, j place, d element of a head.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;

LogicalResult CachedAttentionOp::verify() {
  RankedTensorType q = getQ().getType(), k = getK().getType(),
                   keys = getKeys().getType();
  const bool haveRanks =
      q.getRank() == 4 && k.getRank() == 4 && keys.getRank() == 4;
  if (!haveRanks || k.getDimSize(0) != q.getDimSize(0) ||
      k.getDimSize(1) != q.getDimSize(1) ||
      k.getDimSize(3) != q.getDimSize(3)) // (C1)
    return emitOpError("q must be [S, C, H, D] and k, v [S, C, G, D], got ")
           << q << " and " << k;
  const int64_t heads = q.getDimSize(2), kvHeads = k.getDimSize(2);
  if (kvHeads == 0 || heads % kvHeads != 0) // (C1)
    return emitOpError("has ")
           << heads << " query heads, which must be a multiple of the "
           << kvHeads << " heads of keys and values";
  auto kept = RankedTensorType::get(
      {q.getDimSize(0), kvHeads, keys.getDimSize(2), q.getDimSize(3)},
      k.getElementType());
  if (keys != kept) // (C1)
    return emitOpError("keys and values must be [S, G, T, D], here ")
           << kept << ", got " << keys;
  for (Value each : {getBegin(), getCount(), getStarts()})
    if (each && cast<RankedTensorType>(each.getType()).getShape() !=
                    q.getShape().take_front(1)) // (C2)
      return emitOpError("begin, count and starts must have the shape [S] of "
                         "q, which is ")
             << q << ", got " << each.getType();
  if (std::optional<uint64_t> window = getWindow();
      window && static_cast<int64_t>(*window) <= 0) // (C3)
    return emitOpError("window must be positive, got ")
           << static_cast<int64_t>(*window);
  if (std::optional<APFloat> cap = getSoftCap();
      cap && !(cap->convertToDouble() > 0 && cap->isFinite())) // (C3)
    return emitOpError("soft_cap must be positive and finite, got ")
           << cap->convertToDouble();
  return success();
}

namespace {

/// An i32 of a body as an index.
Value indexOf(const Scalars &in, Value number) {
  return in.emit<arith::IndexCastOp>(in.b.getIndexType(), number);
}

/// `kept` with the rows of `fresh`, [S, C, G, D], put to their places.
Value put(CachedAttentionOp op, OpBuilder &b, Value kept, Value fresh) {
  const int64_t rows = op.getK().getType().getDimSize(1);
  return elementwise(
      b, op.getLoc(), {kept, op.getBegin(), op.getCount()}, {"sgjd", "s", "s"},
      "sgjd", [&](const Scalars &in) {
        Value row = in.emit<arith::SubIOp>(in.index(2),
                                           indexOf(in, in.values[1])),
              zero = in.number(0), last = in.number(rows - 1),
              clamped = in.emit<arith::MinSIOp>(
                  in.emit<arith::MaxSIOp>(row, zero).getResult(), last);
        Value isAfter = in.compare(arith::CmpIPredicate::sge, row, zero),
              isBefore = in.compare(arith::CmpIPredicate::slt, row,
                                    indexOf(in, in.values[2])),
              isNew = in.emit<arith::AndIOp>(isAfter, isBefore);
        S value =
            in.extract(fresh, {in.index(0), clamped, in.index(1), in.index(3)});
        return select(isNew, value, in[0]);
      });
}

} // namespace

SmallVector<Value> CachedAttentionOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = getQ().getType();
  const int64_t kvHeads = getK().getType().getDimSize(2);
  const double scale = getScale().convertToDouble();
  Value nextKeys = put(*this, b, getKeys(), getK()),
        nextValues = put(*this, b, getValues(), getV());
  Value k = widen(b, loc, nextKeys), v = widen(b, loc, nextValues),
        q = widen(b, loc, getQ());
  SmallVector<int64_t> shape(type.getShape());
  shape[2] /= kvHeads;
  shape.insert(shape.begin() + 2, kvHeads);
  const SmallVector<ReassociationIndices> parts = {{0}, {1}, {2, 3}, {4}};
  auto wide = cast<RankedTensorType>(q.getType());
  q = tensor::ExpandShapeOp::create(b, loc, wide.clone(shape), q, parts);

  Value scores =
      reduceSum(b, loc, {q, k}, {"signd", "sgjd"}, "sgnij", multiply, "sgnijd");
  SmallVector<Value> inputs = {scores, getBegin()};
  SmallVector<StringRef> maps = {"sgnij", "s"};
  if (Value starts = getStarts()) {
    inputs.push_back(starts);
    maps.push_back("s");
  }
  scores = elementwise(b, loc, inputs, maps, "sgnij", [&](const Scalars &in) {
    S x = scale * in[0];
    if (getSoftCap()) {
      const double cap = getSoftCap()->convertToDouble();
      x = cap * tanh(x / x.constant(cap));
    }
    Value j = in.index(4),
          last = in.emit<arith::AddIOp>(indexOf(in, in.values[1]), in.index(3));
    Value seen = in.compare(arith::CmpIPredicate::sle, j, last);
    auto both = [&](Value other) {
      seen = in.emit<arith::AndIOp>(seen, other);
    };
    if (std::optional<uint64_t> window = getWindow()) {
      Value end = in.emit<arith::AddIOp>(j, in.number(int64_t(*window)));
      both(in.compare(arith::CmpIPredicate::sgt, end, last));
    }
    if (getStarts()) {
      Value start = in.emit<arith::MinSIOp>(indexOf(in, in.values[2]), last);
      both(in.compare(arith::CmpIPredicate::sge, j, start));
    }
    return select(seen, x, x.constant(-INFINITY));
  });
  Value max = reduceMax(b, loc, {scores}, {"sgnij"}, "sgni", identity);
  Value e = elementwise(b, loc, {scores, max}, {"sgnij", "sgni"}, "sgnij",
                        expOfDifference);
  Value sum = reduceSum(b, loc, {e}, {"sgnij"}, "sgni", identity);
  Value p = elementwise(b, loc, {e, sum}, {"sgnij", "sgni"}, "sgnij", divide);
  Value o =
      reduceSum(b, loc, {p, v}, {"sgnij", "sgjd"}, "signd", multiply, "signdj");
  o = elementwise(
      b, loc, {o, getCount()}, {"signd", "s"}, "signd", [&](const Scalars &in) {
        Value isThere = in.compare(arith::CmpIPredicate::slt, in.index(1),
                                   indexOf(in, in.values[1]));
        return select(isThere, in[0], in[0].constant(0));
      });
  o = tensor::CollapseShapeOp::create(b, loc, wide, o, parts);
  return {roundTo(b, loc, o, type), nextKeys, nextValues};
}

/// As if each query read all T places, which is an upper bound.
// A unit has the query heads of a head of keys, which it puts first.
SmallVector<int64_t> CachedAttentionOp::getKernelSpace() {
  return headsOf(getK());
}
Value CachedAttentionOp::getOverwritten(unsigned result) {
  return result == 0 ? Value() : result == 1 ? getKeys() : getValues();
}
bool CachedAttentionOp::writesUnused() { return true; }
