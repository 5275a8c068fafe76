//===- AttentionTiles.cpp - Tiles of attention in shared memory -----------===//
//
// Rows of tiles are 68 elements apart, so that vectors of 4 from 8 rows lie in
// different banks.  Scores are stored by keys, so that their products with rows
// of keys and with rows of queries both read vectors.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/Attention.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

constexpr int64_t kStride = 68, kQuad = 4;

/// The number of elements of an aligned vector of a row of `view`: 4 or more,
/// up to `most`; or 1.
int64_t vectorWidth(Value view, int64_t most) {
  const int64_t common = alignedElements(view, most);
  return common >= kQuad ? common : 1;
}

Type elementOf(Value view) {
  return cast<MemRefType>(view.getType()).getElementType();
}

} // namespace

Value AttentionCode::tileAt(Value memory, int64_t row, int64_t tileRows) {
  auto type = MemRefType::get({tileRows, kStride}, b.getF32Type());
  return viewAs(type, memory, index(row * kStride * 4));
}

Value AttentionCode::numberAt(Value i) {
  return loadOne(numbers, {index(0), i});
}

void AttentionCode::setNumber(Value i, Value number) {
  storeOne(number, numbers, {index(0), i});
}

void AttentionCode::copyRows(HeadRows from, Value first, Value count,
                             Value column, std::optional<float> factor,
                             Value tile, int64_t tileRows) {
  Type narrow = elementOf(from.view), f32Type = b.getF32Type();
  const int64_t whole = vectorWidth(from.view,
                                    128 / narrow.getIntOrFloatBitWidth()),
                width = std::max(whole, kQuad), perRow = shape.chunk / width,
                total = tileRows * perRow;
  Value last = sub(count, 1);
  auto copyVector = [&](Value i) {
    Value row = div(i, perRow), inTile = mul(rem(i, perRow), width),
          inRow = add(column, inTile), source = add(first, min(row, last));
    // Clamps places beyond the edge; their values are not used.
    auto load = [&](Value at, int64_t elements) -> Value {
      at = min(at, shape.width - elements);
      Values place{batch, source, from.head, at};
      if (elements == 1)
        return loadOne(from.view, place);
      auto loaded = vector::LoadOp::create(
          b, loc, VectorType::get({elements}, narrow), from.view, place);
      loaded.setAlignment(elements * narrow.getIntOrFloatBitWidth() / 8);
      return loaded;
    };
    Value isRow = isLess(row, count), vector;
    auto zeros = [&](Type type) -> Value {
      return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    };
    if (whole > 1) {
      auto type = VectorType::get({width}, f32Type);
      vector = load(inRow, width);
      if (narrow != f32Type)
        vector = arith::ExtFOp::create(b, loc, type, vector);
      Value isInside = both(isRow, isLess(inRow, shape.width));
      vector = select(isInside, vector, zeros(type));
    } else {
      Values lanes;
      for (int64_t l = 0; l < width; ++l) {
        Value at = add(inRow, l), one = load(at, 1);
        if (narrow != f32Type)
          one = arith::ExtFOp::create(b, loc, f32Type, one);
        Value isInside = both(isRow, isLess(at, shape.width));
        lanes.push_back(select(isInside, one, f32(0)));
      }
      vector = vectorOf(lanes);
    }
    if (factor)
      vector = mulf(vector, spread(f32(*factor), width));
    for (int64_t part = 0; part < width; part += kQuad) {
      Value quad = vector;
      if (width > kQuad)
        quad = vector::ExtractStridedSliceOp::create(
            b, loc, vector, ArrayRef<int64_t>{part}, ArrayRef<int64_t>{kQuad},
            ArrayRef<int64_t>{1});
      storeShared(quad, tile, row, add(inTile, part));
    }
  };
  loop(index(0), index(llvm::divideCeil(total, kThreads) * kThreads), kThreads,
       {}, [&](Value begin, ArrayRef<Value>) {
         Value i = add(begin, thread);
         if (total % kThreads)
           when(isLess(i, total), [&] { copyVector(i); });
         else
           copyVector(i);
         return Values();
       });
}

Values AttentionCode::products(HeadRows q, std::optional<float> factor,
                               HeadRows k, Value firstKey, Value count,
                               bool isHeld) {
  Value row = mul(y, kRows);
  auto multiply = [&](ArrayRef<Value> sums) {
    return loop(index(0), index(shape.chunk), kQuad, sums,
                [&](Value d, ArrayRef<Value> carried) {
                  Values mine(carried), queryRows, keyRows;
                  for (int64_t r = 0; r < kRows; ++r)
                    queryRows.push_back(loadShared(queryTile, add(row, r), d));
                  for (int64_t c = 0; c < kKeys; ++c)
                    keyRows.push_back(loadShared(keyTile, add(x, 8 * c), d));
                  for (int64_t e = 0; e < kQuad; ++e)
                    for (int64_t r = 0; r < kRows; ++r)
                      for (int64_t c = 0; c < kKeys; ++c) {
                        Value &sum = mine[r * kKeys + c];
                        sum = fma(lane(keyRows[c], e), lane(queryRows[r], e),
                                  sum);
                      }
                  return mine;
                });
  };
  auto chunk = [&](Value column, ArrayRef<Value> sums) {
    if (!isHeld)
      copyQueries(q, column, factor);
    copyKeys(k, firstKey, count, column);
    barrier();
    Values result = multiply(sums);
    barrier();
    return result;
  };
  Values zeros(kRows * kKeys, f32(0));
  if (shape.chunks == 1)
    return chunk(index(0), zeros);
  return loop(index(0), index(shape.chunks * kChunk), kChunk, zeros, chunk);
}

