//===- ReductionAdjoint.cpp - Adjoints of the terms of a result -----------===//

#include "passes/model/ReductionAdjoint.h"

#include "mlir/IR/Matchers.h"
#include "passes/model/ElementwiseRules.h"

#include <limits>

using namespace mlir;
using namespace mlir::zero;
using linalg::GenericOp;
using nn::S;

/// The number that all elements of `init` have, if there is one.
static std::optional<APFloat> numberOf(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getInputs()[0];
  APFloat value(0.0);
  return matchPattern(init, m_ConstantFloat(&value)) ? std::optional(value)
                                                     : std::nullopt;
}

/// 1 where x is y, else 0.
static S indicator(S x, S y) {
  return nn::select(isEqual(x, y), x.constant(1), x.constant(0));
}

/// The number of terms of result k that equal `wanted`, of the result's shape.
/// `init`, unless null, counts as a term.
static FailureOr<Value> countTerms(OpBuilder &b, GenericOp op,
                                   ArrayRef<Combiner> combiners, unsigned k,
                                   S wanted, Value init) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(k));
  auto type = cast<RankedTensorType>(wanted.v.getType());
  Value start = init ? indicator(wanted.with(init), wanted) : Value();
  return emitOverLoops(
      b, op, combiners, {{wanted, map}}, map, type, start,
      [&](OpBuilder &nested, const Iteration &at) -> FailureOr<Value> {
        S one(nested, op.getLoc(), at.extras[0]);
        Value term = at.primal.lookupOrDefault(combiners[k].term);
        return Value(indicator(one.with(term), one));
      });
}

//===----------------------------------------------------------------------===//
// The first hit
//===----------------------------------------------------------------------===//

/// The number that stands for no term.
static constexpr int32_t kNone = std::numeric_limits<int32_t>::max();

/// Whether `op` reads an operand through windows: one of its dimensions at a
/// position that is no single loop, and that depends on a reduced one.
static bool readsWindows(GenericOp op) {
  auto iterators = op.getIteratorTypesArray();
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    return llvm::any_of(
        op.getMatchingIndexingMap(operand).getResults(), [&](AffineExpr expr) {
          return !isa<AffineDimExpr>(expr) &&
                 llvm::any_of(llvm::seq(op.getNumLoops()), [&](unsigned loop) {
                   return expr.isFunctionOfDim(loop) &&
                          iterators[loop] == utils::IteratorType::reduction;
                 });
        });
  });
}

static int64_t countReduced(GenericOp op) {
  int64_t count = 1;
  for (auto [extent, iterator] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      count *= extent;
  return count;
}

/// The number of a term among those of its result, in the order of the loops.
static Value numberOfTerm(OpBuilder &b, GenericOp op, const Iteration &at) {
  Location loc = op.getLoc();
  Value number;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::reduction)
      continue;
    Value index = linalg::IndexOp::create(b, loc, at.position[loop]);
    if (number) {
      Value extent = arith::ConstantIndexOp::create(
          b, loc, op.getStaticLoopRanges()[loop]);
      number = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, number, extent), index);
    } else {
      number = index;
    }
  }
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), number);
}

static Value constantI32(OpBuilder &b, Location loc, int32_t value) {
  return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
}

/// The number of the first term of result k that equals `result`.
static FailureOr<Value> findFirst(OpBuilder &b, GenericOp op,
                                  ArrayRef<Combiner> combiners, unsigned k,
                                  S result) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(k));
  auto type = cast<RankedTensorType>(result.v.getType()).clone(b.getI32Type());
  Value none = arith::ConstantOp::create(
      b, op.getLoc(), DenseElementsAttr::get(type, b.getI32IntegerAttr(kNone)));
  return emitOverLoops(
      b, op, combiners, {{result, map}}, map, type, none,
      [&](OpBuilder &nested, const Iteration &at) -> FailureOr<Value> {
        S extreme(nested, op.getLoc(), at.extras[0]);
        S term = extreme.with(at.primal.lookupOrDefault(combiners[k].term));
        return Value(
            arith::SelectOp::create(nested, op.getLoc(), isEqual(term, extreme),
                                    numberOfTerm(nested, op, at),
                                    constantI32(nested, op.getLoc(), kNone)));
      },
      [](OpBuilder &nested, Location loc, Value acc, Value term) -> Value {
        return arith::MinSIOp::create(nested, loc, acc, term);
      });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Result k without the factors that are zero, beginning with `init`.
static Value productOfNonzeros(OpBuilder &b, GenericOp op,
                               const Combiner &combiner, unsigned k,
                               Value init) {
  IRMapping map;
  auto clone = cast<GenericOp>(b.clone(*op, map));
  clone.getDpsInitOperand(k)->set(init);
  Operation *last =
      clone.getBody()->getTerminator()->getOperand(k).getDefiningOp();
  OpBuilder nested(last);
  S term(nested, op.getLoc(), map.lookupOrDefault(combiner.term));
  S factor =
      nn::select(isEqual(term, term.constant(0)), term.constant(1), term);
  last->replaceUsesOfWith(term, factor);
  return clone.getResult(k);
}

