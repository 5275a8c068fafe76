//===- MmaAttentionProducts.cpp - Products of fragments -------------------===//

#include "passes/codegen/gpu/attention/MmaAttention.h"

#include "passes/codegen/gpu/threads/Warp.h"

using namespace mlir;
using namespace mlir::zero;

void TensorCode::multiply(const Fragment &a, Value b0, Value b1,
                          MutableArrayRef<Value> sums) {
  addWarpProduct(b, loc, element, a, b0, b1, sums);
}

Values TensorCode::addMatmulTransposed(ArrayRef<Value> before,
                                       const Fragments &a, Value tile,
                                       int64_t firstRow, int64_t rows) {
  Values sums(before);
  for (int64_t k = 0; k < a.depth; ++k)
    for (int64_t row = 0; row < rows; row += 16) {
      Fragment f = load(tile, firstRow + row, 16 * k, false);
      for (int64_t i = 0; i < sizes.rowTiles; ++i)
        for (int64_t half = 0; half < 2; ++half)
          multiply(a.at(i, k), f[half], f[half + 2],
                   MutableArrayRef<Value>(sums).slice(
                       (i * (rows / 8) + row / 8 + half) * 4, 4));
    }
  return sums;
}

Values TensorCode::addMatmul(ArrayRef<Value> before, const Fragments &a,
                             Value tile, int64_t firstRow) {
  Values sums(before);
  for (int64_t k = 0; k < a.depth; ++k)
    for (int64_t column = 0; column < sizes.ownColumns(); column += 16) {
      Fragment f = load(tile, firstRow + 16 * k, column, true);
      for (int64_t i = 0; i < sizes.rowTiles; ++i)
        for (int64_t half = 0; half < 2; ++half)
          multiply(
              a.at(i, k), f[2 * half], f[2 * half + 1],
              MutableArrayRef<Value>(sums).slice(
                  (i * (sizes.ownColumns() / 8) + column / 8 + half) * 4, 4));
    }
  return sums;
}

void TensorCode::addOther(ArrayRef<Values *> sums) {
  SmallVector<MutableArrayRef<Value>> fours;
  for (Values *list : sums)
    for (size_t i = 0; i < list->size(); i += 4)
      fours.push_back(MutableArrayRef<Value>(*list).slice(i, 4));
  const int64_t count = fours.size();
  auto type = MemRefType::get({TensorSizes::kWarps * count, int64_t{32} * 4},
                              b.getF32Type());
  Value exchange = viewShared(type, index(sizes.tilesBytes())),
        row = mul(toIndex(warp), count), column = mul(toIndex(inWarp), 4),
        other = mul(toIndex(sub(add(warp, 1), mul(share, 2))), count);
  for (auto [i, four] : llvm::enumerate(fours))
    storeShared(vectorOf(four), exchange, add(row, i), column);
  barrier();
  for (auto [i, four] : llvm::enumerate(fours)) {
    Value others = loadShared(exchange, add(other, i), column);
    for (int64_t j = 0; j < 4; ++j)
      four[j] = addf(four[j], lane(others, j));
  }
}

Value TensorCode::roundedWord(Value low, Value high) {
  return callWarp(b, loc, element.isBF16() ? kPackBF16 : kPackF16,
                  {low, high})[0];
}

Fragments TensorCode::pack(ArrayRef<Value> sums, int64_t columns) {
  Fragments result{{}, columns / 16};
  for (int64_t i = 0; i < sizes.rowTiles; ++i)
    for (int64_t k = 0; k < result.depth; ++k) {
      const Value *two = &sums[(i * (columns / 8) + 2 * k) * 4];
      Fragment words;
      for (int64_t word = 0; word < 4; ++word)
        words.push_back(roundedWord(two[2 * word], two[2 * word + 1]));
      result.all.push_back(words);
    }
  return result;
}

Value TensorCode::quadMate(Value x, int64_t apart) {
  Value word = bitcast(b.getI32Type(), x);
  return bitcast(x.getType(), callWarp(b, loc, kSwap, {word, i32(apart)})[0]);
}

Value TensorCode::sumOfRow(Value x) {
  for (int64_t apart : {1, 2})
    x = addf(x, quadMate(x, apart));
  return x;
}

Value TensorCode::largestOfRow(Value x) {
  for (int64_t apart : {1, 2})
    x = arith::MaxNumFOp::create(b, loc, x, quadMate(x, apart));
  return x;
}

Value TensorCode::exp2OfSum(Value x, Value factor, Value minus) {
  return callWarp(b, loc, kExp2, {fma(x, factor, minus)})[0];
}
