//===- HalfWarpSums.cpp - Sums of rows by a half-warp ---------------------===//
//
// The sums of RowSums.cpp, bit for bit.  There 64 lanes take turns as vectors
// a, b, c and d of 16; here thread t of 16 has the lanes 4 t to 4 t + 3, so
// that threads 0 to 3 have a, 4 to 7 b, and so on:
//
//   for i = 0, 64, ...                   all threads
//     sum += x[i + 4 t ..]
//   sum += sum of thread t ^ 8           a + c, b + d
//   sum += sum of thread t ^ 4           (a + c) + (b + d)
//   the rest, 16 elements at a time:     each thread reads its own; threads 0
//     sum += term of thread 4 k + t        to 3 add up those of all, in order
//   pairwise over threads 0 to 3, then over the lanes of thread 0
//
// Each term is first added to the identity.  This changes no bit of the result,
// because a sum that starts from the identity is never -0.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/gpu/threads/Shuffle.h"
#include "passes/codegen/loops/RowSums.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Bytes of a total in shared memory.
constexpr int64_t kPartBytes = 8;

class HalfWarpSums : RowSums {
public:
  explicit HalfWarpSums(LoopNest &nest)
      : RowSums(nest), thread(nest.lanes.thread), base(nest.lanes.first) {}

  void emit() {
    if (c.lanes.team > 0)
      return emitByTeam();
    if (!isLongRow(c))
      return add(
          getTotals(c.forReductions(0, identities(), [&](ArrayRef<Value> sums) {
            return sumRange(c.index(0), c.getExtent(lane), sums);
          })));
    forChunks(c.index(0), 1, [&](Value, Value begin, int64_t size) {
      add(getTotals(sumRange(begin, size, identities())));
    });
  }

private:
  Value thread, base;

  /// The value of thread `from` of the group.
  Value valueOf(Value value, Value from) {
    return shuffle(c.b, c.loc, value, base ? c.add(base, from) : from);
  }

  /// The totals of all lanes of the group, one for each result, in all threads.
  Values getTotals(ArrayRef<Value> lanes) {
    Values totals;
    for (auto [i, sum] : llvm::enumerate(lanes)) {
      Value all = sum;
      for (int64_t apart = kRestThreads / 2; apart >= 1; apart /= 2)
        all = addFrom(i, all, apart);
      all = c.combineLanes(combiner(i), all);
      totals.push_back(valueOf(all, c.index(0)));
    }
    return totals;
  }

  /// Adds the totals to the results.
  void add(ArrayRef<Value> totals) {
    for (unsigned i = 0; i < totals.size(); ++i)
      c.onOneThread(c.isReplicated(*op.getDpsInitOperand(i)),
                    [&] { addTotal(i, totals[i]); });
  }

  /// Calls `emit` for every `step`-th chunk of the row from `first` on, with
  /// its number, where it begins, and its size.
  void forChunks(
      Value first, int64_t step,
      llvm::function_ref<void(Value number, Value begin, int64_t size)> emit) {
    const int64_t extent = c.getExtent(lane), rest = extent % kChunk,
                  count = llvm::divideCeil(extent, kChunk);
    c.loop(first, c.index(count), step, {},
           [&](Value number, ArrayRef<Value>) -> Values {
             Value begin = c.mul(number, kChunk);
             auto chunk = [&](int64_t size) {
               return [&, size] { emit(number, begin, size); };
             };
             c.ofChunk(number, chunk(kChunk), [&] {
               if (rest == 0)
                 emit(number, begin, kChunk);
               else if (count == 1)
                 emit(number, begin, rest);
               else
                 c.whenElse(c.isEqual(number, count - 1), chunk(rest),
                            chunk(kChunk));
             });
             return {};
           });
  }

  /// Each half-warp of the team leaves the totals of its chunks in shared
  /// memory; then the totals are added in order.
  void emitByTeam() {
    const int64_t count = llvm::divideCeil(c.getExtent(lane), kChunk);
    Values parts;
    for (auto [i, init] : llvm::enumerate(op.getDpsInits())) {
      auto type = MemRefType::get({count}, getElementTypeOrSelf(init));
      parts.push_back(c.viewAs(type, c.getTeamMemory(),
                               c.index(int64_t(i) * count * kPartBytes)));
    }
    forChunks(c.lanes.member, c.lanes.team,
              [&](Value number, Value begin, int64_t size) {
                Values totals = getTotals(sumRange(begin, size, identities()));
                c.when(c.isEqual(thread, 0), [&] {
                  for (auto [part, total] : llvm::zip_equal(parts, totals))
                    c.storeOne(total, part, number);
                });
              });
    syncBlock(c.b, c.loc);
    c.loop(c.index(0), c.index(count), 1, {},
           [&](Value number, ArrayRef<Value>) -> Values {
             Values totals;
             for (Value part : parts)
               totals.push_back(c.loadOne(part, number));
             add(totals);
             return {};
           });
  }

