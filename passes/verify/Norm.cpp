//===- Norm.cpp - The norm is of all gradients ----------------------------===//
//
// (V13) for zero.clip: the norm is of the squares of all trained buckets, each
// once, in the order of the module, and on several ranks of one all_reduce of
// their total.  With virtual shards the squares of a slice are those of its
// segments: those of each are added up in this order, and then the segments'
// totals as a binary tree.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/Zero.h"
#include "passes/verify/Diagnostics.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

LogicalResult judge::judgeSquares(Operation *op, ValueRange partials) {
  SmallVector<std::string> found, expected;
  for (Value partial : partials) {
    auto squares = partial.getDefiningOp<SumSquaresOp>();
    found.push_back(squares ? ("@" + squares.getBucket()).str()
                            : judge::describe(partial));
  }
  for (auto bucket : op->getParentOfType<ModuleOp>().getOps<BucketOp>())
    if (!bucket.getFrozen())
      expected.push_back(("@" + bucket.getSymName()).str());
  for (size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
    auto at = [&](ArrayRef<std::string> list) {
      return i < list.size() ? list[i] : std::string("nothing");
    };
    if (at(found) != at(expected)) // (V13)
      return op->emitOpError("adds squares of ")
             << at(found) << " in place " << i << ", where those of "
             << at(expected)
             << " belong (V13); the norm is of all buckets that are trained, "
                "each once, in the order of the module";
  }
  return success();
}

/// `total` must add up segment `number` of the `segments` of each bucket.
static LogicalResult judgeSegment(TotalOp total, int64_t number,
                                  int64_t segments) {
  SmallVector<Value> squares;
  for (Value partial : total.getPartials()) {
    auto split = partial.getDefiningOp<SplitOp>();
    auto all =
        split ? split.getWhole().getDefiningOp<SumSquaresOp>() : SumSquaresOp();
    const int64_t rows =
        cast<RankedTensorType>(partial.getType()).getNumElements();
    if (!all || int64_t(split.getRow()) != number * rows ||
        cast<RankedTensorType>(all.getPartials().getType()).getNumElements() !=
            segments * rows) // (V13)
      return total.emitOpError("takes ")
             << judge::describe(partial)
             << ", which is not the squares of segment " << number
             << " of a bucket (V13)";
    squares.push_back(all.getPartials());
  }
  return judgeSquares(total, squares);
}

/// `value`, which `op` takes, must be the squares of `count` of the `segments`,
/// from `first` on: of one, its total; of several, the total of both halves.
static LogicalResult judgeTree(Operation *op, Value value, int64_t first,
                               int64_t count, int64_t segments) {
  auto total = value.getDefiningOp<TotalOp>();
  if (!total) // (V13)
    return op->emitOpError("takes ")
           << judge::describe(value)
           << " (V13); with virtual shards the norm is of a tree of zero.total";
  ValueRange partials = total.getPartials();
  if (count == 1)
    return segments == 1 ? judgeSquares(total, partials)
                         : judgeSegment(total, first, segments);
  if (partials.size() != 2) // (V13)
    return total.emitOpError("adds up ")
           << partials.size() << " values, where those of " << count
           << " segments are those of two halves (V13)";
  const int64_t half = count / 2;
  return failure(
      failed(judgeTree(total, partials[0], first, half, segments)) ||
      failed(judgeTree(total, partials[1], first + half, half, segments)));
}

LogicalResult judge::judgeNorm(ClipOp op, int64_t ranks, int64_t shards) {
  if (ranks == 1 && shards == 0)
    return judgeSquares(op, op.getPartials());
  Value value = op.getPartials().front();
  auto all = value.getDefiningOp<AllReduceOp>();
  if (ranks > 1 && all)
    value = all.getValue();
  if (op.getPartials().size() != 1 || (ranks > 1 && !all) ||
      !value.getDefiningOp<TotalOp>()) // (V13)
    return op.emitOpError("takes ")
           << judge::describe(op.getPartials().front()) << " (V13); "
           << (ranks > 1 ? "on several ranks the norm is of one "
                           "zero.all_reduce of the zero.total"
                         : "with virtual shards the norm is of one tree of "
                           "zero.total");
  return shards ? judgeTree(op, value, 0, shards / ranks, shards / ranks)
                : success();
}