//===----------------------------------------------------------------------===//
// All reductions
//===----------------------------------------------------------------------===//

/// The values that terms share, as tensors of the result's shape:
///   sum       the adjoint of the result
///   extremum  the share of one hit, and the result; or the adjoint, and the
///             number of the first hit
///   product   the adjoint times the product of the nonzero factors, in two
///             tensors: if no factor is zero, and if one is; else zero
FailureOr<SmallVector<Value, 2>>
ReductionAdjoint::share(OpBuilder &b, ArrayRef<Combiner> combiners, unsigned k,
                        S dr) {
  S init = dr.with(op.getDpsInitOperand(k)->get());
  std::optional<APFloat> number = numberOf(init);
  if (combiner.reduction == Combiner::Extremum) {
    S result = dr.with(op.getResult(k));
    if (first) {
      FailureOr<Value> hit = findFirst(b, op, combiners, k, result);
      if (failed(hit))
        return failure();
      return SmallVector<Value, 2>{dr, *hit};
    }
    // An initial value that is infinite takes no share.
    FailureOr<Value> hits =
        countTerms(b, op, combiners, k, result,
                   number && number->isInfinity() ? Value() : init.v);
    if (failed(hits))
      return failure();
    return SmallVector<Value, 2>{dr / dr.with(*hits), result};
  }
  if (combiner.reduction == Combiner::Product) {
    S zero = dr.constant(0), one = dr.constant(1);
    bool mayBeZero = !number || number->isZero();
    FailureOr<Value> zeros =
        countTerms(b, op, combiners, k, zero, mayBeZero ? init.v : Value());
    if (failed(zeros))
      return failure();
    S start = mayBeZero ? nn::select(isEqual(init, zero), one, init) : init;
    S rest = dr.with(productOfNonzeros(b, op, combiner, k, start));
    S scaled = unlessZero(dr, dr * rest), count = dr.with(*zeros);
    return SmallVector<Value, 2>{nn::select(isEqual(count, zero), scaled, zero),
                                 nn::select(isEqual(count, one), scaled, zero)};
  }
  return SmallVector<Value, 2>{dr};
}

FailureOr<ReductionAdjoint> ReductionAdjoint::of(OpBuilder &b, GenericOp op,
                                                 ArrayRef<Combiner> combiners,
                                                 unsigned k, Value adjoint) {
  ReductionAdjoint received(op, combiners[k]);
  if (!adjoint)
    return received;
  received.first = combiners[k].reduction == Combiner::Extremum &&
                   readsWindows(op) && countReduced(op) < kNone;
  FailureOr<SmallVector<Value, 2>> given =
      received.share(b, combiners, k, S(b, op.getLoc(), adjoint));
  if (failed(given))
    return failure();
  received.given = *given;
  return received;
}

S ReductionAdjoint::adjointOfTerm(S term, ValueRange elements,
                                  const Iteration &at) const {
  S dr = term.with(elements[0]);
  switch (combiner.reduction) {
  case Combiner::Elementwise:
  case Combiner::Sum:
    return dr;
  case Combiner::Extremum: {
    Value hit =
        first
            ? arith::CmpIOp::create(*term.b, term.loc, arith::CmpIPredicate::eq,
                                    elements[1], numberOfTerm(*term.b, op, at))
                  .getResult()
            : isEqual(term, term.with(elements[1])).v;
    return nn::select(hit, dr, dr.constant(0));
  }
  case Combiner::Product:
    return nn::select(isEqual(term, term.constant(0)), term.with(elements[1]),
                      unlessZero(dr, dr / term));
  }
  llvm_unreachable("all reductions are known");
}

S ReductionAdjoint::adjointOfInit(S init) const {
  S dr = init.with(given[0]);
  switch (combiner.reduction) {
  case Combiner::Elementwise:
  case Combiner::Sum:
    return dr;
  case Combiner::Extremum: {
    if (!first)
      return nn::select(isEqual(init, init.with(given[1])), dr, dr.constant(0));
    // The initial value gets the adjoint where no term is the result.
    auto type = cast<RankedTensorType>(given[1].getType());
    Value none = arith::ConstantOp::create(
        *init.b, init.loc,
        DenseElementsAttr::get(type, init.b->getI32IntegerAttr(kNone)));
    Value kept = arith::CmpIOp::create(
        *init.b, init.loc, arith::CmpIPredicate::eq, given[1], none);
    return nn::select(kept, dr, dr.constant(0));
  }
  case Combiner::Product:
    return nn::select(isEqual(init, init.constant(0)), init.with(given[1]),
                      unlessZero(dr, dr / init));
  }
  llvm_unreachable("all reductions are known");
}
