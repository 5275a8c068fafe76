//===- Norms.cpp - layer_norm and rms_norm --------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"

using namespace mlir;
using namespace mlir::nn;

/// Fails with an error at `op` unless `eps` is positive, also when rounded to
/// `element`.
static LogicalResult verifyEps(Operation *op, const APFloat &eps,
                               Type element) {
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

/// The type of a value for each row of `x`.
static RankedTensorType rowsOf(RankedTensorType x) {
  return RankedTensorType::get(x.getShape().drop_back(), x.getElementType());
}

/// The reciprocal deviation of rows with these sums of squares.
static Value emitRstd(OpBuilder &b, Location loc, Value squares, double count,
                      double eps) {
  return elementwise(b, loc, {squares}, [&](const Scalars &in) {
    return 1.0 / sqrt(in[0] / in[0].constant(count) + eps);
  });
}

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

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
  RankedTensorType rows = rowsOf(x);
  for (Value stat : {getMean(), getRstd()})
    if (stat && stat.getType() != rows) // (C3)
      return emitOpError("statistics must be ")
             << rows << ", got " << stat.getType();
  return success();
}

SmallVector<Value> LayerNormOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = getX().getType();
  const auto &[all, rows, last] = RowLetters(type);
  double count = type.getShape().back(), eps = getEps().convertToDouble();

  Value sum = reduceSum(b, loc, {getX()}, {all}, rows, identity);
  Value mean = elementwise(b, loc, {sum}, [&](const Scalars &in) {
    return in[0] / in[0].constant(count);
  });
  Value squares = reduceSum(b, loc, {getX(), mean}, {all, rows}, rows,
                            [](const Scalars &in) {
                              S centred = in[0] - in[1];
                              return centred * centred;
                            });
  Value rstd = emitRstd(b, loc, squares, count, eps);
  Value y =
      elementwise(b, loc, {getX(), mean, rstd, getWeight(), getBias()},
                  {all, rows, rows, last, last}, all, [](const Scalars &in) {
                    return (in[0] - in[1]) * in[2] * in[3] + in[4];
                  });
  if (!getMean())
    return {y};
  return {y, mean, rstd};
}

void LayerNormOp::saveForBackward(RewriterBase &rewriter) {
  if (getMean())
    return;
  RankedTensorType type = getX().getType();
  RankedTensorType rows = rowsOf(type);
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
  const auto &[all, rows, last] = RowLetters(type);
  double count = type.getShape().back();
  Value x = getX(), dy = adjoints[0], mean = getMean(), rstd = getRstd(),
        weight = getWeight();

  Value dx, dweight, dbias;
  if (needed[0]) {
    Value sumG = reduceSum(b, loc, {dy, weight}, {all, last}, rows, multiply);
    Value sumGX =
        reduceSum(b, loc, {dy, weight, x, mean, rstd},
                  {all, last, all, rows, rows}, rows, [](const Scalars &in) {
                    return in[0] * in[1] * ((in[2] - in[3]) * in[4]);
                  });
    dx = elementwise(b, loc, {dy, weight, x, mean, rstd, sumG, sumGX},
                     {all, last, all, rows, rows, rows, rows}, all,
                     [&](const Scalars &in) {
                       S xhat = (in[2] - in[3]) * in[4];
                       double inverse = 1.0 / count;
                       return in[4] * (in[0] * in[1] - inverse * in[5] -
                                       xhat * (inverse * in[6]));
                     });
  }
  if (needed[1])
    dweight = reduceSum(
        b, loc, {dy, x, mean, rstd}, {all, all, rows, rows}, last,
        [](const Scalars &in) { return in[0] * ((in[1] - in[2]) * in[3]); });
  if (needed[2])
    dbias = reduceSum(b, loc, {dy}, {all}, last, identity);
  out.append({dx, dweight, dbias});
  return success();
}

//===----------------------------------------------------------------------===//
// rms_norm
//===----------------------------------------------------------------------===//

LogicalResult RmsNormOp::verify() {
  RankedTensorType x = getX().getType(), weight = getWeight().getType();
  if (x.getRank() < 1 || weight.getRank() != 1 ||
      weight.getDimSize(0) != x.getShape().back() ||
      weight.getElementType() != x.getElementType()) // (C1)
    return emitOpError("weight must have the ")
           << (x.getRank() ? x.getShape().back() : 0)
           << " elements of a row of x, got " << weight;
  if (failed(verifyEps(*this, getEps(), x.getElementType()))) // (C2)
    return failure();
  if (getRstd() && getRstd().getType() != rowsOf(x)) // (C3)
    return emitOpError("rstd must be ")
           << rowsOf(x) << ", got " << getRstd().getType();
  return success();
}

/// The factor of a normalised row.
static S factorOf(RmsNormOp op, S weight) {
  return op.getUnitOffset() ? weight + 1.0 : weight;
}

SmallVector<Value> RmsNormOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = getX().getType();
  const auto &[all, rows, last] = RowLetters(type);
  double count = type.getShape().back(), eps = getEps().convertToDouble();
  Value squares = reduceSum(b, loc, {getX()}, {all}, rows,
                            [](const Scalars &in) { return in[0] * in[0]; });
  Value rstd = emitRstd(b, loc, squares, count, eps);
  Value y = elementwise(b, loc, {getX(), rstd, getWeight()}, {all, rows, last},
                        all, [&](const Scalars &in) {
                          return in[0] * in[1] * factorOf(*this, in[2]);
                        });
  if (!getRstd())
    return {y};
  return {y, rstd};
}

void RmsNormOp::saveForBackward(RewriterBase &rewriter) {
  if (getRstd())
    return;
  RankedTensorType type = getX().getType();
  rewriter.setInsertionPoint(*this);
  auto op = RmsNormOp::create(rewriter, getLoc(), type, rowsOf(type), getX(),
                              getWeight(), getEpsAttr(), getUnitOffsetAttr());
  rewriter.replaceOp(*this, op.getResult());
}

LogicalResult RmsNormOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                       ArrayRef<bool> needed,
                                       SmallVectorImpl<Value> &out) {
  // With xhat = x rstd and g = factor dy (Zhang & Sennrich, 2019):
  //   dweight = sum_rows dy xhat        dx = rstd (g - xhat mean(g xhat))
  Location loc = getLoc();
  RankedTensorType type = getX().getType();
  const auto &[all, rows, last] = RowLetters(type);
  double count = type.getShape().back();
  Value x = getX(), dy = adjoints[0], rstd = getRstd(), weight = getWeight();

  Value dx, dweight;
  if (needed[0]) {
    Value sum =
        reduceSum(b, loc, {dy, weight, x, rstd}, {all, last, all, rows}, rows,
                  [&](const Scalars &in) {
                    return in[0] * factorOf(*this, in[1]) * (in[2] * in[3]);
                  });
    dx = elementwise(b, loc, {dy, weight, x, rstd, sum},
                     {all, last, all, rows, rows}, all, [&](const Scalars &in) {
                       S g = in[0] * factorOf(*this, in[1]),
                         xhat = in[2] * in[3];
                       return in[3] * (g - xhat * ((1.0 / count) * in[4]));
                     });
  }
  if (needed[1])
    dweight =
        reduceSum(b, loc, {dy, x, rstd}, {all, all, rows}, last,
                  [](const Scalars &in) { return in[0] * (in[1] * in[2]); });
  out.append({dx, dweight});
  return success();
}
