//===- Constants.cpp - Constants of a model -------------------------------===//
#include "frontend/Builder.h"

#include "dialect/nn/Generic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

static APFloat roundTo(FloatType type, double value) {
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded;
}

Tensor ModelBuilder::constant(ArrayRef<int64_t> shape, double value) {
  RankedTensorType type = getType(shape, elementType);
  if (!type)
    return {};
  if (std::isnan(value))
    return error("a constant that is no number");
  return {*this, nn::constant(builder, getLoc(), type, value)};
}

Tensor ModelBuilder::dense(ArrayRef<int64_t> shape, ArrayRef<double> values) {
  RankedTensorType type = getType(shape, elementType);
  if (!type)
    return {};
  if (type.getNumElements() != int64_t(values.size()))
    return error("a constant of " + Twine(type.getNumElements()) +
                 " elements needs as many values, got " + Twine(values.size()));
  SmallVector<APFloat> elements;
  for (double value : values) {
    if (std::isnan(value))
      return error("element " + Twine(elements.size()) +
                   " of a constant is no number");
    elements.push_back(roundTo(cast<FloatType>(elementType), value));
  }
  auto dense = DenseElementsAttr::get(type, elements);
  return {*this, arith::ConstantOp::create(builder, getLoc(), dense)};
}
