//===- Rope.cpp - Rotary position embedding -------------------------------===//
//
// Cosines and sines are tables of [position, frequency], or of [sequence,
// position, frequency], that all layers with the same frequencies share.  An
// angle is a number of turns, frequency / 2 pi times position, in f64; only its
// fraction is rounded to the tensor's type.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numbers>

using namespace mlir;
using namespace mlir::nn;

LogicalResult RopeOp::verify() {
  RankedTensorType x = getX().getType();
  if (x.getRank() != 4) // (C1)
    return emitOpError("x must be [B, T, H, D], got ") << x;
  const int64_t rotated = 2 * int64_t(getFrequencies().size());
  if (rotated == 0 || rotated > x.getDimSize(3)) // (C2)
    return emitOpError("has ")
           << getFrequencies().size() << " frequencies, which rotate "
           << rotated << " elements of a head of " << x.getDimSize(3)
           << "; give 1 to " << x.getDimSize(3) / 2;
  for (double frequency : getFrequencies())
    if (!std::isfinite(frequency)) // (C2)
      return emitOpError("frequencies must be finite, got ") << frequency;
  if (!getFactor().isFiniteNonZero()) // (C3)
    return emitOpError("factor must be finite and not 0, got ")
           << getFactor().convertToDouble();
  if (Value positions = getPositions();
      positions && cast<RankedTensorType>(positions.getType()).getShape() !=
                       x.getShape().take_front(2)) // (C4)
    return emitOpError("positions must have the shape [B, T] of x, which is ")
           << x << ", got " << positions.getType();
  return success();
}

namespace {

enum class Table { Cosine, Sine };

/// factor * cos or factor * sin of the angles, [T, R/2], or [B, T, R/2].
Value tableOf(RopeOp op, OpBuilder &b, Table table) {
  Location loc = op.getLoc();
  RankedTensorType x = op.getX().getType();
  const int64_t count = op.getFrequencies().size();
  SmallVector<double> turns;
  for (double frequency : op.getFrequencies())
    turns.push_back(frequency / (2 * std::numbers::pi));
  auto rowType = RankedTensorType::get({count}, b.getF64Type());
  Value row = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(rowType, ArrayRef<double>(turns)));
  const double factor = op.getFactor().convertToDouble();
  SmallVector<Value> inputs = {row};
  SmallVector<StringRef> maps = {"d"};
  SmallVector<int64_t> shape = {x.getDimSize(1), count};
  StringRef loops = "td";
  if (Value positions = op.getPositions()) {
    inputs.push_back(positions);
    maps.push_back("bt");
    shape.insert(shape.begin(), x.getDimSize(0));
    loops = "btd";
  }
  // Only the extent matters: it gives the number of positions.
  Value empty =
      emptyOf(b, loc, RankedTensorType::get(shape, x.getElementType()));
  return emitGeneric(
      b, loc, loops, inputs, maps, empty, loops, [&](const Scalars &in) {
        S turn = in[0];
        Type wide = in.b.getI64Type();
        Value index = op.getPositions()
                          ? in.emit<arith::ExtSIOp>(wide, in.values[1])
                          : in.index(0, wide);
        S angle =
            turn.with(in.emit<arith::SIToFPOp>(in.b.getF64Type(), index)) *
            turn;
        S part = angle - angle.apply<math::RoundEvenOp>();
        if (!x.getElementType().isF64())
          part =
              part.with(in.emit<arith::TruncFOp>(x.getElementType(), part.v));
        S radians = 2 * std::numbers::pi * part;
        S value = table == Table::Cosine ? radians.apply<math::CosOp>()
                                         : radians.apply<math::SinOp>();
        return factor == 1 ? value : factor * value;
      });
}

} // namespace

SmallVector<Value> RopeOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType type = getX().getType();
  const int64_t pairs = getFrequencies().size(), width = type.getDimSize(3);
  // The dimension of a pair's two halves, of the split tensor.
  const unsigned halfDim = getInterleaved() ? 4 : 3;
  Value cosine = tableOf(*this, b, Table::Cosine),
        sine = tableOf(*this, b, Table::Sine);

  auto at = [&](int64_t value) { return b.getIndexAttr(value); };
  auto slice = [&](Value of, int64_t offset, int64_t size) -> Value {
    auto ofType = cast<RankedTensorType>(of.getType());
    SmallVector<OpFoldResult> offsets(4, at(0)), sizes, strides(4, at(1));
    for (int64_t extent : ofType.getShape())
      sizes.push_back(at(extent));
    offsets[3] = at(offset);
    sizes[3] = at(size);
    return tensor::ExtractSliceOp::create(b, loc, of, offsets, sizes, strides);
  };
  Value x = getX();
  if (width > 2 * pairs)
    x = slice(x, 0, 2 * pairs);

  // [B, T, H, 2, R/2], or [B, T, H, R/2, 2].
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.append(getInterleaved() ? SmallVector<int64_t>{pairs, 2}
                                : SmallVector<int64_t>{2, pairs});
  SmallVector<ReassociationIndices> parts = {{0}, {1}, {2}, {3, 4}};
  Value split =
      tensor::ExpandShapeOp::create(b, loc, type.clone(shape), x, parts);
  auto half = [&](int64_t which) -> Value {
    SmallVector<OpFoldResult> offsets(5, at(0)), sizes, strides(5, at(1));
    SmallVector<int64_t> kept;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      sizes.push_back(at(dim == halfDim ? 1 : extent));
      if (dim != halfDim)
        kept.push_back(extent);
    }
    offsets[halfDim] = at(which);
    return tensor::ExtractSliceOp::create(b, loc, type.clone(kept), split,
                                          offsets, sizes, strides);
  };

  StringRef ofHalf = getInterleaved() ? "bthx" : "bthy",
            ofTable = getInterleaved() ? "btx" : "bty";
  if (!getPositions())
    ofTable = ofTable.drop_front();
  Value empty = emptyOf(b, loc, type.clone(shape));
  Value rotated =
      emitGeneric(b, loc, "bthxy", {half(0), half(1), cosine, sine},
                  {ofHalf, ofHalf, ofTable, ofTable}, empty, "bthxy",
                  [&](const Scalars &in) {
                    Value which = in.index(halfDim);
                    Value isFirst = in.isEqual(which, in.number(0));
                    S first = getInverse() ? in[0] * in[2] + in[1] * in[3]
                                           : in[0] * in[2] - in[1] * in[3];
                    S second = getInverse() ? in[1] * in[2] - in[0] * in[3]
                                            : in[1] * in[2] + in[0] * in[3];
                    return select(isFirst, first, second);
                  });
  SmallVector<int64_t> joined(type.getShape());
  joined[3] = 2 * pairs;
  Value result = tensor::CollapseShapeOp::create(b, loc, type.clone(joined),
                                                 rotated, parts);
  if (width > 2 * pairs)
    result = tensor::ConcatOp::create(
        b, loc, type, 3,
        ValueRange{result, slice(getX(), 2 * pairs, width - 2 * pairs)});
  return {result};
}

LogicalResult RopeOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                    ArrayRef<bool>,
                                    SmallVectorImpl<Value> &out) {
  // The transpose of a rotation by an angle is the rotation by its negative.
  out.push_back(RopeOp::create(b, getLoc(), getX().getType(), adjoints[0],
                               getPositions(), getFrequenciesAttr(),
                               getFactorAttr(), getInterleavedAttr(),
                               getInverse() ? UnitAttr() : b.getUnitAttr()));
  out.resize(getNumOperands());
  return success();
}
