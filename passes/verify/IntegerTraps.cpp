//===- IntegerTraps.cpp - Undefined integer arithmetic --------------------===//
//
// The intervals of (S8) hold only for defined arithmetic.  Two kinds of
// operations are undefined for some operands:
//
//   x / 0, min / -1     ends the process.  The interval of a divisor must not
//                       contain 0, and that of a signed divisor must not
//                       contain -1 if the dividend may be the smallest number.
//   overflow<nsw>,      a promise: if it is broken, the result may be any
//   exact               number, and another one at each use, so that a later
//                       clamp does not help.  The exact result, computed in
//                       more bits, must fit; `exact` is refused.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Intervals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
/// Bounds of an interval, both inclusive.
struct Bounds {
  APInt low, high;
};
} // namespace

static std::string describeRange(const ConstantIntRanges &range) {
  SmallString<32> low, high;
  range.smin().toStringSigned(low);
  range.smax().toStringSigned(high);
  return (low + " to " + high).str();
}

static LogicalResult judgeDivision(Operation *op, const Intervals &intervals) {
  bool isSigned = isa<arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
                      arith::RemSIOp>(op);
  if (!isSigned && !isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp>(op))
    return success();
  IntegerValueRange left = intervals.of(op->getOperand(0)),
                    right = intervals.of(op->getOperand(1));
  if (left.isUninitialized() || right.isUninitialized())
    return success();
  const ConstantIntRanges &divisor = right.getValue();
  bool hasZero = divisor.umin().isZero() &&
                 !divisor.smin().isStrictlyPositive() &&
                 !divisor.smax().isNegative();
  if (hasZero) // (S8)
    return op->emitOpError("may divide by 0: its divisor is from ")
           << describeRange(divisor)
           << " (S8); clamp it by arith.maxsi, or select another number where "
              "it "
              "is 0";
  bool hasMinusOne =
      divisor.smin().isNegative() &&
      !divisor.smax().slt(APInt::getAllOnes(divisor.smax().getBitWidth()));
  if (isSigned && hasMinusOne &&
      left.getValue().smin().isMinSignedValue()) // (S8)
    return op->emitOpError("may divide the smallest number by -1: its operands "
                           "are from ")
           << describeRange(left.getValue()) << " and from "
           << describeRange(divisor)
           << " (S8); clamp one of them by arith.maxsi";
  return success();
}

/// The exact interval of `op` on `a` and `b`, in enough bits; nothing if it is
/// not known.
static std::optional<Bounds> inMoreBits(Operation *op, const Bounds &a,
                                        const Bounds &b, unsigned width) {
  if (isa<arith::AddIOp>(op))
    return Bounds{a.low + b.low, a.high + b.high};
  if (isa<arith::SubIOp>(op))
    return Bounds{a.low - b.high, a.high - b.low};
  if (!isa<arith::MulIOp, arith::ShLIOp>(op))
    return std::nullopt;
  SmallVector<APInt, 4> corners;
  for (const APInt &x : {a.low, a.high})
    for (const APInt &y : {b.low, b.high}) {
      if (isa<arith::ShLIOp>(op) && y.uge(width))
        return std::nullopt;
      corners.push_back(isa<arith::MulIOp>(op) ? x * y : x << y);
    }
  auto less = [](const APInt &x, const APInt &y) { return x.slt(y); };
  return Bounds{*llvm::min_element(corners, less),
                *llvm::max_element(corners, less)};
}

static LogicalResult judgeOverflow(arith::ArithIntegerOverflowFlagsInterface op,
                                   const Intervals &intervals) {
  bool noSigned = op.hasNoSignedWrap(), noUnsigned = op.hasNoUnsignedWrap();
  if (!noSigned && !noUnsigned)
    return success();
  SmallVector<ConstantIntRanges, 2> ranges;
  for (Value operand : op->getOperands()) {
    IntegerValueRange range = intervals.of(operand);
    if (range.isUninitialized())
      return success();
    ranges.push_back(range.getValue());
  }
  unsigned width =
      ConstantIntRanges::getStorageBitwidth(op->getResult(0).getType());
  auto fits = [&](bool isSigned) {
    auto extend = [&](const ConstantIntRanges &range, bool asSigned) {
      unsigned more = 2 * range.smin().getBitWidth() + 2;
      return asSigned
                 ? Bounds{range.smin().sext(more), range.smax().sext(more)}
                 : Bounds{range.umin().zext(more), range.umax().zext(more)};
    };
    Bounds first = extend(ranges.front(), isSigned);
    std::optional<Bounds> result = first; // the result of a truncation
    if (ranges.size() == 2)
      // The amount of a shift is unsigned.
      result = inMoreBits(
          op, first,
          extend(ranges[1], isSigned && !isa<arith::ShLIOp>(op.getOperation())),
          width);
    if (!result)
      return false;
    return isSigned ? result->low.isSignedIntN(width) &&
                          result->high.isSignedIntN(width)
                    : !result->low.isNegative() && result->high.isIntN(width);
  };
  if ((!noSigned || fits(true)) && (!noUnsigned || fits(false)))
    return success();
  InFlightDiagnostic error =
      op->emitOpError("may overflow, which its flags say "
                      "it does not: it takes numbers from ");
  llvm::interleave(
      ranges, [&](auto &range) { error << describeRange(range); },
      [&] { error << " and from "; });
  return error << " (S8); without the flags it wraps around";
}

LogicalResult judge::judgeArithmetic(Operation *op,
                                     const Intervals &intervals) {
  if (failed(judgeDivision(op, intervals)))
    return failure();
  if (auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op))
    if (failed(judgeOverflow(flags, intervals)))
      return failure();
  if (std::optional<Attribute> exact = op->getInherentAttr("isExact");
      exact && *exact) // (S8)
    return op->emitOpError(
        "says that nothing is left over, which the judge does "
        "not know (S8); drop its exact");
  return success();
}