void AttentionCode::storeScores(ArrayRef<Value> scores, Value tile) {
  for (int64_t c = 0; c < kKeys; ++c) {
    Values ofKey;
    for (int64_t r = 0; r < kRows; ++r)
      ofKey.push_back(scores[r * kKeys + c]);
    storeShared(vectorOf(ofKey), tile, add(x, 8 * c), mul(y, kRows));
  }
}

Values AttentionCode::zeroSums(int64_t count) {
  auto type = VectorType::get({kQuad}, b.getF32Type());
  return Values(shape.held * count * columnVectors(),
                arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
}

Values AttentionCode::addToQueries(ArrayRef<Value> sums) {
  const int64_t vectors = columnVectors();
  return loop(index(0), index(kTileKeys), kQuad, sums,
              [&](Value first, ArrayRef<Value> carried) {
                Values mine(carried);
                for (int64_t e = 0; e < kQuad; ++e) {
                  Value key = add(first, e),
                        scores = loadShared(scoreTile, key, mul(y, kRows));
                  Values columns;
                  for (int64_t v = 0; v < vectors; ++v)
                    columns.push_back(
                        loadShared(keyTile, key, add(mul(x, kQuad), 32 * v)));
                  for (int64_t r = 0; r < kRows; ++r)
                    for (int64_t v = 0; v < vectors; ++v) {
                      Value &sum = mine[r * vectors + v];
                      sum =
                          fma(spread(lane(scores, r), kQuad), columns[v], sum);
                    }
                }
                return mine;
              });
}

Values AttentionCode::addToKeys(ArrayRef<Value> sums) {
  const int64_t vectors = columnVectors();
  return loop(index(0), index(shape.queryBlock), kQuad, sums,
              [&](Value first, ArrayRef<Value> carried) {
                Values mine(carried), scores;
                for (int64_t r = 0; r < kKeyRows; ++r)
                  scores.push_back(
                      loadShared(scoreTile, add(mul(y, kKeyRows), r), first));
                for (int64_t e = 0; e < kQuad; ++e) {
                  Values columns;
                  for (int64_t v = 0; v < vectors; ++v)
                    columns.push_back(loadShared(queryTile, add(first, e),
                                                 add(mul(x, kQuad), 32 * v)));
                  for (int64_t r = 0; r < kKeyRows; ++r)
                    for (int64_t v = 0; v < vectors; ++v) {
                      Value &sum = mine[r * vectors + v];
                      sum = fma(spread(lane(scores[r], e), kQuad), columns[v],
                                sum);
                    }
                }
                return mine;
              });
}

Values AttentionCode::ownQueries() {
  Values own;
  for (int64_t r = 0; r < kRows; ++r)
    own.push_back(add(mul(y, kRows), r));
  return own;
}

Values AttentionCode::ownKeys() {
  Values own;
  for (int64_t r = 0; r < kKeyRows; ++r)
    own.push_back(add(mul(y, kKeyRows), r));
  return own;
}

void AttentionCode::putRows(ArrayRef<Value> sums, ArrayRef<Value> factors,
                            HeadRows to, Value first, Value count,
                            ArrayRef<Value> own, Value column) {
  const int64_t vectors = columnVectors();
  Type narrow = elementOf(to.view);
  const bool isWhole = vectorWidth(to.view, kQuad) == kQuad;
  auto type = VectorType::get({kQuad}, narrow);
  Value zeros = spread(f32(0), kQuad);
  for (auto [r, row] : llvm::enumerate(own)) {
    Value factor = spread(factors[r], kQuad), place = add(first, row);
    when(isLess(row, count), [&] {
      for (int64_t v = 0; v < vectors; ++v) {
        Value result = fma(factor, sums[r * vectors + v], zeros),
              at = add(column, add(mul(x, kQuad), 32 * v));
        auto rounded = [&](Value x) -> Value {
          if (narrow == b.getF32Type())
            return x;
          Type to = isa<VectorType>(x.getType()) ? Type(type) : narrow;
          return arith::TruncFOp::create(b, loc, to, x);
        };
        if (isWhole) {
          when(isLess(at, shape.width), [&] {
            auto store =
                vector::StoreOp::create(b, loc, rounded(result), to.view,
                                        ValueRange{batch, place, to.head, at});
            store.setAlignment(kQuad * narrow.getIntOrFloatBitWidth() / 8);
          });
          continue;
        }
        for (int64_t e = 0; e < kQuad; ++e)
          when(isLess(add(at, e), shape.width), [&] {
            // Rounds lanes one by one: not every processor has lanes of bf16.
            storeOne(rounded(lane(result, e)), to.view,
                     {batch, place, to.head, add(at, e)});
          });
      }
    });
  }
}
