//===- Norms.cpp - layer_norm ---------------------------------------------===//

#include "dialect/nn/Norms.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::nn;

LogicalResult nn::verifyEps(Operation *op, const APFloat &eps, Type element) {
  if (!(eps.convertToDouble() > 0))
    return op->emitOpError("eps must be positive, got ")
           << eps.convertToDouble();
  APFloat converted = eps;
  bool loses;
  converted.convert(cast<FloatType>(element).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &loses);
  if (!converted.isFiniteNonZero())
    return op->emitOpError("eps ")
           << eps.convertToDouble() << " is "
           << (converted.isZero() ? "0" : "not finite") << " in " << element;
  return success();
}

LogicalResult LayerNormOp::verify() {
  RankedTensorType x = getX().getType(), weight = getWeight().getType();
  if (x.getRank() < 1 || weight.getRank() != 1 ||
      weight.getDimSize(0) != x.getShape().back()) // (C1)
    return emitOpError("weight and bias must have the ")
           << (x.getRank() ? x.getShape().back() : 0)
           << " elements of a row of x, got " << weight;
  if (failed(verifyEps(*this, getEps(), x.getElementType()))) // (C2)
    return failure();
  if (bool(getMean()) != bool(getRstd())) // (C3)
    return emitOpError("statistics come together: mean and rstd, or neither");
  auto rows =
      RankedTensorType::get(x.getShape().drop_back(), x.getElementType());
  for (Value stat : {getMean(), getRstd()})
    if (stat && stat.getType() != rows) // (C3)
      return emitOpError("statistics must be ")
             << rows << ", got " << stat.getType();
  return success();
}

SmallVector<Value> LayerNormOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = getX().getType();
  std::string all = letters(type.getRank());
  StringRef rows = StringRef(all).drop_back(),
            last = StringRef(all).take_back();
  double count = type.getShape().back(), eps = getEps().convertToDouble();

  Value sum =
      reduceSum(b, loc, {getX()}, {all}, rows,
                [](OpBuilder &, Location, ValueRange in) { return in[0]; });
  Value mean =
      elementwise(b, loc, {sum}, {rows}, rows,
                  [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    S total(nested, at, in[0]);
                    return total / total.constant(count);
                  });
  Value squares =
      reduceSum(b, loc, {getX(), mean}, {all, rows}, rows,
                [](OpBuilder &nested, Location at, ValueRange in) -> Value {
                  S centred = S(nested, at, in[0]) - S(nested, at, in[1]);
                  return centred * centred;
                });
  Value rstd =
      elementwise(b, loc, {squares}, {rows}, rows,
                  [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    S total(nested, at, in[0]);
                    return 1.0 / sqrt(total / total.constant(count) + eps);
                  });
  Value y =
      elementwise(b, loc, {getX(), mean, rstd, getWeight(), getBias()},
                  {all, rows, rows, last, last}, all,
                  [](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    auto s = [&](unsigned i) { return S(nested, at, in[i]); };
                    return (s(0) - s(1)) * s(2) * s(3) + s(4);
                  });
  if (!getMean())
    return {y};
  return {y, mean, rstd};
}

void LayerNormOp::saveForBackward(RewriterBase &rewriter) {
  if (getMean())
    return;
  RankedTensorType type = getX().getType();
  auto rows =
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  rewriter.setInsertionPoint(*this);
  auto op = LayerNormOp::create(rewriter, getLoc(), type, rows, rows, getX(),
                                getWeight(), getBias(), getEpsAttr());
  rewriter.replaceOp(*this, op.getResult());
}

LogicalResult LayerNormOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                         ArrayRef<bool> needed,
                                         SmallVectorImpl<Value> &out) {
  // With xhat = (x - mean) rstd and g = weight dy (Ba et al., 2016):
  //   dweight = sum_rows dy xhat        dbias = sum_rows dy
  //   dx = rstd (g - mean(g) - xhat mean(g xhat))
  Location loc = getLoc();
  RankedTensorType type = getX().getType();
  std::string all = letters(type.getRank());
  StringRef rows = StringRef(all).drop_back(),
            last = StringRef(all).take_back();
  double count = type.getShape().back();
  Value x = getX(), dy = adjoints[0], mean = getMean(), rstd = getRstd(),
        weight = getWeight();

  Value dx, dweight, dbias;
  if (needed[0]) {
    Value sumG =
        reduceSum(b, loc, {dy, weight}, {all, last}, rows,
                  [](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    return S(nested, at, in[0]) * S(nested, at, in[1]);
                  });
    Value sumGX = reduceSum(
        b, loc, {dy, weight, x, mean, rstd}, {all, last, all, rows, rows}, rows,
        [](OpBuilder &nested, Location at, ValueRange in) -> Value {
          auto s = [&](unsigned i) { return S(nested, at, in[i]); };
          return s(0) * s(1) * ((s(2) - s(3)) * s(4));
        });
    dx = elementwise(
        b, loc, {dy, weight, x, mean, rstd, sumG, sumGX},
        {all, last, all, rows, rows, rows, rows}, all,
        [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
          auto s = [&](unsigned i) { return S(nested, at, in[i]); };
          S xhat = (s(2) - s(3)) * s(4);
          double inverse = 1.0 / count;
          return s(4) *
                 (s(0) * s(1) - inverse * s(5) - xhat * (inverse * s(6)));
        });
  }
  if (needed[1])
    dweight =
        reduceSum(b, loc, {dy, x, mean, rstd}, {all, all, rows, rows}, last,
                  [](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    auto s = [&](unsigned i) { return S(nested, at, in[i]); };
                    return s(0) * ((s(1) - s(2)) * s(3));
                  });
  if (needed[2])
    dbias =
        reduceSum(b, loc, {dy}, {all}, last,
                  [](OpBuilder &, Location, ValueRange in) { return in[0]; });
  out.append({dx, dweight, dbias});
  return success();
}
