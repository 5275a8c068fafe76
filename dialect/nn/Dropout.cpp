//===- Dropout.cpp - Dropout of elements ----------------------------------===//

#include "dialect/nn/Dropout.h"

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "numerics/Dropout.h"

using namespace mlir;
using namespace mlir::nn;

namespace {

/// An i32 that a body computes.
struct Word {
  const Scalars *in;
  Value v;

  Word constant(uint32_t value) const {
    return {in, in->emit<arith::ConstantIntOp>(int32_t(value), 32)};
  }
  friend Word operator^(Word x, Word y) {
    return {x.in, x.in->emit<arith::XOrIOp>(x.v, y.v)};
  }
  friend Word operator>>(Word x, int count) {
    return {x.in, x.in->emit<arith::ShRUIOp>(x.v, x.constant(count).v)};
  }
  friend Word operator*(Word x, uint32_t factor) {
    return {x.in, x.in->emit<arith::MulIOp>(x.v, x.constant(factor).v)};
  }
};

} // namespace

S nn::dropped(const Scalars &in, S x, Value key, Value element, double rate,
              uint64_t place) {
  auto wide = [&](int64_t value) -> Value {
    return in.emit<arith::ConstantIntOp>(value, 64);
  };
  auto half = [&](Value of) -> Word {
    return {&in, in.emit<arith::TruncIOp>(in.b.getI32Type(), of)};
  };
  Value isOff = in.isEqual(key, wide(0));
  Value placed = in.emit<arith::XOrIOp>(
      key, wide(static_cast<int64_t>(zrt::dropoutPlaceBits(place))));
  Word low = half(placed),
       high = half(in.emit<arith::ShRUIOp>(placed, wide(32)));
  Word bits = zrt::dropoutBits(Word{&in, element}, low, high);
  Value least = in.emit<arith::SelectOp>(
      isOff, low.constant(0).v, low.constant(zrt::dropoutThreshold(rate)).v);
  S factor = select(isOff, x.constant(1), x.constant(zrt::dropoutFactor(rate)));
  return select(in.compare(arith::CmpIPredicate::uge, bits.v, least),
                x * factor, x.constant(0));
}

Value nn::numberOf(const Scalars &in, ArrayRef<int64_t> shape,
                   ValueRange places) {
  Value number = in.emit<arith::ConstantIntOp>(0, 32);
  for (auto [size, place] : llvm::zip_equal(shape, places)) {
    Value factor = in.emit<arith::ConstantIntOp>(int32_t(size), 32);
    Value index = in.emit<arith::IndexCastOp>(in.b.getI32Type(), place);
    number =
        in.emit<arith::AddIOp>(in.emit<arith::MulIOp>(number, factor), index);
  }
  return number;
}

LogicalResult nn::verifyRate(Operation *op, double rate) {
  if (rate > 0 && rate < 1)
    return success();
  return op->emitOpError(
             "the rate of dropout must be above 0 and below 1, got ")
         << rate;
}

LogicalResult DropoutOp::verify() {
  RankedTensorType x = getX().getType(), keys = getKeys().getType();
  const int64_t sequences = keys.getRank() == 1 ? keys.getDimSize(0) : 0;
  if (x.getRank() == 0 || sequences == 0 || x.getDimSize(0) % sequences != 0)
    return emitOpError(
               "x must have rows of the sequences, as many for each of " // (C1)
               "the keys [B], got ")
           << x << " and " << keys;
  return verifyRate(*this, getRate().convertToDouble()); // (C2)
}

SmallVector<Value> DropoutOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = getX().getType();
  // [B, ...], or [B, R, ...] of R rows for each sequence.
  const int64_t sequences = getKeys().getType().getDimSize(0);
  SmallVector<int64_t> shape(type.getShape());
  const bool isSplit = shape[0] != sequences;
  if (isSplit) {
    shape[0] /= sequences;
    shape.insert(shape.begin(), sequences);
  }
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  for (int64_t dim = 2; dim < int64_t(shape.size()); ++dim)
    groups.push_back({dim});
  Value x = getX();
  if (isSplit)
    x = tensor::ExpandShapeOp::create(b, loc, type.clone(shape), x, groups);
  const std::string all = letters(shape.size());
  Value result = elementwise(
      b, loc, {x, getKeys()}, {all, "a"}, all, [&](const Scalars &in) {
        SmallVector<Value> places;
        for (unsigned loop = 1; loop < shape.size(); ++loop)
          places.push_back(in.index(loop));
        return dropped(in, in[0], in[1],
                       numberOf(in, ArrayRef(shape).drop_front(), places),
                       getRate().convertToDouble(), getPlace());
      });
  if (isSplit)
    result = tensor::CollapseShapeOp::create(b, loc, type, result, groups);
  return {result};
}

LogicalResult DropoutOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                       ArrayRef<bool>,
                                       SmallVectorImpl<Value> &out) {
  // Each element has a factor, and the adjoint has the same.
  out.append({DropoutOp::create(b, getLoc(), getX().getType(), adjoints[0],
                                getKeys(), getRateAttr(), getPlaceAttr()),
              Value()});
  return success();
}
