//===- CachedDelta.cpp - The delta rule of a run, with a kept state -------===//
//
// A unit is a slot and a head of keys.  A part of it has up to 128 columns of
// the state of one of the heads of values that read these keys, and a thread
// has one of them.  The state and the updates stay in memory: a thread reads
// and writes its column alone, so only A, P and the decays need barriers.
//
//   for each chunk that the run touches
//     for each position i of the run in it
//       row i of A, by threads 0 to 63; of P, by the others
//       u_i = beta (v_i - E_i S^T k_i) - sum of A_ij u_j
//       o_i = E_i S^T q_i + sum of P_ij u_j
//     if it is full
//       S = E_last S + (F K)^T U
//
// The bits are those of the CPU's kernel, whose formulas and names this file
// has (runtime/device/cpu/delta/Loops.inc), whatever the run's length.
//
// Keys and decays are kept by a second launch: all parts read those of a chunk
// whose rows the next chunk takes.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/delta/DeltaLaunches.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// A run of a slot.
class CachedRun : protected BlockCode {
public:
  CachedRun(OpBuilder &b, Location loc, const DeltaShape &shape,
            const KernelViews &views, const CachedDeltaOperands &all)
      : BlockCode(b, loc), shape(shape), all(all), thread(views.lanes.thread) {
    slot = div(views.begin, shape.keyHeads);
    keyHead = rem(views.begin, shape.keyHeads);
    begin = max(toIndex(loadOne(all.begin, slot)), 0);
    count = max(min(toIndex(loadOne(all.count, slot)), shape.positions), 0);
  }

protected:
  static constexpr int64_t kChunk = ::zrt::kDeltaChunk, kThreads = 128;
  static_assert(kThreads == 2 * kChunk);

  /// The decay of row `row` of the run, of head `head`.
  Value decayOf(Value row, Value head) {
    Value decay = emitDecay(*this, loadOne(all.gates, {slot, row, head}));
    if (!all.starts)
      return decay;
    Value position = add(begin, row);
    return select(isLess(toIndex(loadOne(all.starts, slot)), position), decay,
                  f32(0));
  }

  const DeltaShape shape;
  const CachedDeltaOperands &all;
  Value thread, slot, keyHead;
  Value begin, count; ///< of the run
};

class CachedBlock : CachedRun {
public:
  CachedBlock(OpBuilder &b, Location loc, const DeltaShape &shape,
              const KernelViews &views, const CachedDeltaOperands &all)
      : CachedRun(b, loc, shape, views, all) {
    Value part = views.end;
    head = add(mul(keyHead, shape.headsPerKey()), div(part, slices(shape)));
    column = add(mul(rem(part, slices(shape)), kThreads), thread);
    isColumn = isLess(column, shape.valueWidth);
    auto numbers = [&](int64_t size, int64_t at) {
      return viewAs(MemRefType::get({size}, b.getF32Type()), views.shared,
                    index(4 * at));
    };
    decays = numbers(kChunk, 0);
    factors = numbers(kThreads, kChunk);
  }

  static int64_t slices(const DeltaShape &shape) {
    return llvm::divideCeil(shape.valueWidth, kThreads);
  }
  static BlockParts parts(const DeltaShape &shape) {
    return {slices(shape) * shape.headsPerKey(), 4 * (kChunk + kThreads)};
  }

  void emit() {
    when(isColumn, [&] {
      loop(count, index(shape.positions), 1, {},
           [&](Value row, ArrayRef<Value>) {
             storeOne(f32(0), all.out, {slot, row, head, column});
             return Values();
           });
      Value isFirst = both(isEqual(begin, 0), isLess(index(0), count));
      when(isFirst, [&] {
        loop(index(0), index(shape.keyWidth), 1, {},
             [&](Value n, ArrayRef<Value>) {
               storeOne(f32(0), all.state, {slot, head, n, column});
               return Values();
             });
      });
    });
    Value end = add(begin, count);
    loop(sub(begin, rem(begin, kChunk)), end, kChunk, {},
         [&](Value chunk, ArrayRef<Value>) {
           first = chunk;
           known = max(sub(begin, first), 0);
           rows = min(sub(end, first), kChunk);
           addChunk();
           return Values();
         });
  }

private:
  Value runRow(Value i) { return sub(add(first, i), begin); }

