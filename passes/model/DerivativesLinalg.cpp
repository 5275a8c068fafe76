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
//                   share evenly, so hits are counted first; in a window the
//                   first hit has it all.
//      product      acc t: dt = dr times the other factors.  That is r / t
//                   where no factor is zero; a single zero gets the product of
//                   the others, and all others get zero.
// 2. For each needed operand clone the body, walk it backwards with the scalar
//    rules of ElementwiseRules.h, and yield the operand's adjoint.
// 3. Drop what the new body does not read, so that contractions stay
//    contractions (LoopsOfGeneric.h).
// 4. For an operand that is read at sums of loops, as through windows, compute
//    the adjoint of each read first; then sum the adjoints of the reads of each
//    position (Windows.h).
// Rejected: any other reductions, operands that are read at positions that are
// no sums of loops times constants, body operations without a rule.
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "passes/model/Derivatives.h"
#include "passes/model/ReductionAdjoint.h"
#include "passes/model/Windows.h"

using namespace mlir;
using linalg::GenericOp;
using nn::S;
using zero::Combiner;
using zero::ExtraInput;
using zero::Iteration;
using zero::ReductionAdjoint;

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

/// The adjoints of the operands of one generic.
class GenericAdjoint {
public:
  GenericAdjoint(OpBuilder &b, GenericOp op) : b(b), op(op) {}

  /// Takes those of the results; an error if a result is not differentiable.
  LogicalResult receive(ValueRange adjoints) {
    for (unsigned k = 0; k < op.getNumResults(); ++k) {
      if (!adjoints[k]) {
        combiners.push_back(
            {zero::keepsLoops(op, k) ? Combiner::Elementwise : Combiner::Sum,
             Value()});
        continue;
      }
      FailureOr<Combiner> combiner = zero::classifyResult(op, k);
      if (failed(combiner))
        return failure();
      combiners.push_back(*combiner);
    }
    for (unsigned k = 0; k < op.getNumResults(); ++k) {
      FailureOr<ReductionAdjoint> result =
          ReductionAdjoint::of(b, op, combiners, k, adjoints[k]);
      if (failed(result))
        return failure();
      received.push_back(*result);
    }
    return success();
  }

  /// The adjoint of one operand, null if nothing depends on it.
  FailureOr<Value> ofOperand(OpOperand &operand) {
    BlockArgument scalar = op.getMatchingBlockArgument(&operand);
    if (op.isDpsInit(&operand)) {
      unsigned k = operand.getOperandNumber() - op.getNumDpsInputs();
      if (received[k].getGiven().empty())
        return Value();
      if (combiners[k].reduction != Combiner::Elementwise)
        return Value(
            received[k].adjointOfInit(S(b, op.getLoc(), operand.get())));
    }
    if (scalar.use_empty())
      return Value();

    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      return op.emitError("'linalg.generic' has no derivative with respect to "
                          "its scalar operand ")
             << operand.getOperandNumber() << "; pass it as a "
             << RankedTensorType::get({}, operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!zero::isPlainRead(map, type))
      return ofWindows(operand, map, type);
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
    FailureOr<Value> adjoint = ofReads(operand, dims, reduced);
    if (failed(adjoint) || !*adjoint || reduced == type)
      return adjoint;
    auto reassociation = getReassociationIndicesForReshape(reduced, type);
    return Value(tensor::ExpandShapeOp::create(b, op.getLoc(), type, *adjoint,
                                               *reassociation));
  }

private:
  OpBuilder &b;
  GenericOp op;
  SmallVector<Combiner> combiners;
  SmallVector<ReductionAdjoint> received;

