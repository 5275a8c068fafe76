//===- MmaAttentionRanges.cpp - Ranges of keys that queries see -----------===//

#include "passes/codegen/gpu/attention/MmaAttention.h"

#include "numerics/Polynomials.h"
#include <limits>

using namespace mlir;
using namespace mlir::zero;

TensorSizes::TensorSizes(int64_t width, int64_t rowTiles, int64_t sharers)
    : columns(llvm::alignTo(width, 16 * sharers)), rowTiles(rowTiles),
      tileRows(columns <= 64    ? 64
               : columns <= 128 ? 32
                                : 16),
      sharers(sharers) {}

TensorSizes zero::tensorSizes(int64_t width,
                              std::optional<BackwardLaunch> launch) {
  const bool isNarrow = width <= 64 && launch != BackwardLaunch::Keys,
             isWide = width > 128 && launch;
  return TensorSizes(width, isNarrow ? 2 : 1, isWide ? 2 : 1);
}

TensorCode::TensorCode(OpBuilder &b, Location loc, const AttentionShape &shape,
                       const TensorSizes &sizes, Type element,
                       KernelViews &views, Value starts)
    : AttentionBase(b, loc, shape, views, starts), sizes(sizes),
      factor(shape.softCap > 0 || shape.scale <= 0
                 ? 1
                 : shape.scale * ::zrt::kLog2E),
      element(element), sharedView(views.shared) {
  Value number = toI32(thread);
  inWarp = rem(number, 32);
  warp = div(number, 32);
  pair = mul(rem(inWarp, 4), 2);
  fragmentPlace =
      add(mul(rem(inWarp, 16), sizes.rowBytes()), mul(div(inWarp, 16), 16));
  if (sizes.sharers > 1) {
    share = rem(warp, sizes.sharers);
    fragmentPlace = add(fragmentPlace, mul(share, 2 * sizes.ownColumns()));
  }
}

Value TensorCode::rowOf(int64_t i) {
  Value row =
      add(mul(div(warp, sizes.sharers), 16 * sizes.rowTiles), div(inWarp, 4));
  return toIndex(add(row, 8 * i));
}

void TensorCode::setQueries(Value first) {
  firstQuery = first;
  rows = shape.queries % sizes.blockRows() == 0
             ? index(sizes.blockRows())
             : min(sub(index(shape.queries), first), sizes.blockRows());
  Value lastQuery = add(first, sub(rows, 1));
  auto endOf = [&](Value query) {
    return shape.causal ? add(query, shape.ahead() + 1) : index(shape.keys);
  };
  const bool hidesFirst = shape.window || hasDocuments();
  for (int64_t i = 0; i < ownRows(); ++i) {
    Value query = add(first, rowOf(i));
    if (shape.queries % sizes.blockRows() != 0)
      query = min(query, lastQuery);
    queries.push_back(query);
    seenTo.push_back(toI32(endOf(query)));
    if (hidesFirst)
      seenFrom.push_back(toI32(firstKeyOf(query)));
  }
  endKey = endOf(lastQuery);
  allTo = toI32(endOf(first));
  leastKey = index(0);
  if (hasDocuments()) {
    Values both = loop(index(0), rows, 1, {index(shape.keys), index(0)},
                       [&](Value i, ArrayRef<Value> sofar) -> Values {
                         Value key = firstKeyOf(add(first, i));
                         return {min(sofar[0], key), max(sofar[1], key)};
                       });
    leastKey = both[0];
    allFrom = toI32(both[1]);
  } else if (shape.window) {
    leastKey = firstKeyOf(first);
    allFrom = toI32(firstKeyOf(lastQuery));
  }
}