  void addChunk() {
    when(isLess(thread, kChunk), [&] {
      Value wasKnown = isLess(thread, known);
      Value kept = ifThen(wasKnown, {f32(1)}, [&]() -> Values {
        return {loadOne(all.decays, {slot, head, thread})};
      })[0];
      Value isFresh = both(isNot(wasKnown), isLess(thread, rows));
      Value decay = ifThen(isFresh, {kept}, [&]() -> Values {
        return {decayOf(runRow(thread), head)};
      })[0];
      storeOne(decay, decays, thread);
    });
    barrier();
    Values now{f32(0), f32(1)};
    now = loop(index(0), known, 1, now, [&](Value i, ArrayRef<Value> before) {
      return passDecay(i, before);
    });
    now = loop(known, rows, 1, now, [&](Value i, ArrayRef<Value> before) {
      Values next = passDecay(i, before);
      addRow(i, next[0], next[1]);
      return next;
    });
    when(isEqual(rows, kChunk), [&] { passState(now[0], now[1]); });
  }

  /// D_ij of the thread's j, and E_i, from those of the row before.
  Values passDecay(Value i, ArrayRef<Value> before) {
    Value decay = loadOne(decays, i), j = rem(thread, kChunk);
    Value d = select(isEqual(i, j), f32(1), mulf(before[0], decay));
    return {select(isLess(i, j), f32(0), d), mulf(decay, before[1])};
  }

  Value fresh(Value view, Value row, Value n) {
    return loadOne(view, {slot, row, keyHead, n});
  }

  /// The product of row `row` of the run, of `of`, with key j of the chunk.
  Value productWithKey(Value of, Value row, Value j) {
    auto over = [&](llvm::function_ref<Value(Value)> key) {
      return loop(index(0), index(shape.keyWidth), 1, {f32(0)},
                  [&](Value n, ArrayRef<Value> now) -> Values {
                    return {fma(fresh(of, row, n), key(n), now[0])};
                  });
    };
    return keyOf(j, {f32(0)}, over)[0];
  }

  /// What `read` makes of a function from n to element n of key j, which was
  /// kept or is of the run.
  Values
  keyOf(Value j, ArrayRef<Value> otherwise,
        llvm::function_ref<Values(llvm::function_ref<Value(Value)>)> read) {
    Value wasKnown = isLess(j, known);
    Values kept = ifThen(wasKnown, otherwise, [&] {
      return read(
          [&](Value n) { return loadOne(all.keys, {slot, keyHead, j, n}); });
    });
    return ifThen(isNot(wasKnown), kept, [&] {
      return read([&](Value n) { return fresh(all.k, runRow(j), n); });
    });
  }

  /// Computes row i of the chunk.
  void addRow(Value i, Value d, Value e) {
    Value row = runRow(i);
    Value beta =
        all.beta ? loadOne(all.beta, {slot, row, head}) : Value(f32(1));
    Value j = rem(thread, kChunk), isA = isLess(thread, kChunk);
    if (all.beta)
      when(both(isA, isLess(j, i)), [&] {
        storeOne(mulf(beta, mulf(productWithKey(all.k, row, j), d)), factors,
                 thread);
      });
    when(both(isNot(isA), isLess(j, add(i, 1))), [&] {
      storeOne(mulf(productWithKey(all.q, row, j), d), factors, thread);
    });
    barrier();
    when(isColumn, [&] { addColumn(i, row, beta, e); });
    barrier();
  }

