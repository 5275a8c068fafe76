//===- Rows.cpp - Reading rows at computed places -------------------------===//

#include "dialect/nn/Rows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;

Value nn::clampedIndex(const Scalars &in, S place, int64_t size) {
  S first = place.constant(0), last = place.constant(double(size - 1));
  place = place.apply<arith::MaxSIOp>(first).apply<arith::MinSIOp>(last);
  return in.emit<arith::IndexCastOp>(in.b.getIndexType(), place);
}

Value nn::firstOffsets(OpBuilder &b, Location loc, Value offsets) {
  auto type = cast<RankedTensorType>(offsets.getType());
  auto numbers = [&](int64_t value) {
    return SmallVector<OpFoldResult>{b.getIndexAttr(value)};
  };
  int64_t groups = type.getDimSize(0) - 1;
  return tensor::ExtractSliceOp::create(b, loc, type.clone({groups}), offsets,
                                        numbers(0), numbers(groups),
                                        numbers(1));
}

Value nn::sumInto(OpBuilder &b, Location loc, RankedTensorType type,
                  StringRef result, ValueRange inputs, ArrayRef<StringRef> maps,
                  StringRef loops, ScalarBody body) {
  return emitGeneric(b, loc, loops, inputs, maps, zeros(b, loc, type), result,
                     [&](const Scalars &in) {
                       S sum = in[inputs.size()];
                       Value term = body(in.first(inputs.size()));
                       return plus(sum, sum.with(term));
                     });
}

Value nn::overRows(OpBuilder &b, Location loc, RankedTensorType type,
                   ValueRange inputs, ScalarBody body) {
  std::string all = letters(type.getRank());
  SmallVector<StringRef> maps(inputs.size(), StringRef(all).take_front());
  return emitGeneric(
      b, loc, all, inputs, maps, emptyOf(b, loc, type), all,
      [&](const Scalars &in) { return body(in.first(inputs.size())); });
}

Value nn::sumOfRows(OpBuilder &b, Location loc, RankedTensorType type, Value y,
                    Value places, Value weights) {
  int64_t rows = cast<RankedTensorType>(y.getType()).getDimSize(0);
  SmallVector<Value> inputs = {places};
  if (weights)
    inputs.push_back(weights);
  SmallVector<StringRef> maps(inputs.size(), "nk");
  return sumInto(
      b, loc, type, "nc", inputs, maps, "nkc", [&](const Scalars &in) {
        Value row = clampedIndex(in, in[0], rows), column = in.index(2);
        S term = in.extract(y, {row, column});
        return weights ? in[1] * term : term;
      });
}