  /// The adjoint of the elements of `operand` that are read, of `type` over
  /// `loops`; null if nothing depends on it.
  FailureOr<Value> ofReads(OpOperand &operand, ArrayRef<AffineExpr> loops,
                           RankedTensorType type) {
    Location loc = op.getLoc();
    BlockArgument scalar = op.getMatchingBlockArgument(&operand);
    SmallVector<ExtraInput> extras;
    for (auto [k, result] : llvm::enumerate(received))
      for (Value tensor : result.getGiven())
        extras.push_back(
            {tensor, op.getMatchingIndexingMap(op.getDpsInitOperand(k))});
    bool reached = true;
    FailureOr<Value> adjoint = zero::emitOverLoops(
        b, op, combiners, extras,
        AffineMap::get(op.getNumLoops(), 0, loops, b.getContext()), type,
        Value(),
        [&](OpBuilder &nested, const Iteration &at) -> FailureOr<Value> {
          DenseMap<Value, Value> seeds;
          ValueRange elements = at.extras;
          for (const ReductionAdjoint &result : received) {
            size_t count = result.getGiven().size();
            if (count == 0)
              continue;
            S term(nested, loc,
                   at.primal.lookupOrDefault(result.getCombiner().term));
            S seed = result.adjointOfTerm(term, elements.take_front(count), at);
            elements = elements.drop_front(count);
            Value &sum = seeds[term];
            sum = sum ? Value(S(nested, loc, sum) + seed) : seed.v;
          }
          FailureOr<Value> value =
              walkBody(nested, at.cloned, at.primal.lookup(scalar), seeds);
          reached = failed(value) || *value;
          return value;
        });
    return reached ? adjoint : Value();
  }

  /// The adjoint of an operand that is not read plainly: the adjoints of all
  /// reads, summed up by position.
  FailureOr<Value> ofWindows(OpOperand &operand, AffineMap map,
                             RankedTensorType type) {
    if (!zero::isLinear(map))
      return op.emitError("'linalg.generic' has no derivative with respect to "
                          "operand ")
             << operand.getOperandNumber() << ": its map "
             << AffineMapAttr::get(map)
             << " is not made of sums of loops times constants";
    // In a convolution, the adjoints of all reads are a matmul's
    // result: its rows stay together, and so do its columns; those along memory
    // come last.
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    auto iterators = op.getIteratorTypesArray();
    std::optional<unsigned> last =
        zero::longestLoop(map.getResults().back(), extents);
    SmallVector<unsigned> loops, alike;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (map.isFunctionOfDim(loop))
        (last && iterators[loop] == iterators[*last] ? alike : loops)
            .push_back(loop);
    llvm::append_range(loops, alike);
    SmallVector<AffineExpr> reads,
        places(op.getNumLoops(), b.getAffineConstantExpr(0));
    SmallVector<int64_t> shape;
    for (auto [i, loop] : llvm::enumerate(loops)) {
      reads.push_back(b.getAffineDimExpr(loop));
      places[loop] = b.getAffineDimExpr(i);
      shape.push_back(extents[loop]);
    }
    FailureOr<Value> read = ofReads(
        operand, reads, RankedTensorType::get(shape, type.getElementType()));
    if (failed(read) || !*read)
      return read;
    return zero::foldWindows(
        b, op.getLoc(), *read,
        map.replaceDimsAndSymbols(places, {}, loops.size(), 0), type);
  }
};

struct GenericModel
    : nn::DifferentiableOpInterface::ExternalModel<GenericModel, GenericOp> {
  LogicalResult differentiate(Operation *op, OpBuilder &b, ValueRange adjoints,
                              ArrayRef<bool> needed,
                              SmallVectorImpl<Value> &out) const {
    auto generic = cast<GenericOp>(op);
    GenericAdjoint adjoint(b, generic);
    if (failed(check(generic)) || failed(adjoint.receive(adjoints)))
      return failure();
    for (auto [operand, isNeeded] :
         llvm::zip_equal(op->getOpOperands(), needed)) {
      FailureOr<Value> found = isNeeded ? adjoint.ofOperand(operand) : Value();
      if (failed(found))
        return failure();
      out.push_back(*found);
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
