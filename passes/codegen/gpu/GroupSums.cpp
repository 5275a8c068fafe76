//===- GroupSums.cpp - Sums of rows by a group of threads -----------------===//
//
// The sums of RowSums.cpp, bit for bit.  There 64 lanes take turns as vectors
// a, b, c and d of 16; here thread t of 16 has the lanes 4 t to 4 t + 3, so that
// threads 0 to 3 have a, 4 to 7 b, and so on:
//
//   for i = 0, 64, ...                   all threads
//     sum += x[i + 4 t ..]
//   sum += sum of thread t ^ 8           a + c, b + d
//   sum += sum of thread t ^ 4           (a + c) + (b + d)
//   the rest, 16 elements at a time:     each thread reads its own; threads 0
//     sum += term of thread 4 k + t        to 3 add up those of all, in order
//   pairwise over threads 0 to 3, then over the lanes of thread 0
//
// A term is added to the identity first, which changes no bit of what follows: a
// sum that starts from it is never -0.
//
//===----------------------------------------------------------------------===//

#include "passes/codegen/LoopNest.h"
#include "passes/codegen/gpu/Shuffle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Threads whose lanes are those of the rest.
constexpr int64_t kRestThreads = kRestLanes * kGroupThreads / kSumLanes;

class GroupSums {
public:
  explicit GroupSums(LoopNest &nest)
      : nest(nest), op(nest.getOp()), loc(nest.getLoc()), lane(nest.getLane()),
        thread(nest.getLanes().thread) {}

  void emit(OpBuilder &b) {
    SmallVector<Value> sums = emitReductions(b, 0, identities(b));
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      OpOperand &init = *op.getDpsInitOperand(i);
      for (int64_t apart = kRestThreads / 2; apart >= 1; apart /= 2)
        sums[i] = addFrom(b, i, sums[i], apart);
      Value total =
          combineLanes(b, loc, getCombiner(op, i)->getName(), sums[i]);
      total = shuffle(b, loc, total, index(b, 0));
      nest.onOneThread(b, nest.isReplicated(init), [&](OpBuilder &inner) {
        Value start = nest.load(inner, init, Value());
        nest.store(inner, init, combine(inner, i, start, total), Value());
      });
    }
  }

private:
  LoopNest &nest;
  linalg::LinalgOp op;
  Location loc;
  int lane;
  Value thread;

  Value index(OpBuilder &b, int64_t value) {
    return nest.constantIndex(b, value);
  }

  SmallVector<Value> identities(OpBuilder &b) {
    SmallVector<Value> values;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      Operation *combiner = getCombiner(op, i);
      auto type = VectorType::get({nest.getLanes().width},
                                  combiner->getResult(0).getType());
      Attribute identity =
          b.getFloatAttr(type.getElementType(), *getIdentity(combiner));
      values.push_back(arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, identity)));
    }
    return values;
  }

  /// `x` and `y` by the operation that adds to accumulator `i`.
  Value combine(OpBuilder &b, unsigned i, Value x, Value y) {
    return zero::combine(b, loc, getCombiner(op, i)->getName(), x, y);
  }

  /// `sum` and that of the thread so far apart.
  Value addFrom(OpBuilder &b, unsigned i, Value sum, int64_t apart) {
    Value from = arith::XOrIOp::create(b, loc, thread, index(b, apart));
    return combine(b, i, sum, shuffle(b, loc, sum, from));
  }

  SmallVector<Value> emitReductions(OpBuilder &b, int loop,
                                    ArrayRef<Value> sums) {
    loop = nest.findClosed(loop, /*reduction=*/true);
    if (loop < nest.getNumLoops())
      return nest.forCarried(b, loop, sums,
                             [&](OpBuilder &inner, ArrayRef<Value> carried) {
                               return emitReductions(inner, loop + 1, carried);
                             });
    int64_t extent = nest.getExtent(lane), begin = 0;
    SmallVector<Value> all(sums);
    if (extent >= 2 * kSumLanes) {
      begin = extent / kSumLanes * kSumLanes;
      all = emitTurns(b, begin, all);
    }
    for (; begin < extent; begin += kSumLanes)
      all = emitRest(b, begin, std::min(extent, begin + kSumLanes), all);
    return all;
  }

  /// What the body yields for the vector of this thread at `begin`.
  SmallVector<Value> emitBodyAt(OpBuilder &b, Value begin, ArrayRef<Value> sums,
                                Value mask) {
    nest.open(lane, begin);
    SmallVector<Value> values = nest.emitBody(b, sums, mask);
    nest.close(lane);
    for (auto [value, old] : llvm::zip(values, sums)) {
      value = nest.asVector(b, value);
      if (mask)
        value = arith::SelectOp::create(b, loc, mask, value, old);
    }
    return values;
  }

  /// Adds [0, end) to `sums` of the first threads.
  SmallVector<Value> emitTurns(OpBuilder &b, int64_t end,
                               ArrayRef<Value> sums) {
    Value hasSum = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         thread, index(b, kRestThreads));
    SmallVector<Value> start;
    for (auto [sum, identity] : llvm::zip_equal(sums, identities(b)))
      start.push_back(arith::SelectOp::create(b, loc, hasSum, sum, identity));
    auto turns = scf::ForOp::create(
        b, loc, index(b, 0), index(b, end), index(b, kSumLanes), start,
        [&](OpBuilder &inner, Location, Value at, ValueRange carried) {
          Value first = firstOf(inner, loc, nest.getLanes(), at);
          scf::YieldOp::create(
              inner, loc,
              emitBodyAt(inner, first, SmallVector<Value>(carried), Value()));
        });
    SmallVector<Value> all(turns.getResults());
    for (int64_t apart = kGroupThreads / 2; apart >= kRestThreads; apart /= 2)
      for (auto [i, sum] : llvm::enumerate(all))
        sum = addFrom(b, i, sum, apart);
    return all;
  }

  /// Adds [begin, end), at most kSumLanes of them.
  SmallVector<Value> emitRest(OpBuilder &b, int64_t begin, int64_t end,
                              ArrayRef<Value> sums) {
    Value first = firstOf(b, loc, nest.getLanes(), index(b, begin)), mask;
    if (end - begin < kSumLanes)
      mask = maskBelow(b, loc, nest.getLanes(), first, index(b, end));
    SmallVector<Value> terms = emitBodyAt(b, first, identities(b), mask),
                       all(sums);
    int64_t turns = llvm::divideCeil(end - begin, kRestLanes);
    Value low = arith::RemUIOp::create(b, loc, thread, index(b, kRestThreads));
    for (int64_t turn = 0; turn < turns; ++turn) {
      Value from =
          arith::AddIOp::create(b, loc, low, index(b, turn * kRestThreads));
      for (auto [i, sum] : llvm::enumerate(all))
        sum = combine(b, i, sum, shuffle(b, loc, terms[i], from));
    }
    return all;
  }
};

} // namespace

void zero::emitGroupSums(OpBuilder &b, LoopNest &nest) {
  GroupSums(nest).emit(b);
}
