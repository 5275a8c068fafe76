//===- Intervals.cpp - Intervals of integer values ------------------------===//
//
//   arithmetic       the upstream rules (InferIntRangeInterface), elementwise
//                    on tensors
//   a select         uses its comparison: x, taken if `x < c`, lies below c
//   a loop           the counter lies between the bounds
//   generate, pad    indices lie in the result
//   linalg           loop indices lie in the loop sizes; arguments of the body
//                    are elements of the operands, and yielded values are
//                    elements of the result
//   moved elements   views, slices, extracts, copies, also to another tier: as
//                    their source
//   anything else    any value of the type; this includes values that loops
//                    carry and sums of reductions
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Intervals.h"

#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

IntegerValueRange Intervals::of(Value value) const {
  auto known = ranges.find(value);
  return known == ranges.end() ? IntegerValueRange::getMaxRange(value)
                               : known->second;
}

void Intervals::set(Value value, IntegerValueRange range) {
  if (!range.isUninitialized())
    ranges.insert_or_assign(value, std::move(range));
}

IntegerValueRange Intervals::join(ValueRange values) const {
  IntegerValueRange all;
  for (Value value : values)
    all = IntegerValueRange::join(all, of(value));
  return all;
}

/// The interval of x if `x predicate bound` holds.  It has no result for
/// comparisons that never hold, and then gives the whole range.
static ConstantIntRanges where(arith::CmpIPredicate predicate,
                               const ConstantIntRanges &bound) {
  unsigned width = bound.smin().getBitWidth();
  APInt least = APInt::getSignedMinValue(width),
        most = APInt::getSignedMaxValue(width), zero = APInt::getZero(width),
        all = APInt::getMaxValue(width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return bound;
  case arith::CmpIPredicate::slt:
    if (bound.smax() == least)
      break;
    return ConstantIntRanges::fromSigned(least, bound.smax() - 1);
  case arith::CmpIPredicate::sle:
    return ConstantIntRanges::fromSigned(least, bound.smax());
  case arith::CmpIPredicate::sgt:
    if (bound.smin() == most)
      break;
    return ConstantIntRanges::fromSigned(bound.smin() + 1, most);
  case arith::CmpIPredicate::sge:
    return ConstantIntRanges::fromSigned(bound.smin(), most);
  case arith::CmpIPredicate::ult:
    if (bound.umax() == zero)
      break;
    return ConstantIntRanges::fromUnsigned(zero, bound.umax() - 1);
  case arith::CmpIPredicate::ule:
    return ConstantIntRanges::fromUnsigned(zero, bound.umax());
  case arith::CmpIPredicate::ugt:
    if (bound.umin() == all)
      break;
    return ConstantIntRanges::fromUnsigned(bound.umin() + 1, all);
  case arith::CmpIPredicate::uge:
    return ConstantIntRanges::fromUnsigned(bound.umin(), all);
  case arith::CmpIPredicate::ne:
    if (bound.getConstantValue() != zero)
      break;
    return {zero + 1, all, least, most};
  }
  return ConstantIntRanges::maxRange(width);
}

/// The interval of `taken`, which a select takes when `condition` is `when`.
IntegerValueRange Intervals::ofSelect(Value condition, Value taken,
                                      bool when) const {
  IntegerValueRange range = of(taken);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || range.isUninitialized())
    return range;
  Value left = compare.getLhs(), right = compare.getRhs();
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!when)
    predicate = arith::invertPredicate(predicate);
  if (left != taken || of(right).isUninitialized())
    return range;
  ConstantIntRanges both =
      range.getValue().intersection(where(predicate, of(right).getValue()));
  // An empty intersection: `taken` is never taken, and any interval is correct.
  return both.smin().sgt(both.smax()) || both.umin().ugt(both.umax())
             ? range
             : IntegerValueRange(both);
}

/// The interval [0, size) of an index.
static IntegerValueRange below(int64_t size) {
  return ConstantIntRanges::fromSigned(APInt(64, 0), APInt(64, size - 1));
}

void Intervals::enter(Operation *op) {
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
    // Partial sums of a reduction may be anything.
    for (OpOperand &operand : op->getOpOperands())
      if (!linalg.isDpsInit(&operand) || linalg.getNumReductionLoops() == 0)
        set(linalg.getMatchingBlockArgument(&operand), of(operand.get()));
    return;
  }
  // The regions run for each index of the result.
  if (isa<tensor::GenerateOp, tensor::PadOp>(op)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (auto [place, size] :
         llvm::zip(op->getRegion(0).getArguments(), type.getShape()))
      if (size > 0)
        set(place, below(size));
    return;
  }
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return;
  std::optional<SmallVector<Value>> counters = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> from = loop.getLoopLowerBounds(),
                                           to = loop.getLoopUpperBounds();
  if (!counters || !from || !to)
    return;
  auto get = [&](Value value) { return of(value); };
  for (auto [counter, first, end] : llvm::zip_equal(*counters, *from, *to)) {
    unsigned width = ConstantIntRanges::getStorageBitwidth(counter.getType());
    ConstantIntRanges low =
        getIntValueRanges({first}, get, width).front().getValue();
    ConstantIntRanges high =
        getIntValueRanges({end}, get, width).front().getValue();
    // The body runs for counters below the end only.
    if (high.smax().sgt(low.smin()))
      set(counter, ConstantIntRanges::fromSigned(low.smin(), high.smax() - 1));
  }
}

void Intervals::follow(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    IntegerValueRange condition = of(select.getCondition());
    std::optional<APInt> known = condition.isUninitialized()
                                     ? std::nullopt
                                     : condition.getValue().getConstantValue();
    IntegerValueRange yes = ofSelect(select.getCondition(),
                                     select.getTrueValue(), true),
                      no = ofSelect(select.getCondition(),
                                    select.getFalseValue(), false);
    set(select, !known            ? IntegerValueRange::join(yes, no)
                : known->isZero() ? no
                                  : yes);
  } else if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    auto loops = op->getParentOfType<linalg::LinalgOp>();
    if (int64_t size = loops.getStaticLoopRanges()[index.getDim()]; size > 0)
      set(index, below(size));
  } else if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
    if (linalg.getNumReductionLoops() > 0 || !linalg.hasPureTensorSemantics())
      return;
    for (OpOperand &init : linalg.getDpsInitsMutable()) {
      // A result that is not written whole keeps elements of its initial value.
      Value result = linalg.getTiedOpResult(&init),
            yielded = linalg.getMatchingYieldValue(&init)->get();
      bool kept = !init.get().getDefiningOp<tensor::EmptyOp>() &&
                  !linalg.getMatchingIndexingMap(&init).isPermutation();
      set(result, kept ? join({yielded, init.get()}) : of(yielded));
    }
  } else if (isa<tensor::ExtractOp, tensor::ExtractSliceOp,
                 tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp,
                 CopyOp, SplitOp, FetchOp, SpillOp>(op)) {
    set(op->getResult(0), of(op->getOperand(0)));
  } else if (isa<tensor::InsertOp, tensor::InsertSliceOp>(op)) {
    set(op->getResult(0), join(op->getOperands().take_front(2)));
  } else if (isa<tensor::SplatOp, tensor::FromElementsOp, JoinOp>(op)) {
    set(op->getResult(0), join(op->getOperands()));
  } else if (auto infer = dyn_cast<InferIntRangeInterface>(op)) {
    SmallVector<IntegerValueRange> operands;
    for (Value operand : op->getOperands())
      operands.push_back(of(operand));
    infer.inferResultRangesFromOptional(
        operands, [&](Value result, const IntegerValueRange &range) {
          set(result, range);
        });
  }
}