Values TensorCode::hideKeys(ArrayRef<Value> scores, Value firstKey,
                            int64_t columns) {
  if (!shape.causal && shape.keys % columns == 0)
    return Values(scores);
  Value begin = toI32(firstKey), end = add(begin, columns),
        hides = isLess(allTo, end);
  if (allFrom)
    hides = arith::OrIOp::create(b, loc, hides, isLess(begin, allFrom));
  return ifThen(hides, scores, [&] {
    Value hidden = f32(-std::numeric_limits<float>::infinity());
    Value own = add(begin, pair);
    // If no query is clamped, the lane's queries are eight apart.
    const bool isEven =
        shape.causal && !allFrom && shape.queries % sizes.blockRows() == 0;
    Values result(scores), to, from;
    for (int64_t r = 0; r < (isEven ? 1 : ownRows()); ++r) {
      to.push_back(sub(seenTo[r], own));
      if (allFrom)
        from.push_back(sub(seenFrom[r], own));
    }
    for (auto [i, score] : llvm::enumerate(result)) {
      const int64_t tile = i / 4, column = tile % (columns / 8) * 8 + i % 2,
                    r = tile / (columns / 8) * 2 + i % 4 / 2;
      Value isSeen = isEven ? isLess(i32(column - 8 * r), to[0])
                            : isLess(i32(column), to[r]);
      if (allFrom)
        isSeen = both(isSeen, isLess(from[r], column + 1));
      score = select(isSeen, score, hidden);
    }
    return result;
  });
}

Values TensorCode::hideQueries(ArrayRef<Value> scores, Value firstKey,
                               Value query, int64_t columns,
                               llvm::function_ref<Value(int64_t)> from) {
  if (!shape.causal)
    return Values(scores);
  // The last key that the first query sees, and whether the block has later
  // keys.
  Value last = add(toI32(query), shape.ahead()), begin = toI32(firstKey),
        hides = isLess(last, add(begin, sizes.blockRows() - 1));
  if (shape.window) {
    Value first = sub(add(last, columns - 1), shape.window - 1);
    hides = arith::OrIOp::create(b, loc, hides, isLess(begin, first));
  }
  auto hide = [&] {
    Value hidden = f32(-std::numeric_limits<float>::infinity());
    Values result(scores), keys, befores;
    for (int64_t r = 0; r < ownRows(); ++r) {
      keys.push_back(add(begin, toI32(rowOf(r))));
      befores.push_back(sub(sub(keys[r], last), pair));
    }
    for (auto [i, score] : llvm::enumerate(result)) {
      const int64_t tile = i / 4, column = tile % (columns / 8) * 8 + i % 2,
                    r = tile / (columns / 8) * 2 + i % 4 / 2;
      // Key <= last + column, which is > last + column - window.
      Value isSeen = isLess(befores[r], column + 1);
      if (shape.window)
        isSeen = both(isSeen, isLess(i32(column - shape.window), befores[r]));
      if (hasDocuments())
        isSeen = both(isSeen, isLess(from(tile % (columns / 8) * 2 + i % 2),
                                     add(keys[r], 1)));
      score = select(isSeen, score, hidden);
    }
    return result;
  };
  return hasDocuments() ? hide() : ifThen(hides, scores, hide);
}

void TensorCode::drop(Values &values, Value ofHead, ArrayRef<Value> rows,
                      bool areKeys, Value firstColumn, int64_t columns) {
  if (!drops())
    return;
  Value own = add(firstColumn, toIndex(pair));
  for (auto [i, value] : llvm::enumerate(values)) {
    const int64_t tile = i / 4, r = tile / (columns / 8) * 2 + i % 4 / 2;
    Value column = add(own, tile % (columns / 8) * 8 + i % 2);
    value = areKeys ? dropped(value, ofHead, column, rows[r])
                    : dropped(value, ofHead, rows[r], column);
  }
}

Values TensorCode::capped(Values scores, Values *slopes) {
  if (shape.softCap > 0) {
    Value cap = f32(shape.softCap * ::zrt::kLog2E),
          inner = f32(shape.scale / shape.softCap);
    for (Value &score : scores) {
      Value part = tanh(mulf(score, inner));
      score = mulf(cap, part);
      if (slopes) {
        Value minus = arith::NegFOp::create(b, loc, part);
        slopes->push_back(fma(minus, part, f32(1)));
      }
    }
  } else if (shape.scale <= 0) {
    for (Value &score : scores)
      score = mulf(score, f32(shape.scale * ::zrt::kLog2E));
  }
  return scores;
}
