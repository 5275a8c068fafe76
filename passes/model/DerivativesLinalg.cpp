//===- DerivativesLinalg.cpp - Derivative of linalg.generic ---------------===//
//
// A generic whose result r combines terms t(x_0, x_1, ...) over its loops gives
// the adjoint of input x_i by another generic over the same loops: the map of
// x_i becomes the output map, and loops that x_i lacks become reductions.
//
//   C(m, n) = sum_k A(m, k) B(k, n)   =>   dA(m, k) = sum_n dC(m, n) B(k, n)
//
// 1. Classify each result by how it uses its accumulator (Combiners.h):
//      elementwise  no loop is reduced; the accumulator, if read at all, is one
//                   more input
//      sum          acc + t, acc - t or fma(a, b, acc): dt = dr, dinit = dr
//      extremum     max or min of acc and t: dt = dr / hits where t = r.  Ties
//                   share evenly, so hits are counted first.
//      product      acc t: dt = dr times the other factors.  They are r / t
//                   where no factor is zero; where one is, its own are the
//                   product without it, and those of all others are zero.
// 2. For each needed operand clone the body, walk it backwards with the scalar
//    rules of ElementwiseRules.h, and yield the operand's adjoint.
// 3. Drop what the new body does not read, so that contractions stay
//    contractions (LoopsOfGeneric.h).
//
// Rejected: any other reductions, operands that are not read through a
// projected permutation, body operations without a rule.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "passes/model/Derivatives.h"
#include "passes/model/ElementwiseRules.h"
#include "passes/model/LoopsOfGeneric.h"

using namespace mlir;
using linalg::GenericOp;
using nn::S;
using zero::Combiner;
using zero::ExtraInput;
using zero::isEqual;

namespace {

/// Walks cloned body operations backwards from `adjoints` and returns that of
/// `target`, null if nothing depends on it.
FailureOr<Value> walkBody(OpBuilder &b, ArrayRef<Operation *> body,
                          Value target, DenseMap<Value, Value> &adjoints) {
  DenseSet<Value> varied = {target};
  for (Operation *op : body) {
    bool reads = false;
    op->walk([&](Operation *inner) {
      reads |= llvm::any_of(inner->getOperands(),
                            [&](Value v) { return varied.contains(v); });
    });
    if (reads && zero::hidesDerivative(op))
      return op->emitError() << "'" << op->getName()
                             << "' has no derivative: it reads a float as an "
                                "integer";
    for (Value result : op->getResults())
      if (reads && zero::carriesDerivative(result.getType()))
        varied.insert(result);
  }
  for (Operation *op : llvm::reverse(body)) {
    SmallVector<Value> given, found;
    for (Value result : op->getResults())
      given.push_back(varied.contains(result) ? adjoints.lookup(result)
                                              : Value());
    if (llvm::none_of(given, [](Value v) { return bool(v); }))
      continue;
    auto differentiable = dyn_cast<nn::DifferentiableOpInterface>(op);
    if (!differentiable)
      return op->emitError() << "'" << op->getName() << "' has no derivative";
    auto needed = llvm::map_to_vector(
        op->getOperands(), [&](Value v) { return varied.contains(v); });
    if (failed(differentiable.differentiate(b, given, needed, found)))
      return failure();
    for (auto [operand, adjoint, wanted] :
         llvm::zip_equal(op->getOperands(), found, needed))
      if (wanted && adjoint) {
        Value &sum = adjoints[operand];
        sum = sum ? Value(arith::AddFOp::create(b, op->getLoc(), sum, adjoint))
                  : adjoint;
      }
  }
  return adjoints.lookup(target);
}

/// The number that all elements of `init` are, if it is one.
std::optional<APFloat> numberOf(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getInputs()[0];
  APFloat value(0.0);
  return matchPattern(init, m_ConstantFloat(&value)) ? std::optional(value)
                                                     : std::nullopt;
}

/// A result of the original, on the way back: how it combines terms, and what
/// one iteration receives, as tensors of the result's shape.
struct Received {
  Combiner combiner;
  SmallVector<Value, 2> given; // none: the result has no adjoint