  /// Adds the sum of thread `thread ^ apart` to `sum`.
  Value addFrom(size_t i, Value sum, int64_t apart) {
    Value self = base ? c.add(base, thread) : thread;
    return combine(i, sum, shuffleXor(c.b, c.loc, sum, self, apart));
  }

  /// Adds `extent` elements from `base` on to `sums`.
  Values sumRange(Value base, int64_t extent, ArrayRef<Value> sums) {
    int64_t begin = 0;
    Values all(sums);
    if (extent >= 2 * kSumLanes) {
      begin = extent / kSumLanes * kSumLanes;
      all = emitTurns(base, begin, all);
    }
    for (; begin < extent; begin += kSumLanes)
      all = emitRest(c.add(base, begin), std::min(extent - begin, kSumLanes),
                     all);
    return all;
  }

  /// Adds `count` elements from `base` on to `sums` of the first threads.
  Values emitTurns(Value base, int64_t count, ArrayRef<Value> sums) {
    Value hasSum = c.isBelow(thread, c.index(kRestThreads));
    Values start;
    for (auto [sum, identity] : llvm::zip_equal(sums, identities()))
      start.push_back(c.select(hasSum, sum, identity));
    // The loads of several turns do not wait for each other.
    const int64_t ahead = isLongRow(c) ? kVectorsAhead : 1;
    Values all = start;
    int64_t begin = 0;
    for (int64_t turns : {ahead, int64_t{1}}) {
      const int64_t end =
          begin + (count - begin) / (turns * kSumLanes) * (turns * kSumLanes);
      if (begin < end)
        all = c.loop(c.add(base, begin), c.add(base, end), turns * kSumLanes,
                     all, [&](Value at, ArrayRef<Value> carried) {
                       return addTurns(at, turns, carried);
                     });
      begin = end;
    }
    for (int64_t apart = kHalfWarpThreads / 2; apart >= kRestThreads;
         apart /= 2)
      for (auto [i, sum] : llvm::enumerate(all))
        sum = addFrom(i, sum, apart);
    return all;
  }

  /// Adds `turns` vectors of all threads from `at` on.
  Values addTurns(Value at, int64_t turns, ArrayRef<Value> sums) {
    Values all(sums);
    for (int64_t i = 0; i < turns; ++i)
      all = emitBodyAt(c.firstOf(c.add(at, i * kSumLanes)), all, Value());
    return all;
  }

  /// The terms of this thread's vector of `count` elements from `from` on.
  Values emitTerms(Value from, int64_t count) {
    Value first = c.firstOf(from);
    if (count == c.lanes.stride)
      return emitBodyAt(first, identities(), Value());
    Value end = c.add(from, count);
    if (count % c.lanes.width != 0)
      return emitBodyAt(first, identities(), c.maskBelow(first, end));
    return c.ifThen(c.isLess(first, end), identities(),
                    [&] { return emitBodyAt(first, identities(), Value()); });
  }

  /// Adds `count` elements from `from` on, at most kSumLanes of them.
  Values emitRest(Value from, int64_t count, ArrayRef<Value> sums) {
    Values terms = emitTerms(from, count), all(sums);
    Value low = c.rem(thread, kRestThreads);
    for (int64_t turn = 0; turn * kRestLanes < count; ++turn) {
      Value other = c.add(low, turn * kRestThreads);
      for (auto [i, sum] : llvm::enumerate(all))
        sum = combine(i, sum, valueOf(terms[i], other));
    }
    return all;
  }
};

} // namespace

void zero::emitHalfWarpSums(LoopNest &nest) { HalfWarpSums(nest).emit(); }

int64_t zero::getTeamBytes(linalg::LinalgOp op, const LoopContext &context) {
  OpBuilder b(op);
  LoopNest nest(b, op, context);
  const int lane = nest.getLane();
  if (lane < 0 || !nest.isReduction(lane))
    return 0;
  return llvm::divideCeil(nest.getExtent(lane), kChunk) * op.getNumDpsInits() *
         kPartBytes;
}