  void addColumn(Value i, Value row, Value beta, Value e) {
    Values sums = loop(index(0), index(shape.keyWidth), 1, {f32(0), f32(0)},
                       [&](Value n, ArrayRef<Value> now) -> Values {
                         Value s = loadOne(all.state, {slot, head, n, column});
                         return {fma(fresh(all.q, row, n), s, now[0]),
                                 all.beta ? fma(fresh(all.k, row, n), s, now[1])
                                          : now[1]};
                       });
    Value u = loadOne(all.v, {slot, row, head, column});
    if (all.beta)
      u = mulf(beta, fma(arith::NegFOp::create(b, loc, e), sums[1], u));
    Values done =
        loop(index(0), i, 1, {mulf(e, sums[0]), u},
             [&](Value j, ArrayRef<Value> now) -> Values {
               Value before = loadOne(all.updates, {slot, head, j, column});
               Value o = fma(loadOne(factors, add(j, kChunk)), before, now[0]);
               if (!all.beta)
                 return {o, now[1]};
               Value by = arith::NegFOp::create(b, loc, loadOne(factors, j));
               return {o, fma(by, before, now[1])};
             });
    storeOne(done[1], all.updates, {slot, head, i, column});
    storeOne(fma(loadOne(factors, add(i, kChunk)), done[1], done[0]), all.out,
             {slot, row, head, column});
  }

  /// S = E_last S + (F K)^T U, some rows at a time.
  void passState(Value f, Value e) {
    when(isLess(thread, kChunk), [&] { storeOne(f, factors, thread); });
    barrier();
    when(isColumn, [&] {
      loop(index(0), index(shape.keyWidth), kRows, {},
           [&](Value from, ArrayRef<Value>) {
             passRows(from, e);
             return Values();
           });
    });
    barrier();
  }

  void passRows(Value from, Value e) {
    Values places, sums, zeros(kRows, f32(0));
    for (int64_t r = 0; r < kRows; ++r) {
      places.push_back(min(add(from, r), shape.keyWidth - 1));
      sums.push_back(
          mulf(loadOne(all.state, {slot, head, places.back(), column}), e));
    }
    sums = loop(index(0), index(kChunk), 1, sums,
                [&](Value j, ArrayRef<Value> now) {
                  Value factor = loadOne(factors, j),
                        u = loadOne(all.updates, {slot, head, j, column});
                  Values next = keyOf(j, zeros, [&](auto key) {
                    return llvm::map_to_vector(places, key);
                  });
                  for (auto [key, sum] : llvm::zip_equal(next, now))
                    key = fma(mulf(factor, key), u, sum);
                  return next;
                });
    for (int64_t r = 0; r < kRows; ++r) {
      Value n = add(from, r);
      when(isLess(n, shape.keyWidth), [&] {
        storeOne(sums[size_t(r)], all.state, {slot, head, n, column});
      });
    }
  }

  static constexpr int64_t kRows = 4; ///< of the state at a time

  Value head, column, isColumn;
  Value first, known, rows; ///< of the chunk; rows of earlier runs, and in all
  Value decays;
  Value factors; ///< rows of A and P; F
};

/// The last 64 positions of the run.
class KeptRows : CachedRun {
public:
  using CachedRun::CachedRun;

  void emit() {
    Value from = max(sub(count, kChunk), 0);
    auto place = [&](Value row) { return rem(add(begin, row), kChunk); };
    loop(thread, mul(sub(count, from), shape.keyWidth), kThreads, {},
         [&](Value i, ArrayRef<Value>) {
           Value row = add(from, div(i, shape.keyWidth)),
                 n = rem(i, shape.keyWidth);
           storeOne(loadOne(all.k, {slot, row, keyHead, n}), all.keys,
                    {slot, keyHead, place(row), n});
           return Values();
         });
    loop(thread, mul(sub(count, from), shape.headsPerKey()), kThreads, {},
         [&](Value i, ArrayRef<Value>) {
           Value row = add(from, div(i, shape.headsPerKey())),
                 head = add(mul(keyHead, shape.headsPerKey()),
                            rem(i, shape.headsPerKey()));
           storeOne(decayOf(row, head), all.decays, {slot, head, place(row)});
           return Values();
         });
  }
};

} // namespace

BlockParts zero::emitCachedDelta(OpBuilder &b, Location loc,
                                 const DeltaShape &shape,
                                 const KernelViews &views,
                                 const CachedDeltaOperands &all) {
  CachedBlock(b, loc, shape, views, all).emit();
  return CachedBlock::parts(shape);
}

BlockParts zero::emitKeptRows(OpBuilder &b, Location loc,
                              const DeltaShape &shape, const KernelViews &views,
                              const CachedDeltaOperands &all) {
  KeptRows(b, loc, shape, views, all).emit();
  return {1, 0};
}
