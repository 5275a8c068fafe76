//===- LogSumExp.cpp - log of a sum of exponentials -----------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"

using namespace mlir;
using namespace mlir::nn;

LogicalResult LogSumExpOp::verify() {
  RankedTensorType x = getX().getType();
  if (x.getRank() < 1)
    return emitOpError("needs at least one dimension, got ") << x;
  auto expected =
      RankedTensorType::get(x.getShape().drop_back(), x.getElementType());
  if (getResult().getType() != expected) // (C1)
    return emitOpError("result must be ")
           << expected << ", got " << getResult().getType();
  return success();
}

SmallVector<Value> LogSumExpOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  std::string all = letters(getX().getType().getRank());
  StringRef rows = StringRef(all).drop_back();
  Value max =
      reduceMax(b, loc, {getX()}, {all}, rows,
                [](OpBuilder &, Location, ValueRange in) { return in[0]; });
  Value sum =
      reduceSum(b, loc, {getX(), max}, {all, rows}, rows,
                [](OpBuilder &at, Location loc, ValueRange in) -> Value {
                  return exp(S(at, loc, in[0]) - S(at, loc, in[1]));
                });
  return {elementwise(b, loc, {max, sum}, {rows, rows}, rows,
                      [](OpBuilder &at, Location loc, ValueRange in) -> Value {
                        return S(at, loc, in[0]) + log(S(at, loc, in[1]));
                      })};
}

LogicalResult LogSumExpOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                         ArrayRef<bool>,
                                         SmallVectorImpl<Value> &out) {
  std::string all = letters(getX().getType().getRank());
  StringRef rows = StringRef(all).drop_back();
  out.push_back(elementwise(
      b, getLoc(), {getX(), getResult(), adjoints[0]}, {all, rows, rows}, all,
      [](OpBuilder &at, Location loc, ValueRange in) -> Value {
        return exp(S(at, loc, in[0]) - S(at, loc, in[1])) * S(at, loc, in[2]);
      }));
  return success();
}
