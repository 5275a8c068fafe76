//===- CausalConv.cpp - Convolutions of channels over positions -----------===//
//
// Tap j of K reads slice j of x behind K - 1 rows of zeros; its adjoint reads
// slice K - 1 - j of the adjoint before as many.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;

LogicalResult CausalConvOp::verify() {
  RankedTensorType x = getX().getType(), weight = getWeight().getType();
  if (x.getRank() != 3 || weight.getRank() != 2 ||
      weight.getDimSize(0) != x.getDimSize(2)) // (C1)
    return emitOpError("x must be [B, T, C] and weight [C, K], got ")
           << x << " and " << weight;
  if (getStarts())
    if (auto type = cast<RankedTensorType>(getStarts().getType());
        type.getShape() != x.getShape().take_front(2)) // (C2)
      return emitOpError("starts must be [B, T] of x, which is ")
             << x << ", got " << type;
  return success();
}

namespace {

struct Taps {
  CausalConvOp op;
  OpBuilder &b;
  Location loc = op.getLoc();
  RankedTensorType type = op.getX().getType();
  int64_t count = op.getWeight().getType().getDimSize(1);
  int64_t length = type.getDimSize(1);

  SmallVector<OpFoldResult> indices(ArrayRef<int64_t> values) {
    return llvm::map_to_vector(values, [&](int64_t value) -> OpFoldResult {
      return b.getIndexAttr(value);
    });
  }

  /// `value`, whose dimension 1 has the positions, with `before` rows of
  /// `fill` before it, and count - 1 - before behind it.
  Value pad(Value value, int64_t before, Value fill) {
    auto of = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(of.getShape()), offsets(of.getRank(), 0),
        ones(of.getRank(), 1);
    shape[1] += count - 1;
    offsets[1] = before;
    Value empty = emptyOf(b, loc, of.clone(shape));
    Value filled = linalg::FillOp::create(b, loc, fill, empty).getResult(0);
    return tensor::InsertSliceOp::create(b, loc, value, filled,
                                         indices(offsets),
                                         indices(of.getShape()), indices(ones));
  }

  Value padWithZeros(Value value, int64_t before) {
    return pad(value, before, constant(b, loc, type.getElementType(), 0));
  }

  /// The positions of `padded` from `first` on.
  Value slice(Value padded, int64_t first) {
    auto of = cast<RankedTensorType>(padded.getType());
    SmallVector<int64_t> shape(of.getShape()), offsets(of.getRank(), 0),
        ones(of.getRank(), 1);
    shape[1] = length;
    offsets[1] = first;
    return tensor::ExtractSliceOp::create(b, loc, of.clone(shape), padded,
                                          indices(offsets), indices(shape),
                                          indices(ones));
  }

  Value weight(int64_t tap) {
    return tensor::ExtractSliceOp::create(
        b, loc, type.clone({type.getDimSize(2)}), op.getWeight(),
        indices({0, tap}), indices({type.getDimSize(2), 1}), indices({1, 1}));
  }

  /// Whether the position of loop `loop` plus `offset` is `start` or later.
  static Value isSeen(const Scalars &in, unsigned loop, int64_t offset,
                      Value start) {
    Value at = in.emit<arith::AddIOp>(
        in.index(loop, in.b.getI32Type()),
        in.emit<arith::ConstantIntOp>(in.b.getI32Type(), offset));
    return in.compare(arith::CmpIPredicate::sge, at, start);
  }

  /// The sum over taps of weights and rows, where `starts` has one value for
  /// each tap, or all have one, or there are none; `offset` gives what is added
  /// to the position that is compared.
  Value sum(ArrayRef<Value> rows, ArrayRef<Value> starts,
            llvm::function_ref<int64_t(int64_t tap)> offset) {
    SmallVector<Value> inputs(rows);
    SmallVector<StringRef> maps(rows.size(), "btc");
    for (int64_t tap = 0; tap < count; ++tap) {
      inputs.push_back(weight(tap));
      maps.push_back("c");
    }
    inputs.append(starts.begin(), starts.end());
    maps.append(starts.size(), "bt");
    return elementwise(b, loc, inputs, maps, "btc", [&](const Scalars &in) {
      std::optional<S> all;
      for (int64_t tap = 0; tap < count; ++tap) {
        S term = in[tap] * in[count + tap];
        if (!starts.empty()) {
          Value start = in.values[2 * count + (starts.size() == 1 ? 0 : tap)];
          term =
              select(isSeen(in, 1, offset(tap), start), term, term.constant(0));
        }
        all = all ? *all + term : term;
      }
      return *all;
    });
  }
};

} // namespace

SmallVector<Value> CausalConvOp::emitLinalgForm(OpBuilder &b) {
  Taps taps{*this, b};
  Value padded = taps.padWithZeros(getX(), taps.count - 1);
  SmallVector<Value> rows, starts;
  for (int64_t tap = 0; tap < taps.count; ++tap)
    rows.push_back(taps.slice(padded, tap));
  if (getStarts())
    starts.push_back(getStarts());
  return {taps.sum(rows, starts,
                   [&](int64_t tap) { return tap - (taps.count - 1); })};
}

LogicalResult CausalConvOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                          ArrayRef<bool> needed,
                                          SmallVectorImpl<Value> &out) {
  Taps taps{*this, b};
  Location loc = getLoc();
  const int64_t last = taps.count - 1;
  Value dx, dweight;
  if (needed[0]) {
    Value padded = taps.padWithZeros(adjoints[0], 0), padStarts;
    if (getStarts()) {
      Value none =
          arith::ConstantIntOp::create(b, loc, b.getI32Type(), taps.length);
      padStarts = taps.pad(getStarts(), 0, none);
    }
    SmallVector<Value> rows, starts;
    for (int64_t tap = 0; tap < taps.count; ++tap) {
      rows.push_back(taps.slice(padded, last - tap));
      if (padStarts)
        starts.push_back(taps.slice(padStarts, last - tap));
    }
    dx = taps.sum(rows, starts, [](int64_t) { return 0; });
  }
  if (needed[1]) {
    Value padded = taps.padWithZeros(getX(), last);
    dweight = zeros(b, loc, getWeight().getType());
    for (int64_t tap = 0; tap < taps.count; ++tap) {
      SmallVector<Value> inputs = {adjoints[0], taps.slice(padded, tap)};
      SmallVector<StringRef> maps = {"btc", "btc"};
      if (getStarts()) {
        inputs.push_back(getStarts());
        maps.push_back("bt");
      }
      Value column = reduceSum(
          b, loc, inputs, maps, "c",
          [&](const Scalars &in) {
            S term = in[0] * in[1];
            if (!getStarts())
              return term;
            return select(Taps::isSeen(in, 1, tap - last, in[2]), term,
                          term.constant(0));
          },
          "btc");
      dweight = tensor::InsertSliceOp::create(
          b, loc, column, dweight, taps.indices({0, tap}),
          taps.indices({getX().getType().getDimSize(2), 1}),
          taps.indices({1, 1}));
    }
  }
  out.append({dx, dweight});
  out.resize(getNumOperands());
  return success();
}
