//===- GroupSums.cpp - Sums of rows by a group of threads -----------------===//
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

#include "passes/codegen/gpu/Shuffle.h"
#include "passes/codegen/loops/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Bytes of a total in shared memory.
constexpr int64_t kPartBytes = 8;

/// Threads that have the lanes of the rest.
constexpr int64_t kRestThreads = kRestLanes * kGroupThreads / kSumLanes;

class GroupSums {
public:
  explicit GroupSums(LoopNest &nest)
      : nest(nest), op(nest.getOp()), loc(nest.getLoc()), lane(nest.getLane()),
        thread(nest.getLanes().thread) {}

  void emit(OpBuilder &b) {
    if (nest.getLanes().team > 0)
      return emitByTeam(b);
    if (!isLongRow(nest))
      return add(b, getTotals(b, emitReductions(b, 0, identities(b))));
    forChunks(b, index(b, 0), 1,
              [&](OpBuilder &at, Value, Value begin, int64_t size) {
                add(at,
                    getTotals(at, sumRange(at, begin, size, identities(at))));
              });
  }

private:
  LoopNest &nest;
  linalg::LinalgOp op;
  Location loc;
  int lane;
  Value thread;

  /// The totals of all lanes of the group, one for each result, in all threads.
  SmallVector<Value> getTotals(OpBuilder &b, ArrayRef<Value> lanes) {
    SmallVector<Value> totals;
    for (auto [i, sum] : llvm::enumerate(lanes)) {
      Value all = sum;
      for (int64_t apart = kRestThreads / 2; apart >= 1; apart /= 2)
        all = addFrom(b, i, all, apart);
      all = combineLanes(b, loc, getCombiner(op, i)->getName(), all);
      totals.push_back(shuffle(b, loc, all, index(b, 0)));
    }
    return totals;
  }

