//===- Rows.cpp - Reading rows at computed places -------------------------===//

#include "dialect/nn/Rows.h"

#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::nn;

Value nn::clampedIndex(OpBuilder &b, Location loc, Value place, int64_t size) {
  Value first = constant(b, loc, place.getType(), 0),
        last = constant(b, loc, place.getType(), static_cast<double>(size - 1));
  place = arith::MaxSIOp::create(b, loc, place, first);
  place = arith::MinSIOp::create(b, loc, place, last);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
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
               Value sum = args.back(),
                     term = body(nested, at, args.drop_back());
               sum = isa<IntegerType>(sum.getType())
                         ? arith::AddIOp::create(nested, at, sum, term)
                               .getResult()
                         : arith::AddFOp::create(nested, at, sum, term);
               linalg::YieldOp::create(nested, at, sum);
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
                   body(nested, at, args.take_front(inputs.size())));
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
  return sumInto(b, loc, type, "nc", inputs, maps, "nkc",
                 [&](OpBuilder &nested, Location at, ValueRange in) -> Value {
                   Value row = clampedIndex(nested, at, in[0], rows),
                         column = linalg::IndexOp::create(nested, at, 2);
                   S term(nested, at,
                          tensor::ExtractOp::create(nested, at, y,
                                                    ValueRange{row, column}));
                   return weights ? S(nested, at, in[1]) * term : term;
                 });
}
