//===- DeltaDots.cpp - Dots of rows in adjoints of a delta rule -----------===//

#include "passes/codegen/gpu/delta/DeltaChunk.h"

using namespace mlir;
using namespace mlir::zero;

void DeltaChunk::addToLanes(MutableArrayRef<Value> sums, ArrayRef<Value> left,
                            ArrayRef<Value> right) {
  for (int64_t i = 0; i < kRows * kPanelColumns; ++i) {
    Value &sum = sums[size_t(i / kPanelColumns * kOwnLanes + i % kOwnLanes)];
    sum = fma(left[size_t(i)], right[size_t(i)], sum);
  }
}

Value DeltaChunk::sumLanes(ArrayRef<Value> sums) {
  for (int64_t i = 0; i < kRows * kOwnLanes; ++i)
    storeOne(sums[size_t(i)], lanes,
             {ownRow(i / kOwnLanes), ownColumn(i % kOwnLanes)});
  barrier();
  Value sum = ofRow([&] {
    Values all;
    for (int64_t lane = 0; lane < kDotLanes; ++lane)
      all.push_back(loadOne(lanes, {thread, index(lane)}));
    return addLanes(all);
  });
  barrier();
  return sum;
}

Values DeltaChunk::panelOf(llvm::function_ref<Value(Value, Value)> element,
                           Value panel, int64_t width) {
  Values result;
  for (int64_t i = 0; i < kRows * kPanelColumns; ++i) {
    Value column = add(panel, ownColumn(i % kPanelColumns));
    Value value =
        element(position(ownRow(i / kPanelColumns)), min(column, width - 1));
    result.push_back(select(isLess(column, width), value, f32(0)));
  }
  return result;
}

Values DeltaChunk::panelOf(Value view, Value ofHead, Value panel,
                           int64_t width) {
  return panelOf(
      [&](Value at, Value column) {
        return loadOne(view, {batch, at, ofHead, column});
      },
      panel, width);
}

Value DeltaChunk::findDots(Value beta) {
  const int64_t perDot = kRows * kOwnLanes;
  Values sums(size_t(perDot * (hasBeta() ? 3 : 1)), f32(0));
  sums =
      loop(index(0), index(shape.valueWidth), kPanel, sums,
           [&](Value panel, ArrayRef<Value> carried) {
             Values next(carried);
             auto lanesOf = [&](int64_t dot) {
               return MutableArrayRef(next).slice(size_t(dot * perDot),
                                                  size_t(perDot));
             };
             auto panelIn = [&](Value view) {
               return panelOf(view, head, panel, shape.valueWidth);
             };
             addToLanes(lanesOf(0), panelIn(all.grad),
                        timesState(panel, [&](Value i, Value n) {
                          return loadQuery(i, n);
                        }));
             if (!hasBeta())
               return next;
             Values products = timesState(
                        panel, [&](Value i, Value n) { return loadKey(i, n); }),
                    r = panelIn(all.dv), v = panelIn(all.v);
             addToLanes(lanesOf(1), r, products);
             for (auto [i, one] : llvm::enumerate(v))
               one = fma(minus(number(E, ownRow(int64_t(i) / kPanelColumns))),
                         products[i], one);
             addToLanes(lanesOf(2), r, v);
             return next;
           });
  auto dot = [&](int64_t n) {
    return sumLanes(ArrayRef(sums).slice(size_t(n * perDot), size_t(perDot)));
  };
  Value ofGrad = dot(0), ofR, ofMiss;
  if (hasBeta()) {
    ofR = dot(1);
    ofMiss = dot(2);
    when(both(isLess(thread, kChunk), isRow(thread)), [&] {
      storeOne(addf(ofMiss, beta), all.dbeta, {batch, position(thread), head});
    });
  }
  dotStates();
  return ofRow([&] {
    Value e = number(E, thread), gamma = mulf(e, ofGrad);
    if (!hasBeta())
      return gamma;
    return fma(minus(mulf(e, number(Beta, thread))), ofR, gamma);
  });
}

Values DeltaChunk::timesState(Value panel, Row row) {
  return addProducts(
      index(shape.keyWidth), kQuad, zeros(kPanelColumns),
      [&](Value n) { return rowsAt(row, n); },
      [&](Value n) {
        return rowsBelow(n, kQuad, [&](Value i) {
          Values elements;
          for (int64_t c = 0; c < kPanelColumns; ++c)
            elements.push_back(
                loadOne(all.states,
                        {batch, head, part, min(i, shape.keyWidth - 1),
                         min(add(panel, ownColumn(c)), shape.valueWidth - 1)}));
          return elements;
        });
      });
}

void DeltaChunk::dotStates() {
  const int64_t begin = kThreads - kDotLanes;
  when(isLess(index(begin - 1), thread), [&] {
    Value own = sub(thread, begin);
    Value sum =
        loop(index(0), index(shape.keyWidth), 1, {f32(0)},
             [&](Value i, ArrayRef<Value> before) -> Values {
               Value sum = before[0];
               for (int64_t c = 0; c < shape.valueWidth; c += kDotLanes) {
                 Value column = add(own, c),
                       inside = min(column, shape.valueWidth - 1);
                 Value s = loadOne(all.states, {batch, head, part, i, inside}),
                       ds = loadOne(all.room, {batch, head, part, i, inside});
                 s = select(isLess(column, shape.valueWidth), s, f32(0));
                 sum = fma(s, ds, sum);
               }
               return {sum};
             })[0];
    storeOne(sum, numbers, {index(Lanes), own});
  });
}