  /// Adds the totals to the results.
  void add(OpBuilder &b, ArrayRef<Value> totals) {
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      OpOperand &init = *op.getDpsInitOperand(i);
      nest.onOneThread(b, nest.isReplicated(init), [&](OpBuilder &inner) {
        Value start = nest.load(inner, init, Value());
        nest.store(inner, init, combine(inner, i, start, totals[i]), Value());
      });
    }
  }

  /// Calls `emit` for every `step`-th chunk of the row from `first` on, with
  /// its number, where it begins, and its size.
  void forChunks(OpBuilder &b, Value first, int64_t step,
                 llvm::function_ref<void(OpBuilder &, Value number, Value begin,
                                         int64_t size)>
                     emit) {
    const int64_t extent = nest.getExtent(lane), rest = extent % kChunk,
                  count = llvm::divideCeil(extent, kChunk);
    scf::ForOp::create(
        b, loc, first, index(b, count), index(b, step), {},
        [&](OpBuilder &at, Location, Value number, ValueRange) {
          Value begin =
              arith::MulIOp::create(at, loc, number, index(at, kChunk));
          auto chunk = [&](int64_t size) {
            return [&, size](OpBuilder &inner, Location) {
              emit(inner, number, begin, size);
              scf::YieldOp::create(inner, loc);
            };
          };
          if (rest == 0) {
            emit(at, number, begin, kChunk);
          } else if (count == 1) {
            emit(at, number, begin, rest);
          } else {
            Value isLast =
                arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq, number,
                                      index(at, count - 1));
            scf::IfOp::create(at, loc, isLast, chunk(rest), chunk(kChunk));
          }
          scf::YieldOp::create(at, loc);
        });
  }

  /// Each group of the team leaves the totals of its chunks in shared memory;
  /// then the totals are added in order.
  void emitByTeam(OpBuilder &b) {
    const int64_t count = llvm::divideCeil(nest.getExtent(lane), kChunk);
    SmallVector<Value> parts;
    int64_t offset = 0;
    for (Value init : op.getDpsInits()) {
      auto type = MemRefType::get(
          {count}, cast<MemRefType>(init.getType()).getElementType());
      parts.push_back(memref::ViewOp::create(b, loc, type, nest.getTeamMemory(),
                                             index(b, offset), ValueRange()));
      offset += count * kPartBytes;
    }
    const Lanes &lanes = nest.getLanes();
    forChunks(b, lanes.member, lanes.team,
              [&](OpBuilder &at, Value number, Value begin, int64_t size) {
                SmallVector<Value> totals =
                    getTotals(at, sumRange(at, begin, size, identities(at)));
                Value isFirst = arith::CmpIOp::create(
                    at, loc, arith::CmpIPredicate::eq, thread, index(at, 0));
                scf::IfOp::create(
                    at, loc, isFirst, [&](OpBuilder &in, Location) {
                      for (auto [part, total] : llvm::zip_equal(parts, totals))
                        memref::StoreOp::create(in, loc, total, part, number);
                      scf::YieldOp::create(in, loc);
                    });
              });
    syncBlock(b, loc);
    scf::ForOp::create(b, loc, index(b, 0), index(b, count), index(b, 1), {},
                       [&](OpBuilder &at, Location, Value number, ValueRange) {
                         SmallVector<Value> totals;
                         for (Value part : parts)
                           totals.push_back(
                               memref::LoadOp::create(at, loc, part, number));
                         add(at, totals);
                         scf::YieldOp::create(at, loc);
                       });
  }

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

  /// Combines `x` and `y` by the operation that adds to accumulator `i`.
  Value combine(OpBuilder &b, unsigned i, Value x, Value y) {
    return zero::combine(b, loc, getCombiner(op, i)->getName(), x, y);
  }

  /// Adds the sum of thread `thread ^ apart` to `sum`.
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
    return sumRange(b, index(b, 0), nest.getExtent(lane), sums);
  }

  /// Adds `extent` elements from `base` on to `sums`.
  SmallVector<Value> sumRange(OpBuilder &b, Value base, int64_t extent,
                              ArrayRef<Value> sums) {
    int64_t begin = 0;
    SmallVector<Value> all(sums);
    if (extent >= 2 * kSumLanes) {
      begin = extent / kSumLanes * kSumLanes;
      all = emitTurns(b, base, begin, all);
    }
    for (; begin < extent; begin += kSumLanes)
      all = emitRest(b, past(b, base, begin),
                     std::min(extent - begin, kSumLanes), all);
    return all;
  }

  Value past(OpBuilder &b, Value base, int64_t count) {
    return b.createOrFold<arith::AddIOp>(loc, base, index(b, count));
  }

  /// The values that the body yields for the vector of this thread at `begin`.
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

  /// Adds `count` elements from `base` on to `sums` of the first threads.
  SmallVector<Value> emitTurns(OpBuilder &b, Value base, int64_t count,
                               ArrayRef<Value> sums) {
    Value hasSum = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         thread, index(b, kRestThreads));
    SmallVector<Value> start;
    for (auto [sum, identity] : llvm::zip_equal(sums, identities(b)))
      start.push_back(arith::SelectOp::create(b, loc, hasSum, sum, identity));
    auto turns = scf::ForOp::create(
        b, loc, base, past(b, base, count), index(b, kSumLanes), start,
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

  /// Adds `count` elements from `base` on, at most kSumLanes of them.
  SmallVector<Value> emitRest(OpBuilder &b, Value base, int64_t count,
                              ArrayRef<Value> sums) {
    Value first = firstOf(b, loc, nest.getLanes(), base), mask;
    if (count < kSumLanes)
      mask = maskBelow(b, loc, nest.getLanes(), first, past(b, base, count));
    SmallVector<Value> terms = emitBodyAt(b, first, identities(b), mask),
                       all(sums);
    int64_t turns = llvm::divideCeil(count, kRestLanes);
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

int64_t zero::getTeamBytes(linalg::LinalgOp op, const LoopContext &context) {
  LoopNest nest(op, context);
  const int lane = nest.getLane();
  if (lane < 0 || !nest.isReduction(lane))
    return 0;
  return llvm::divideCeil(nest.getExtent(lane), kChunk) * op.getNumDpsInits() *
         kPartBytes;
}