  /// The adjoint of `term`, or of the init, from elements of `given`.
  S adjointOf(S term, ValueRange elements) const {
    S first = term.with(elements[0]);
    switch (combiner.reduction) {
    case Combiner::Elementwise:
    case Combiner::Sum:
      return first;
    case Combiner::Extremum:
      return nn::select(isEqual(term, term.with(elements[1])), first,
                        first.constant(0));
    case Combiner::Product:
      return nn::select(isEqual(term, term.constant(0)), term.with(elements[1]),
                        zero::unlessZero(first, first / term));
    }
    llvm_unreachable("all reductions are known");
  }
};

struct GenericModel
    : nn::DifferentiableOpInterface::ExternalModel<GenericModel, GenericOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &out) const {
    auto generic = cast<GenericOp>(op);
    if (failed(check(generic)))
      return failure();
    SmallVector<Combiner> combiners;
    for (unsigned k = 0; k < op->getNumResults(); ++k) {
      if (!adjoints[k]) {
        combiners.push_back({zero::keepsLoops(generic, k)
                                 ? Combiner::Elementwise
                                 : Combiner::Sum,
                             Value()});
        continue;
      }
      FailureOr<Combiner> combiner = zero::classifyResult(generic, k);
      if (failed(combiner))
        return failure();
      combiners.push_back(*combiner);
    }

    SmallVector<Received> received;
    for (auto [k, combiner] : llvm::enumerate(combiners)) {
      received.push_back({combiner, {}});
      if (adjoints[k] && failed(receive(b, generic, combiners, k, adjoints[k],
                                        received.back().given)))
        return failure();
    }

    for (OpOperand &operand : op->getOpOperands()) {
      if (!needed[operand.getOperandNumber()]) {
        out.push_back(Value());
        continue;
      }
      FailureOr<Value> adjoint =
          operandAdjoint(b, generic, combiners, received, operand);
      if (failed(adjoint))
        return failure();
      out.push_back(*adjoint);
    }
    return success();
  }

