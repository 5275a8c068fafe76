//===- RmsNorm.cpp - rms_norm ---------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Norms.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::nn;

static RankedTensorType rowsOf(RankedTensorType x) {
  return RankedTensorType::get(x.getShape().drop_back(), x.getElementType());
}

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
  std::string all = letters(type.getRank());
  StringRef rows = StringRef(all).drop_back(),
            last = StringRef(all).take_back();
  double count = type.getShape().back(), eps = getEps().convertToDouble();
  Value squares =
      reduceSum(b, loc, {getX()}, {all}, rows,
                [](OpBuilder &nested, Location at, ValueRange in) -> Value {
                  S x(nested, at, in[0]);
                  return x * x;
                });
  Value rstd =
      elementwise(b, loc, {squares}, {rows}, rows,
                  [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    S total(nested, at, in[0]);
                    return 1.0 / sqrt(total / total.constant(count) + eps);
                  });
  Value y =
      elementwise(b, loc, {getX(), rstd, getWeight()}, {all, rows, last}, all,
                  [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    auto s = [&](unsigned i) { return S(nested, at, in[i]); };
                    return s(0) * s(1) * factorOf(*this, s(2));
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
  std::string all = letters(type.getRank());
  StringRef rows = StringRef(all).drop_back(),
            last = StringRef(all).take_back();
  double count = type.getShape().back();
  Value x = getX(), dy = adjoints[0], rstd = getRstd(), weight = getWeight();

  Value dx, dweight;
  if (needed[0]) {
    Value sum =
        reduceSum(b, loc, {dy, weight, x, rstd}, {all, last, all, rows}, rows,
                  [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    auto s = [&](unsigned i) { return S(nested, at, in[i]); };
                    return s(0) * factorOf(*this, s(1)) * (s(2) * s(3));
                  });
    dx = elementwise(
        b, loc, {dy, weight, x, rstd, sum}, {all, last, all, rows, rows}, all,
        [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
          auto s = [&](unsigned i) { return S(nested, at, in[i]); };
          S g = s(0) * factorOf(*this, s(1)), xhat = s(2) * s(3);
          return s(3) * (g - xhat * ((1.0 / count) * s(4)));
        });
  }
  if (needed[1])
    dweight =
        reduceSum(b, loc, {dy, x, rstd}, {all, all, rows}, last,
                  [](OpBuilder &nested, Location at, ValueRange in) -> Value {
                    auto s = [&](unsigned i) { return S(nested, at, in[i]); };
                    return s(0) * (s(1) * s(2));
                  });
  out.append({dx, dweight});
  return success();
}
