//===- CachedAttention.cpp - Attention with kept keys and values ----------===//
//
// A unit is a slot and a head of keys.  A part of it is a query of one of the
// heads that read these keys; the first part also puts the new keys and values
// to their places.  No part reads what another writes: new keys and values are
// read where they come from.
//
//   part (n, i): m, sum, o = -infinity, 0, 0
//     for each of the CPU's blocks of keys
//       scores, a thread for a key; new m, the largest of all
//       sum, o scaled by 2^(old m - new m)
//       for each panel of 48 keys
//         P, a thread for a key
//         sum += P, in four chains; o += P v, a thread for some columns
//     result = o / sum
//
// The bits are those of the CPU's kernel (Attention.h says on what they
// depend).  Scores are computed twice, so that no row of them is kept.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/attention/Attention.h"

#include "numerics/Polynomials.h"
#include "passes/codegen/gpu/attention/AttentionLaunches.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

class CachedBlock : AttentionBase {
  static constexpr int64_t kThreads = 128, kPanel = 48;

public:
  CachedBlock(OpBuilder &b, nn::CachedAttentionOp op, KernelViews &views,
              const CachedOperands &all)
      : AttentionBase(b, op.getLoc(), shapeOf(op), views, /*starts=*/Value()),
        all(all), chunk(op.getQ().getType().getDimSize(1)),
        wide(b.getF32Type()) {
    slot = div(views.begin, shape.keyHeads);
    keyHead = rem(views.begin, shape.keyHeads);
    query = rem(part, chunk);
    head = add(mul(keyHead, shape.headsPerKey()), div(part, chunk));
    auto numbers = [&](int64_t count, int64_t at) {
      return viewAs(MemRefType::get({count}, wide), views.shared, index(at));
    };
    scaled = numbers(shape.width, 0);
    weights = numbers(kPanel, 4 * shape.width);
    maxima = numbers(kThreads, 4 * (shape.width + kPanel));
  }

  static int64_t sharedBytes(int64_t width) {
    return 4 * (width + kPanel + kThreads);
  }

  void emit() {
    auto numberOf = [&](Value of) { return toIndex(loadOne(of, slot)); };
    begin = max(min(numberOf(all.begin), shape.keys), 0);
    count = max(
        min(min(numberOf(all.count), chunk), sub(index(shape.keys), begin)), 0);
    when(isLess(part, 1), [&] { put(); });
    whenElse(isLess(query, count), [&] { attend(); }, [&] { clear(); });
  }

private:
  /// Appends the new keys and values to the cache.
  void put() {
    loop(thread, mul(count, shape.width), kThreads, {},
         [&](Value i, ArrayRef<Value>) {
           Value row = div(i, shape.width), d = rem(i, shape.width);
           for (auto [from, to] :
                {std::pair(all.k, all.nextKeys), {all.v, all.nextValues}})
             storeOne(loadOne(from, {slot, row, keyHead, d}), to,
                      {slot, keyHead, add(begin, row), d});
           return Values();
         });
  }

  void clear() {
    Type element = cast<MemRefType>(all.out.getType()).getElementType();
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    loop(thread, index(shape.width), kThreads, {},
         [&](Value d, ArrayRef<Value>) {
           storeOne(zero, all.out, {slot, query, head, d});
           return Values();
         });
  }

  Value widened(Value x) {
    return x.getType() == wide ? x : arith::ExtFOp::create(b, loc, wide, x);
  }

  /// Element `d` of key or value `j`, which is seen.
  Value load(Value kept, Value fresh, Value j, Value d) {
    Value isKept = isLess(j, begin);
    Value old = ifThen(isKept, {f32(0)}, [&]() -> Values {
      return {widened(loadOne(kept, {slot, keyHead, j, d}))};
    })[0];
    return ifThen(isNot(isKept), {old}, [&]() -> Values {
      return {widened(loadOne(fresh, {slot, sub(j, begin), keyHead, d}))};
    })[0];
  }

  Value score(Value j) {
    Value sum = loop(
        index(0), index(shape.width), 1, {f32(0)},
        [&](Value d, ArrayRef<Value> now) -> Values {
          return {fma(loadOne(scaled, d), load(all.keys, all.k, j, d), now[0])};
        })[0];
    if (shape.softCap <= 0)
      return sum;
    Value cap = f32(shape.softCap * ::zrt::kLog2E);
    return mulf(cap, tanh(divf(sum, cap)));
  }