private:
  static LogicalResult check(GenericOp op) {
    if (!op.hasPureTensorSemantics())
      return op.emitError("'linalg.generic' has no derivative on memrefs; "
                          "write the model on tensors");
    for (Value value : op->getOperands())
      if (auto type = dyn_cast<ShapedType>(value.getType());
          type && !type.hasStaticShape())
        return op.emitError("'linalg.generic' has no derivative for the "
                            "dynamic shape ")
               << type << "; make shapes static";
    return success();
  }

  /// What one iteration receives of result k:
  ///   sum       the adjoint of the result
  ///   extremum  the share of one hit, and the result
  ///   product   the adjoint times the product of what is not zero: if nothing
  ///             is, and if one thing is; else zero
  static LogicalResult receive(OpBuilder &b, GenericOp op,
                               ArrayRef<Combiner> combiners, unsigned k,
                               Value adjoint, SmallVector<Value, 2> &given) {
    S dr(b, op.getLoc(), adjoint);
    S init = dr.with(op.getDpsInitOperand(k)->get());
    std::optional<APFloat> number = numberOf(init);
    if (combiners[k].reduction == Combiner::Extremum) {
      S result = dr.with(op.getResult(k));
      // No term shares with an infinity.
      FailureOr<Value> hits =
          countTerms(b, op, combiners, k, result,
                     number && number->isInfinity() ? Value() : init.v);
      if (failed(hits))
        return failure();
      given = {dr / dr.with(*hits), result};
    } else if (combiners[k].reduction == Combiner::Product) {
      S zero = dr.constant(0), one = dr.constant(1);
      bool mayBeZero = !number || number->isZero();
      FailureOr<Value> zeros =
          countTerms(b, op, combiners, k, zero, mayBeZero ? init.v : Value());
      if (failed(zeros))
        return failure();
      S start = mayBeZero ? nn::select(isEqual(init, zero), one, init) : init;
      S rest = dr.with(productOfNonzeros(b, op, combiners[k], k, start));
      S scaled = zero::unlessZero(dr, dr * rest), count = dr.with(*zeros);
      given = {nn::select(isEqual(count, zero), scaled, zero),
               nn::select(isEqual(count, one), scaled, zero)};
    } else {
      given = {adjoint};
    }
    return success();
  }

  /// The number of terms of result k, and of `init` unless null, that equal
  /// `wanted`, of the result's shape.
  static FailureOr<Value> countTerms(OpBuilder &b, GenericOp op,
                                     ArrayRef<Combiner> combiners, unsigned k,
                                     S wanted, Value init) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(k));
    auto type = cast<RankedTensorType>(wanted.v.getType());
    auto indicator = [](S a, S b) {
      return nn::select(isEqual(a, b), a.constant(1), a.constant(0));
    };
    Value start = init ? indicator(wanted.with(init), wanted) : Value();
    return zero::emitOverLoops(
        b, op, combiners, {{wanted, map}}, map, type, start,
        [&](OpBuilder &nested, const IRMapping &primal, ValueRange extras,
            ArrayRef<Operation *>) -> FailureOr<Value> {
          S one(nested, op.getLoc(), extras[0]);
          Value term = primal.lookupOrDefault(combiners[k].term);
          return Value(indicator(one.with(term), one));
        });
  }

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

  /// The adjoint of one operand, null if nothing depends on it.
  static FailureOr<Value> operandAdjoint(OpBuilder &b, GenericOp op,
                                         ArrayRef<Combiner> combiners,
                                         ArrayRef<Received> received,
                                         OpOperand &operand) {
    Location loc = op.getLoc();
    BlockArgument scalar = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand)) {
      unsigned k = operand.getOperandNumber() - op.getNumDpsInputs();
      if (received[k].given.empty())
        return Value();
      if (combiners[k].reduction != Combiner::Elementwise)
        return Value(
            received[k].adjointOf(S(b, loc, operand.get()), received[k].given));
    }
    if (scalar.use_empty())
      return Value();

    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      return op.emitError("'linalg.generic' has no derivative with respect to "
                          "its scalar operand ")
             << operand.getOperandNumber() << "; pass it as a tensor<"
             << operand.get().getType() << ">";
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return op.emitError("'linalg.generic' has no derivative with respect to "
                          "operand ")
             << operand.getOperandNumber() << ": its map "
             << AffineMapAttr::get(map)
             << " is not a projected permutation of the loops";
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (!isa<AffineDimExpr>(expr) && type.getDimSize(i) != 1)
        return op.emitError("'linalg.generic' has no derivative with respect "
                            "to operand ")
               << operand.getOperandNumber() << ": it reads position 0 of the "
               << type.getDimSize(i) << " in dimension " << i
               << "; slice the operand first";
    // A dimension of size one that is read at a constant 0 is left out, and put
    // back at the end.
    SmallVector<AffineExpr> dims;
    SmallVector<int64_t> shape;
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
      if (isa<AffineDimExpr>(expr)) {
        dims.push_back(expr);
        shape.push_back(size);
      }
    auto reduced = RankedTensorType::get(shape, type.getElementType());

    SmallVector<ExtraInput> extras;
    for (auto [k, result] : llvm::enumerate(received))
      for (Value tensor : result.given)
        extras.push_back(
            {tensor, op.getMatchingIndexingMap(op.getDpsInitOperand(k))});
    bool reached = true;
    FailureOr<Value> adjoint = zero::emitOverLoops(
        b, op, combiners, extras,
        AffineMap::get(op.getNumLoops(), 0, dims, b.getContext()), reduced,
        Value(),
        [&](OpBuilder &nested, const IRMapping &primal, ValueRange args,
            ArrayRef<Operation *> cloned) -> FailureOr<Value> {
          DenseMap<Value, Value> seeds;
          for (const Received &result : received) {
            if (result.given.empty())
              continue;
            S term(nested, loc, primal.lookupOrDefault(result.combiner.term));
            S seed =
                result.adjointOf(term, args.take_front(result.given.size()));
            args = args.drop_front(result.given.size());
            Value &sum = seeds[term];
            sum = sum ? Value(S(nested, loc, sum) + seed) : seed.v;
          }
          FailureOr<Value> value =
              walkBody(nested, cloned, primal.lookup(scalar), seeds);
          reached = failed(value) || *value;
          return value;
        });
    if (!reached)
      return Value();
    if (failed(adjoint) || reduced == type)
      return adjoint;
    auto reassociation = getReassociationIndicesForReshape(reduced, type);
    return Value(
        tensor::ExpandShapeOp::create(b, loc, type, *adjoint, *reassociation));
  }
};

/// A fill overwrites its tensor, and its value is a constant of the model.
struct FillModel
    : nn::DifferentiableOpInterface::ExternalModel<FillModel, linalg::FillOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &, ValueRange,
                              ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &out) const {
    if (needed[0])
      return op->emitError("'linalg.fill' has no derivative with respect to "
                           "its value; use linalg.broadcast of a tensor");
    out.assign(op->getNumOperands(), Value());
    return success();
  }
};

} // namespace

void zero::registerLinalgDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, linalg::LinalgDialect *) {
    GenericOp::attachInterface<GenericModel>(*ctx);
    linalg::FillOp::attachInterface<FillModel>(*ctx);
  });
}
