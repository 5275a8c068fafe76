//===- AttentionRanges.cpp - Ranges of keys that queries see --------------===//

#include "passes/codegen/gpu/attention/Attention.h"

#include "numerics/AttentionSizes.h"
#include "numerics/Polynomials.h"

using namespace mlir;
using namespace mlir::zero;

static_assert(AttentionCode::kTileKeys == ::zrt::kPanel &&
              AttentionCode::kTileQueries == ::zrt::kMaxQueries);

AttentionCode::AttentionCode(OpBuilder &b, Location loc,
                             const AttentionShape &shape, KernelViews &views,
                             Value starts)
    : AttentionBase(b, loc, shape, views, starts) {
  x = rem(thread, 8);
  y = div(thread, 8);
  queryTile = tileAt(views.shared, 0, kTileQueries);
  keyTile = tileAt(views.shared, kTileQueries, kTileKeys);
  scoreTile = tileAt(views.shared, kTileQueries + kTileKeys, kTileKeys);
  numbers = tileAt(views.shared, kTileQueries + 2 * kTileKeys, 1);
}

void AttentionCode::setQueries(Value first) {
  firstQuery = first;
  rows = min(sub(index(shape.queries), first), shape.queryBlock);
  seenFrom.clear();
  seenTo.clear();
  for (Value row : ownQueries()) {
    Value query = add(first, min(row, sub(rows, 1)));
    Value to = shape.causal ? add(query, shape.ahead() + 1) : index(shape.keys);
    seenTo.push_back(toI32(select(isLess(row, rows), to, index(0))));
    if (shape.window || hasDocuments())
      seenFrom.push_back(toI32(firstKeyOf(query)));
  }
  endKey =
      shape.causal ? add(add(first, rows), shape.ahead()) : index(shape.keys);
  leastKey = index(0);
  if (hasDocuments())
    leastKey = loop(index(0), rows, 1, index(shape.keys),
                    [&](Value i, ArrayRef<Value> sofar) -> Values {
                      return {min(sofar[0], firstKeyOf(add(first, i)))};
                    })[0];
  else if (shape.window)
    leastKey = firstKeyOf(first);
}

Values AttentionCode::seen(Value firstKey, Value endOfBlock) {
  Value own = add(toI32(firstKey), toI32(x)), end = toI32(endOfBlock);
  Values result;
  for (int64_t r = 0; r < kRows; ++r) {
    Value to = sub(min(seenTo[r], end), own);
    Value from = seenFrom.empty() ? Value() : sub(seenFrom[r], own);
    for (int64_t c = 0; c < kKeys; ++c) {
      Value isSeen = isLess(i32(8 * c), to);
      if (from)
        isSeen = both(isSeen, isLess(from, 8 * c + 1));
      result.push_back(isSeen);
    }
  }
  return result;
}

void AttentionCode::capScores(Values &scores, Values *slopes) {
  if (shape.softCap <= 0)
    return;
  Value cap = f32(shape.softCap * ::zrt::kLog2E);
  for (Value &score : scores) {
    Value part = tanh(divf(score, cap));
    score = mulf(cap, part);
    if (slopes) {
      Value minus = arith::NegFOp::create(b, loc, part);
      slopes->push_back(fma(minus, part, f32(1)));
    }
  }
}

void AttentionCode::drop(Values &values, Value ofHead, Value firstKey) {
  if (!drops())
    return;
  Values own = ownQueries();
  for (auto [i, value] : llvm::enumerate(values))
    value = dropped(value, ofHead, add(firstQuery, own[i / kKeys]),
                    add(add(firstKey, x), 8 * int64_t(i % kKeys)));
}

Values AttentionCode::overPanels(
    Value start, ArrayRef<Value> carried,
    llvm::function_ref<Values(Value, Value, ArrayRef<Value>)> body) {
  Value end = min(endKey, add(start, shape.keyBlock)),
        skipped = div(max(sub(leastKey, start), 0), kTileKeys),
        begin = add(start, mul(skipped, kTileKeys));
  return loop(begin, end, kTileKeys, carried,
              [&](Value first, ArrayRef<Value> values) {
                return body(first, end, values);
              });
}

Values AttentionCode::overKeyBlocks(
    ArrayRef<Value> carried,
    llvm::function_ref<Values(Value, ArrayRef<Value>)> body) {
  if (shape.oneKeyBlock())
    return body(index(0), carried);
  Value begin = mul(div(leastKey, shape.keyBlock), shape.keyBlock);
  return loop(begin, endKey, shape.keyBlock, carried, body);
}
