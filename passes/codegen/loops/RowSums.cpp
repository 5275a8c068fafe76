//===- RowSums.cpp - Sums along the lanes ---------------------------------===//
//
// If the contiguous loop is itself a reduction, it is the innermost loop.  16
// lanes accumulate separately and are combined pairwise at the end, so the
// order of a sum depends only on the shape.  Long loops alternate between four
// such vectors, because a single one would wait for each addition before the
// next.  On a GPU a group of threads computes the same sums (GroupSums.cpp).
//
//   a = b = c = d = 0                   vectors of 16
//   for i = 0, 64, 128, ...
//     a += x[i ..], b += x[i + 16 ..], c += x[i + 32 ..], d += x[i + 48 ..]
//   a = (a + c) + (b + d)
//   for the rest: a += x[i ..]          the last one masked
//   sum = sum + pairwise(a)
//
// A row of more than 4096 elements is cut into chunks of 4096, each of which is
// added to the sum in this way.  On a GPU several groups of threads share such
// a row.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/loops/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Vectors that accumulate a row in turns.
constexpr int64_t kRowVectors = kSumLanes / kRestLanes;

class RowSums {
public:
  explicit RowSums(LoopNest &nest)
      : nest(nest), op(nest.getOp()), loc(nest.getLoc()), lane(nest.getLane()) {
  }

  void emit(OpBuilder &b) {
    if (!isLongRow(nest))
      return add(b, emitReductions(b, 0, identities(b)));
    auto addChunk = [&](OpBuilder &at, Value begin, int64_t size) {
      add(at, sumRange(at, begin, size, identities(at)));
    };
    const int64_t extent = nest.getExtent(lane), rest = extent % kChunk;
    Value whole = nest.constantIndex(b, extent - rest);
    scf::ForOp::create(
        b, loc, nest.constantIndex(b, 0), whole, nest.constantIndex(b, kChunk),
        {}, [&](OpBuilder &inner, Location, Value begin, ValueRange) {
          addChunk(inner, begin, kChunk);
          scf::YieldOp::create(inner, loc);
        });
    if (rest > 0)
      addChunk(b, whole, rest);
  }

private:
  LoopNest &nest;
  linalg::LinalgOp op;
  Location loc;
  int lane;

  /// Combines the lanes and adds the total to the results.
  void add(OpBuilder &b, ArrayRef<Value> lanes) {
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      OpOperand &init = *op.getDpsInitOperand(i);
      Value total =
          combineLanes(b, loc, getCombiner(op, i)->getName(), lanes[i]);
      Value start = nest.load(b, init, Value());
      nest.store(b, init, combine(b, i, start, total), Value());
    }
  }

  /// One accumulator of lanes for each result.
  SmallVector<Value> identities(OpBuilder &b) {
    SmallVector<Value> lanes;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      Operation *combiner = getCombiner(op, i);
      auto type =
          VectorType::get({kRestLanes}, combiner->getResult(0).getType());
      Attribute identity =
          b.getFloatAttr(type.getElementType(), *getIdentity(combiner));
      lanes.push_back(arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, identity)));
    }
    return lanes;
  }

  /// Combines `x` and `y` by the operation that adds to accumulator `i`.
  Value combine(OpBuilder &b, unsigned i, Value x, Value y) {
    return zero::combine(b, loc, getCombiner(op, i)->getName(), x, y);
  }

  /// Opens the reduction loops from `loop` on, and inside them the lanes.
  SmallVector<Value> emitReductions(OpBuilder &b, int loop,
                                    ArrayRef<Value> lanes) {
    loop = nest.findClosed(loop, /*reduction=*/true);
    if (loop < nest.getNumLoops())
      return nest.forCarried(b, loop, lanes,
                             [&](OpBuilder &inner, ArrayRef<Value> carried) {
                               return emitReductions(inner, loop + 1, carried);
                             });
    auto [lower, upper] = nest.getBounds(b, lane);
    if (nest.isCut(lane))
      return sumVectors(b, lower, upper, lanes);
    return sumRange(b, lower, nest.getExtent(lane), lanes);
  }

  /// Accumulates `extent` elements from `lower` on.
  SmallVector<Value> sumRange(OpBuilder &b, Value lower, int64_t extent,
                              ArrayRef<Value> lanes) {
    auto past = [&](int64_t count) {
      return b.createOrFold<arith::AddIOp>(loc, lower,
                                           nest.constantIndex(b, count));
    };
    if (extent < 2 * kSumLanes)
      return sumVectors(b, lower, past(extent), lanes);
    Value end = past(extent / kSumLanes * kSumLanes);
    SmallVector<Value> sums = emitTurns(b, lower, end, lanes);
    return extent % kSumLanes ? sumVectors(b, end, past(extent), sums) : sums;
  }

  SmallVector<Value> sumVectors(OpBuilder &b, Value lower, Value upper,
                                ArrayRef<Value> start) {
    return forVectors(
        b, loc, nest.getLanes(), lower, upper, start,
        [&](OpBuilder &inner, Value first, Value mask, ValueRange carried) {
          nest.open(lane, first);
          SmallVector<Value> current(carried);
          SmallVector<Value> next = nest.emitBody(inner, current, mask);
          nest.close(lane);
          // Lanes outside of the mask keep their values.
          for (auto [value, old] : llvm::zip(next, current)) {
            value = nest.asVector(inner, value);
            if (mask)
              value = arith::SelectOp::create(inner, loc, mask, value, old);
          }
          return next;
        });
  }

  /// Accumulates [lower, upper), whole turns of kRowVectors vectors each.
  SmallVector<Value> emitTurns(OpBuilder &b, Value lower, Value upper,
                               ArrayRef<Value> lanes) {
    unsigned inits = lanes.size();
    SmallVector<Value> start(lanes);
    for (int64_t i = 1; i < kRowVectors; ++i)
      llvm::append_range(start, identities(b));
    auto turns = scf::ForOp::create(
        b, loc, lower, upper, nest.constantIndex(b, kSumLanes), start,
        [&](OpBuilder &inner, Location, Value first, ValueRange carried) {
          SmallVector<Value> firsts =
              nest.positionsFrom(inner, first, kRowVectors, kRestLanes);
          SmallVector<Value> current(carried), next;
          for (auto [i, at] : llvm::enumerate(firsts)) {
            nest.open(lane, at);
            for (Value value : nest.emitBody(
                     inner, ArrayRef(current).slice(i * inits, inits), Value()))
              next.push_back(nest.asVector(inner, value));
          }
          nest.close(lane);
          scf::YieldOp::create(inner, loc, next);
        });
    SmallVector<Value> sums(turns.getResults());
    for (int64_t half = kRowVectors / 2; half >= 1; half /= 2)
      for (unsigned i = 0; i < half * inits; ++i)
        sums[i] = combine(b, i % inits, sums[i], sums[half * inits + i]);
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

void zero::emitRowSums(OpBuilder &b, LoopNest &nest) {
  if (nest.getLanes().isGroup())
    return emitGroupSums(b, nest);
  RowSums(nest).emit(b);
}
