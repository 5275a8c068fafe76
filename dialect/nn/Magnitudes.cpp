//===- Magnitudes.cpp - set_magnitudes ------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"

using namespace mlir;
using namespace mlir::nn;

LogicalResult SetMagnitudesOp::verify() {
  RankedTensorType x = getX().getType();
  for (auto [name, value] : {std::pair{"magnitude", Value(getMagnitude())},
                             {"norm", Value(getNorm())},
                             {"bias", Value(getBias())}}) {
    auto type =
        value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
    if (type && (x.getRank() < 1 || type.getRank() != 1 ||
                 type.getDimSize(0) != x.getShape().back() ||
                 type.getElementType() != x.getElementType())) // (C1)
      return emitOpError() << name << " must have an element for each of the "
                           << (x.getRank() ? x.getShape().back() : 0)
                           << " columns of " << x << ", got " << type;
  }
  return success();
}

static Value emitFactor(OpBuilder &b, SetMagnitudesOp op) {
  return elementwise(b, op.getLoc(), {op.getMagnitude(), op.getNorm()}, divide);
}

SmallVector<Value> SetMagnitudesOp::emitLinalgForm(OpBuilder &b) {
  const auto &[all, rows, last] = RowLetters(getX().getType());
  SmallVector<Value> inputs = {getX(), emitFactor(b, *this)};
  SmallVector<StringRef> maps = {all, last};
  if (getBias()) {
    inputs.push_back(getBias());
    maps.push_back(last);
  }
  return {elementwise(b, getLoc(), inputs, maps, all, [&](const Scalars &in) {
    S scaled = in[0] * in[1];
    return getBias() ? scaled + in[2] : scaled;
  })};
}

LogicalResult SetMagnitudesOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                             ArrayRef<bool> needed,
                                             SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  const auto &[all, rows, last] = RowLetters(getX().getType());
  Value dy = adjoints[0], dx, dmagnitude;
  if (needed[0])
    dx = elementwise(b, loc, {dy, emitFactor(b, *this)}, {all, last}, all,
                     multiply);
  if (needed[1]) {
    Value sum =
        reduceSum(b, loc, {dy, getX()}, {all, all}, last, multiply, all);
    dmagnitude = elementwise(b, loc, {sum, getNorm()}, divide);
  }
  out.append({dx, dmagnitude, /*norm=*/Value()});
  if (getBias())
    out.push_back(needed[3]
                      ? reduceSum(b, loc, {dy}, {all}, last, identity, all)
                      : Value());
  return success();
}
