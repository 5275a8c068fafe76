//===- RowSums.cpp - Sums along the lanes ---------------------------------===//
//
// If the contiguous loop is itself a reduction, it is the innermost loop. 16
// lanes accumulate separately and are combined pairwise at the end, so the
// order of a sum depends only on the shape.  Long loops alternate between four
// such vectors, because a single one would wait for each addition before the
// next.  On a GPU a half-warp computes the same sums (HalfWarpSums.cpp).
//
//   a = b = c = d = 0                   vectors of 16
//   for i = 0, 64, 128, ...
//     a += x[i ..], b += x[i + 16 ..], c += x[i + 32 ..], d += x[i + 48 ..]
//   a = (a + c) + (b + d)
//   for the rest: a += x[i ..]          the last one masked
//   sum = sum + pairwise(a)
//
// A row of more than 4096 elements is cut into chunks of 4096, each of which is
// added to the sum in this way.  On a GPU several half-warps share such a row.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/RowSums.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Vectors that accumulate a row in turns.
constexpr int64_t kRowVectors = kSumLanes / kRestLanes;

class ThreadSums : RowSums {
public:
  explicit ThreadSums(LoopNest &nest) : RowSums(nest) {}

  void emit() {
    if (!isLongRow(c))
      return add(c.forReductions(
          0, identities(), [&](ArrayRef<Value> sums) { return sumRow(sums); }));
    auto addChunk = [&](Value begin, int64_t size) {
      add(sumRange(begin, size, identities()));
    };
    const int64_t extent = c.getExtent(lane), rest = extent % kChunk;
    Value whole = c.index(extent - rest);
    c.loop(c.index(0), whole, kChunk, {}, [&](Value begin, ArrayRef<Value>) {
      addChunk(begin, kChunk);
      return Values();
    });
    if (rest > 0)
      addChunk(whole, rest);
  }

private:
  /// Combines the lanes and adds the totals to the results.
  void add(ArrayRef<Value> lanes) {
    for (unsigned i = 0; i < lanes.size(); ++i)
      addTotal(i, c.combineLanes(combiner(i), lanes[i]));
  }

  Values sumRow(ArrayRef<Value> lanes) {
    auto [lower, upper] = c.getBounds(lane);
    return c.isCut(lane) ? sumVectors(lower, upper, lanes)
                         : sumRange(lower, c.getExtent(lane), lanes);
  }

  /// Accumulates `extent` elements from `lower` on.
  Values sumRange(Value lower, int64_t extent, ArrayRef<Value> lanes) {
    if (extent < 2 * kSumLanes)
      return sumVectors(lower, c.add(lower, extent), lanes);
    Value end = c.add(lower, extent / kSumLanes * kSumLanes);
    Values sums = emitTurns(lower, end, lanes);
    return extent % kSumLanes ? sumVectors(end, c.add(lower, extent), sums)
                              : sums;
  }

  Values sumVectors(Value lower, Value upper, ArrayRef<Value> start) {
    return c.forVectors(lower, upper, start,
                        [&](Value first, Value mask, ArrayRef<Value> carried) {
                          return emitBodyAt(first, carried, mask);
                        });
  }

  /// Accumulates [lower, upper), whole turns of kRowVectors vectors each.
  Values emitTurns(Value lower, Value upper, ArrayRef<Value> lanes) {
    const size_t inits = lanes.size();
    Values start(lanes);
    for (int64_t i = 1; i < kRowVectors; ++i)
      llvm::append_range(start, identities());
    Values sums = c.loop(
        lower, upper, kSumLanes, start,
        [&](Value first, ArrayRef<Value> carried) {
          Values next;
          for (auto [i, at] :
               llvm::enumerate(c.positionsFrom(first, kRowVectors, kRestLanes)))
            llvm::append_range(
                next, emitBodyAt(at, carried.slice(i * inits, inits), Value()));
          return next;
        });
    for (size_t half = kRowVectors / 2; half >= 1; half /= 2)
      for (size_t i = 0; i < half * inits; ++i)
        sums[i] = combine(i % inits, sums[i], sums[half * inits + i]);
    sums.truncate(inits);
    return sums;
  }
};

} // namespace

bool zero::isLongRow(const LoopNest &nest) {
  return nest.getExtent(nest.getLane()) > kChunk &&
         !nest.isCut(nest.getLane()) &&
         nest.findClosed(0, /*reduction=*/true) == nest.getNumLoops();
}

void zero::emitRowSums(LoopNest &nest) {
  if (nest.lanes.isHalfWarp())
    return emitHalfWarpSums(nest);
  ThreadSums(nest).emit();
}
