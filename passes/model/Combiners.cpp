//===- Combiners.cpp - Reductions of a generic ----------------------------===//

#include "passes/model/Combiners.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::zero;
using linalg::GenericOp;

bool zero::keepsLoops(GenericOp op, unsigned result) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(result))
             .getNumResults() == op.getNumLoops();
}

using Values = llvm::SmallDenseSet<Value>;

/// The values of the body that `value` is computed from, itself included.
static Values computedFrom(GenericOp op, Value value) {
  SmallVector<Value> open = {value};
  Values found;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!found.insert(next).second)
      continue;
    Operation *source = next.getDefiningOp();
    if (source && source->getBlock() == op.getBody())
      llvm::append_range(open, source->getOperands());
  }
  return found;
}

/// Whether one of `values` is the accumulator of another result than `result`
/// that reduces loops.
static bool readsRunningValue(GenericOp op, const Values &values,
                              unsigned result) {
  return llvm::any_of(llvm::seq(op.getNumResults()), [&](unsigned k) {
    return k != result && !keepsLoops(op, k) &&
           values.contains(op.getRegionOutputArgs()[k]);
  });
}

FailureOr<Combiner> zero::classifyResult(GenericOp op, unsigned result) {
  OpOperand *init = op.getDpsInitOperand(result);
  BlockArgument acc = op.getMatchingBlockArgument(init);
  Value yielded = op.getBody()->getTerminator()->getOperand(result);
  Values sources = computedFrom(op, yielded);
  if (readsRunningValue(op, sources, result))
    return op.emitError("'linalg.generic' has no derivative: result ")
           << result
           << " depends on what another one is reduced to so far; compute it "
              "by "
              "an operation of its own";
  if (keepsLoops(op, result))
    return Combiner{Combiner::Elementwise, yielded};

  // Other results, such as the index of a maximum, may read the accumulator
  // too.
  Operation *last = yielded.getDefiningOp();
  auto readers = llvm::make_filter_range(acc.getUsers(), [&](Operation *user) {
    return llvm::any_of(user->getResults(),
                        [&](Value v) { return sources.contains(v); });
  });
  bool readOnce =
      last && llvm::hasSingleElement(readers) && *readers.begin() == last;
  if (readOnce) {
    if (isa<arith::AddFOp>(last) ||
        (isa<arith::SubFOp>(last) && last->getOperand(0) == acc) ||
        (isa<math::FmaOp>(last) && last->getOperand(2) == acc))
      return Combiner{Combiner::Sum, yielded};
    if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp>(last))
      return Combiner{Combiner::Extremum,
                      last->getOperand(last->getOperand(0) == acc ? 1 : 0)};
    if (isa<arith::MulFOp>(last))
      return Combiner{Combiner::Product,
                      last->getOperand(last->getOperand(0) == acc ? 1 : 0)};
  }
  return op.emitError("'linalg.generic' has no derivative: result ")
         << result
         << " reduces loops, but its accumulator is not used once, in a sum, "
            "product, maximum or minimum with a term";
}
