//===- DeltaChunk.cpp - Adjoints of a chunk of a delta rule ---------------===//

#include "passes/codegen/gpu/delta/DeltaChunk.h"

#include "passes/codegen/gpu/delta/DeltaLaunches.h"

using namespace mlir;
using namespace mlir::zero;

void DeltaChunk::emitHead() {
  openChunk(mul(part, kChunk));
  Values weights;
  Value beta = findSquares(weights), gamma = findDots(beta);
  gamma = addPairs(gamma);
  barrier();
  putSquare(weights, square);
  barrier();
  Value h = addQueriesAndKeys();
  onRows([&] {
    h = mulf(number(F, thread), h);
    storeOne(h, numbers, {index(H), thread});
    storeOne(subf(gamma, h), numbers, {index(DGamma), thread});
  });
  barrier();
  when(isEqual(thread, 0), [&] { putGates(); });
  finishValues();
  barrier();
}

void DeltaChunk::putSquare(ArrayRef<Value> values, Value to) {
  overSquare(
      [&](size_t p, Value i, Value j) { storeOne(values[p], to, {i, j}); });
}

Value DeltaChunk::findSquares(Values &weights) {
  auto grad = [&](Value i, Value n) { return loadGrad(i, n); };
  auto u = [&](Value i, Value n) { return loadU(i, n); };
  auto query = [&](Value i, Value n) { return loadQuery(i, n); };
  auto key = [&](Value i, Value n) { return loadKey(i, n); };
  Values ofA;
  Value beta;
  if (hasBeta()) {
    beta = findBelow(ofA);
    fillDecays();
    barrier();
  }
  Values l = squareProducts(grad, u, shape.valueWidth),
         p = squareProducts(query, key, shape.keyWidth);
  overSquare([&](size_t e, Value i, Value j) {
    Value d = loadOne(square, {i, j}), isAbove = isLess(i, j),
          adjoint = select(isAbove, f32(0), l[e]);
    p[e] = select(isAbove, f32(0), mulf(p[e], d));
    weights.push_back(mulf(adjoint, d));
    l[e] = hasBeta() ? fma(adjoint, p[e], ofA[e]) : mulf(adjoint, p[e]);
  });
  putSquare(l, square);
  return beta;
}

Value DeltaChunk::findBelow(Values &ofA) {
  auto r = [&](Value i, Value n) { return loadR(i, n); };
  auto u = [&](Value i, Value n) { return loadU(i, n); };
  auto key = [&](Value i, Value n) { return loadKey(i, n); };
  Values m, adjoints = squareProducts(r, u, shape.valueWidth),
            keys = squareProducts(key, key, shape.keyWidth);
  overSquare([&](size_t e, Value i, Value j) {
    Value d = loadOne(square, {i, j}), isBelow = isLess(j, i);
    adjoints[e] = select(isBelow, minus(adjoints[e]), f32(0));
    keys[e] = select(isBelow, mulf(keys[e], d), f32(0));
    ofA.push_back(mulf(adjoints[e], mulf(number(Beta, i), keys[e])));
    m.push_back(mulf(number(Beta, i), mulf(d, adjoints[e])));
  });
  putSquare(adjoints, square);
  putSquare(keys, other);
  barrier();
  Value beta = ofRow([&] {
    Values sums(kDotLanes, f32(0));
    for (int64_t j = 0; j < kChunk; ++j) {
      Value &sum = sums[size_t(j % kDotLanes)];
      sum = fma(loadOne(square, {thread, index(j)}),
                loadOne(other, {thread, index(j)}), sum);
    }
    return addLanes(sums);
  });
  barrier();
  putSquare(m, other);
  return beta;
}

Value DeltaChunk::addLanes(ArrayRef<Value> sums) {
  Value sum = f32(0);
  for (Value one : sums)
    sum = addf(sum, one);
  return sum;
}

Value DeltaChunk::addPairs(Value gamma) {
  return ofRow([&] {
    Value sum = loop(index(0), thread, 1, {gamma},
                     [&](Value j, ArrayRef<Value> now) -> Values {
                       return {addf(now[0], loadOne(square, {thread, j}))};
                     })[0];
    return loop(add(thread, 1), rows, 1, {sum},
                [&](Value i, ArrayRef<Value> now) -> Values {
                  return {subf(now[0], loadOne(square, {i, thread}))};
                })[0];
  });
}

void DeltaChunk::putGates() {
  Value dot = f32(0), end = sub(rows, 1);
  for (int64_t lane = 0; lane < kDotLanes; ++lane)
    dot = addf(dot, number(Lanes, index(lane)));
  Value last = loop(index(0), rows, 1, {mulf(number(E, end), dot)},
                    [&](Value i, ArrayRef<Value> now) -> Values {
                      return {addf(now[0], number(H, i))};
                    })[0];
  last = addf(number(DGamma, end), last);
  loop(index(0), rows, 1, {f32(0)},
       [&](Value done, ArrayRef<Value> before) -> Values {
         Value i = sub(end, done);
         Value sum =
             addf(before[0], select(isEqual(i, end), last, number(DGamma, i)));
         if (all.starts)
           sum = select(begins(i), f32(0), sum);
         storeOne(sum, all.dgates, {batch, position(i), head});
         return {sum};
       });
}

void DeltaChunk::finishValues() {
  const int64_t width = shape.valueWidth;
  if (hasBeta())
    loop(thread, mul(rows, width), kThreads, {}, [&](Value e, ArrayRef<Value>) {
      Value i = div(e, width);
      Values place{batch, position(i), head, rem(e, width)};
      storeOne(mulf(number(Beta, i), loadOne(all.dv, place)), all.dv, place);
      return Values();
    });
  const int64_t roomRows = cast<MemRefType>(all.room.getType()).getDimSize(3);
  loop(thread, index(roomRows * width), kThreads, {},
       [&](Value e, ArrayRef<Value>) {
         storeOne(f32(0), all.room,
                  {batch, head, part, div(e, width), rem(e, width)});
         return Values();
       });
}

int64_t zero::emitDeltaChunk(OpBuilder &b, Location loc,
                             const DeltaShape &shape, const KernelViews &views,
                             const DeltaOperands &all) {
  static_assert(DeltaChunk::kSharedBytes <= kMaxSharedBytes);
  DeltaChunk(b, loc, shape, views, all).emit();
  return DeltaChunk::kSharedBytes;
}