  void attend() {
    Value factor = f32(shape.scale * ::zrt::kLog2E);
    loop(thread, index(shape.width), kThreads, {},
         [&](Value d, ArrayRef<Value>) {
           Value x = widened(loadOne(all.q, {slot, query, head, d}));
           storeOne(mulf(x, factor), scaled, d);
           return Values();
         });
    barrier();
    Value last = add(begin, query);
    end = add(last, 1);
    first = shape.window ? max(sub(end, shape.window), 0) : index(0);
    if (all.starts)
      first = max(first, min(max(toIndex(loadOne(all.starts, slot)), 0), last));
    const int64_t columns = llvm::divideCeil(shape.width, kThreads);
    Values sums{f32(-INFINITY), f32(0)};
    sums.append(size_t(columns), f32(0));
    Value from = mul(div(first, shape.keyBlock), shape.keyBlock);
    sums = loop(
        from, end, shape.keyBlock, sums,
        [&](Value block, ArrayRef<Value> now) { return addBlock(block, now); });
    Value inverse = divf(f32(1), sums[1]);
    Type element = cast<MemRefType>(all.out.getType()).getElementType();
    for (int64_t c = 0; c < columns; ++c) {
      Value d = add(thread, c * kThreads);
      when(isLess(d, shape.width), [&] {
        Value result = fma(sums[2 + c], inverse, f32(0));
        if (element != wide)
          result = arith::TruncFOp::create(b, loc, element, result);
        storeOne(result, all.out, {slot, query, head, d});
      });
    }
  }

  /// The largest of all threads' values.
  Value largest(Value mine) {
    barrier();
    storeOne(mine, maxima, thread);
    barrier();
    return loop(index(0), index(kThreads), 1, {f32(-INFINITY)},
                [&](Value i, ArrayRef<Value> now) -> Values {
                  return {larger(now[0], loadOne(maxima, i))};
                })[0];
  }

  Values addBlock(Value block, ArrayRef<Value> before) {
    Value stop = min(add(block, shape.keyBlock), end),
          start = max(block, first);
    Value mine = loop(add(start, thread), stop, kThreads, {before[0]},
                      [&](Value j, ArrayRef<Value> now) -> Values {
                        return {larger(now[0], score(j))};
                      })[0];
    Value most = largest(mine), factor = exp2(subf(before[0], most));
    Values sums{mulf(before[1], factor)};
    for (Value sum : before.drop_front(2))
      sums.push_back(mulf(sum, factor));
    // The first panel that has a seen key.
    Value panel = add(block, mul(div(sub(start, block), kPanel), kPanel));
    sums = loop(panel, stop, kPanel, sums, [&](Value at, ArrayRef<Value> now) {
      return addPanel(at, start, stop, most, now);
    });
    sums.insert(sums.begin(), most);
    return sums;
  }

  Values addPanel(Value at, Value start, Value stop, Value most,
                  ArrayRef<Value> before) {
    auto isSeen = [&](Value j) {
      return both(isLess(sub(start, 1), j), isLess(j, stop));
    };
    barrier();
    when(isLess(thread, kPanel), [&] {
      Value j = add(at, thread);
      Value p = ifThen(isSeen(j), {f32(0)}, [&]() -> Values {
        return {exp2(subf(score(j), most))};
      })[0];
      storeOne(p, weights, thread);
    });
    barrier();
    Values chains(4, f32(0));
    for (int64_t i = 0; i < kPanel; ++i)
      chains[i % 4] = addf(chains[i % 4], loadOne(weights, index(i)));
    Values sums{addf(before[0], addf(addf(chains[0], chains[1]),
                                     addf(chains[2], chains[3])))};
    for (auto [c, sum] : llvm::enumerate(before.drop_front())) {
      Value d = add(thread, int64_t(c) * kThreads),
            clamped = min(d, shape.width - 1);
      Value low = max(at, start), high = min(add(at, kPanel), stop);
      sums.push_back(loop(
          low, high, 1, {sum}, [&](Value j, ArrayRef<Value> now) -> Values {
            return {fma(loadOne(weights, sub(j, at)),
                        load(all.values, all.v, j, clamped), now[0])};
          })[0]);
    }
    return sums;
  }

  const CachedOperands &all;
  const int64_t chunk; ///< queries of a slot
  Type wide;
  Value slot, keyHead, query;
  Value begin, count; ///< of the slot
  Value first, end;   ///< keys that the query sees
  Value scaled, weights, maxima;
};

} // namespace

int64_t zero::emitCachedAttentionBlock(OpBuilder &b, nn::CachedAttentionOp op,
                                       KernelViews &views,
                                       const CachedOperands &all) {
  CachedBlock(b, op, views, all).emit();
  return CachedBlock::sharedBytes(op.getQ().getType().getDimSize(3));
}
