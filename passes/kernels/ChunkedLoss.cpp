//===- ChunkedLoss.cpp - Matches a loss that can be chunked ---------------===//
#include "passes/kernels/ChunkedLoss.h"

#include "dialect/nn/Scalar.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/kernels/Clusters.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Whether `value` is a splat, which a chunk can make in its own shape.
bool isSplat(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Collects the uses of `value` that are no reshapes or casts, through these.
void collectUses(Value value, SmallVector<OpOperand *> &uses) {
  for (OpOperand &use : value.getUses())
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, arith::ExtFOp,
            arith::TruncFOp>(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else
      uses.push_back(&use);
}

/// Whether `op` sums all rows, in any number of dimensions, starting from zero.
bool isRowSum(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !nn::isZeros(op.getDpsInits()[0]))
    return false;
  const unsigned last = op.getNumLoops() - 1;
  AffineMap columns =
      AffineMap::get(last + 1, 0, getAffineDimExpr(last, op.getContext()));
  Block *body = op.getBody();
  auto sum = dyn_cast<arith::AddFOp>(body->front());
  return last > 0 && op.getNumReductionLoops() == last &&
         op.getIndexingMapsArray()[0].isIdentity() &&
         op.getIndexingMapsArray()[1] == columns && llvm::hasNItems(*body, 2) &&
         sum && body->getTerminator()->getOperand(0) == sum &&
         llvm::all_of(body->getArguments(), [&](BlockArgument argument) {
           return llvm::is_contained(sum->getOperands(), argument);
         });
}

std::optional<GradientReader> matchReader(OpOperand &use) {
  if (auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
      generic && isRowSum(generic))
    return GradientReader{generic, /*sums=*/true, Value()};
  auto product = dyn_cast<nn::MatmulOp>(use.getOwner());
  if (!product || product.getBias() || product.getInit() ||
      product.getResult().getType().getRank() != 2)
    return std::nullopt;
  bool isA = use.getOperandNumber() == 0;
  Value other = isA ? product.getB() : product.getA();
  // Rows are the gradient's first dimension.  If they are summed, they must
  // also be the other operand's first dimension, and else the result's.
  bool sums = isA ? product.getTransposeA() : !product.getTransposeB();
  bool fits =
      sums ? (isA ? !product.getTransposeB() : product.getTransposeA()) : isA;
  if (!fits)
    return std::nullopt;
  return GradientReader{product, sums, other};
}

bool isViewOrCast(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, arith::ExtFOp,
             arith::TruncFOp>(op);
}

/// The product whose elements, through elementwise operations, are the logits.
nn::MatmulOp findMatmul(Value logits) {
  while (Operation *op = logits.getDefiningOp()) {
    if (auto product = dyn_cast<nn::MatmulOp>(op))
      return product;
    if (!isViewOrCast(op) && !OpTrait::hasElementwiseMappableTraits(op))
      return nullptr;
    Value next;
    for (Value operand : op->getOperands())
      if (!isSplat(operand) && !next)
        next = operand;
    if (!next)
      return nullptr;
    logits = next;
  }
  return nullptr;
}

/// Collects the operations on each element between the product and the loss,
/// and between the gradient and its readers.  Fails if one of them reads
/// anything else.
LogicalResult collectCap(ChunkedLoss &loss) {
  nn::MatmulOp product = loss.logits;
  llvm::SmallPtrSet<Operation *, 16> ofLogits, ofGradient;
  DenseSet<Value> known = {product.getResult()}, late;
  if (loss.backward) {
    known.insert(loss.backward.getDlogits());
    late.insert(loss.backward.getDlogits());
  }
  Block *block = loss.entropy->getBlock();
  for (Operation &op : *block) {
    bool reads = llvm::any_of(
        op.getOperands(), [&](Value value) { return known.contains(value); });
    if (!reads || &op == loss.entropy || &op == loss.backward)
      continue;
    bool isLate = llvm::any_of(
        op.getOperands(), [&](Value value) { return late.contains(value); });
    if (op.getNumResults() == 1 &&
        (isViewOrCast(&op) || OpTrait::hasElementwiseMappableTraits(&op)) &&
        llvm::all_of(op.getOperands(), [&](Value value) {
          return known.contains(value) || isSplat(value);
        })) {
      known.insert(op.getResult(0));
      if (isLate)
        late.insert(op.getResult(0));
      (isLate ? loss.after : loss.before).push_back(&op);
      continue;
    }
    if (!isLate)
      return failure();
  }
  if (!known.contains(loss.entropy.getLogits()))
    return failure();
  if (!loss.backward)
    return success();
  // The gradient ends at the last operation on it that computes.
  bool sawSlice = false;
  loss.gradient = loss.backward.getDlogits();
  for (Operation *op : loss.after)
    if (!isViewOrCast(op))
      loss.gradient = op->getResult(0);
  loss.gradient = skipViews(loss.gradient, sawSlice);
  return success();
}

/// The adjoint of the logits, if nothing else reads statistics; null if there
/// is none.
FailureOr<nn::CrossEntropyBackwardOp> findBackward(nn::CrossEntropyOp entropy) {
  if (!entropy.isOfRows()) {
    if (nn::CrossEntropyBackwardOp backward = entropy.getBackward())
      return backward;
    return failure();
  }
  if (!entropy.getLse() || entropy.getLse().use_empty())
    return nn::CrossEntropyBackwardOp();
  if (!entropy.getLse().hasOneUse())
    return failure();
  auto op =
      dyn_cast<nn::CrossEntropyBackwardOp>(*entropy.getLse().user_begin());
  if (!op || op.getLogits() != entropy.getLogits() ||
      op.getTargets() != entropy.getTargets())
    return failure();
  return op;
}

} // namespace

bool zero::hasCap(const ChunkedLoss &loss) {
  auto computes = [](Operation *op) { return !isViewOrCast(op); };
  return llvm::any_of(loss.before, computes) ||
         llvm::any_of(loss.after, computes);
}

std::optional<ChunkedLoss> zero::matchLoss(nn::CrossEntropyOp entropy) {
  bool sawSlice = false;
  nn::MatmulOp logits = findMatmul(entropy.getLogits());
  FailureOr<nn::CrossEntropyBackwardOp> backward = findBackward(entropy);
  if (!logits || sawSlice || logits.getTransposeA() || logits.getInit() ||
      failed(backward))
    return std::nullopt;
  RankedTensorType type = logits.getResult().getType();
  if (type.getRank() != 2 ||
      type.getDimSize(1) != entropy.getLogits().getType().getShape().back())
    return std::nullopt;
  ChunkedLoss loss{logits, entropy, *backward, type.getDimSize(0),
                   {},     {},      {},        {}};
  if (failed(collectCap(loss)))
    return std::nullopt;
  if (!loss.backward)
    return loss;

  SmallVector<OpOperand *> uses;
  Value gradient = loss.gradient;
  collectUses(gradient, uses);
  for (OpOperand *use : uses) {
    std::optional<GradientReader> reader = matchReader(*use);
    if (!reader ||
        (reader->other && skipViews(reader->other, sawSlice) == gradient))
      return std::nullopt;
    loss.readers.push_back(*reader);
  }
  llvm::sort(loss.readers,
             [](const GradientReader &a, const GradientReader &b) {
               return a.op->isBeforeInBlock(b.op);
             });
  return loss;
}
