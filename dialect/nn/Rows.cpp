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
  auto mapOf = [&](StringRef word) {
    SmallVector<AffineExpr> places;
    for (char letter : word)
      places.push_back(b.getAffineDimExpr(loops.find(letter)));
    return AffineMap::get(loops.size(), 0, places, b.getContext());
  };
  SmallVector<AffineMap> indexing = llvm::map_to_vector(maps, mapOf);
  indexing.push_back(mapOf(result));
  SmallVector<utils::IteratorType> iterators;
  for (char letter : loops)
    iterators.push_back(result.contains(letter)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  return linalg::GenericOp::create(
             b, loc, type, inputs, zeros(b, loc, type), indexing, iterators,
             [&](OpBuilder &nested, Location at, ValueRange args) {
               S sum(nested, at, args.back());
               Value term = body({nested, at, args.drop_back()});
               linalg::YieldOp::create(nested, at,
                                       Value(plus(sum, sum.with(term))));
             })
      .getResult(0);
}

Value nn::overRows(OpBuilder &b, Location loc, RankedTensorType type,
                   ValueRange inputs, ScalarBody body) {
  int64_t rank = type.getRank();
  AffineMap each = b.getMultiDimIdentityMap(rank),
            row = AffineMap::get(rank, 0, b.getAffineDimExpr(0));
  SmallVector<AffineMap> maps(inputs.size(), row);
  maps.push_back(each);
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  return linalg::GenericOp::create(
             b, loc, type, inputs, empty, maps,
             SmallVector<utils::IteratorType>(rank,
                                              utils::IteratorType::parallel),
             [&](OpBuilder &nested, Location at, ValueRange args) {
               linalg::YieldOp::create(
                   nested, at,
                   body({nested, at, args.take_front(inputs.size())}));
             })
      .getResult(0);
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
