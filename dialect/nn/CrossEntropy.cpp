//===- CrossEntropy.cpp - The loss and its count of targets ---------------===//

#include "dialect/nn/CrossEntropy.h"
#include "dialect/nn/Precision.h"

#include "dialect/nn/Scalar.h"

#include <numbers>

using namespace mlir;
using namespace mlir::nn;

namespace {

/// target != ignore_index
Value isValid(const Scalars &in, Value target, int32_t ignored) {
  Value ignore = in.emit<arith::ConstantIntOp>(target.getType(), ignored);
  return in.compare(arith::CmpIPredicate::ne, target, ignore);
}

/// The divisor of a sum over valid targets: without any the sum is zero, and
/// dividing by 1 keeps it zero.
S divisor(S count) {
  Value none =
      arith::CmpFOp::create(*count.b, count.loc, arith::CmpFPredicate::OEQ,
                            count.v, count.constant(0).v);
  return select(none, count.constant(1), count);
}

/// Whether the index of loop `dim` is the target.
Value isTarget(const Scalars &in, Value target, unsigned dim) {
  return in.isEqual(in.index(dim, target.getType()), target);
}

} // namespace

//===----------------------------------------------------------------------===//
// count_valid
//===----------------------------------------------------------------------===//

LogicalResult CountValidOp::verify() {
  if (getResult().getType().getRank() != 0) // (C1)
    return emitOpError("the count has no dimensions, got ")
           << getResult().getType();
  return success();
}

SmallVector<Value> CountValidOp::emitLinalgForm(OpBuilder &b) {
  std::string all = letters(getTargets().getType().getRank());
  Type type = getResult().getType().getElementType();
  return {
      reduceSum(b, getLoc(), {getTargets()}, {all}, "", [&](const Scalars &in) {
        Value valid = isValid(in, in[0], getIgnoreIndex());
        return in.emit<arith::UIToFPOp>(type, valid);
      })};
}

//===----------------------------------------------------------------------===//
// cross_entropy
//===----------------------------------------------------------------------===//

/// Checks that a loss and its backward share; `lse` may be null.
static LogicalResult verifyRows(Operation *op, RankedTensorType logits,
                                RankedTensorType targets, Type lse) {
  if (logits.getRank() < 1 ||
      logits.getShape().drop_back() != targets.getShape()) // (C1)
    return op->emitOpError("targets must have the shape of logits without its "
                           "last dimension, got ")
           << logits << " and " << targets;
  auto rows =
      RankedTensorType::get(targets.getShape(), logits.getElementType());
  if (lse && lse != rows) // (C3)
    return op->emitOpError("lse must be ") << rows << ", got " << lse;
  return success();
}

/// Checks the type of the loss, its adjoint, or the count, called `name`;
/// `number` may be null.
static LogicalResult verifyNumber(Operation *op, StringRef name, Value number,
                                  RankedTensorType logits) {
  auto type = RankedTensorType::get({}, logits.getElementType());
  if (number && number.getType() != type) // (C2)
    return op->emitOpError()
           << name << " must be " << type << ", got " << number.getType();
  return success();
}

LogicalResult CrossEntropyOp::verify() {
  RankedTensorType logits = getLogits().getType();
  return failure(failed(verifyRows(*this, logits, getTargets().getType(),
                                   getLse() ? getLse().getType() : Type())) ||
                 failed(verifyNumber(*this, "loss", getLoss(), logits)) ||
                 failed(verifyNumber(*this, "count", getCount(), logits)));
}

LogicalResult CrossEntropyBackwardOp::verify() {
  RankedTensorType logits = getLogits().getType();
  return failure(
      failed(verifyRows(*this, logits, getTargets().getType(),
                        getLse().getType())) ||
      failed(verifyNumber(*this, "grad and count", getGrad(), logits)));
}

static Value countOf(CrossEntropyOp op, OpBuilder &b) {
  if (op.getCount())
    return op.getCount();
  return CountValidOp::create(b, op.getLoc(), op.getLoss().getType(),
                              op.getTargets(), op.getIgnoreIndex());
}

/// The mean negative log-likelihood over the rows with a valid target; `nll`
/// computes it from a row's values in `x` and `y`.
static Value meanOfValid(OpBuilder &b, CrossEntropyOp op, Value x, Value y,
                         Value count, llvm::function_ref<S(S, S)> nll) {
  Location loc = op.getLoc();
  std::string rows = letters(op.getTargets().getType().getRank());
  Value total = reduceSum(b, loc, {x, y, op.getTargets()}, {rows, rows, rows},
                          "", [&](const Scalars &in) {
                            S row = nll(in[0], in[1]);
                            Value valid =
                                isValid(in, in[2], op.getIgnoreIndex());
                            return select(valid, row, row.constant(0));
                          });
  return elementwise(b, loc, {total, count},
                     [](const Scalars &in) { return in[0] / divisor(in[1]); });
}

/// The adjoint of a logit, of probability `p` among the classes of its row:
/// valid (p - onehot) dloss / count.
static S logitAdjoint(const Scalars &in, CrossEntropyBackwardOp op, S p,
                      Value target, S adjoint, S count) {
  int64_t classes = op.getLogits().getType().getRank() - 1;
  Value hit = isTarget(in, target, classes);
  S oneHot = select(hit, p.constant(1), p.constant(0));
  S grad = (p - oneHot) * (adjoint / divisor(count));
  Value valid = isValid(in, target, op.getIgnoreIndex());
  return select(valid, grad, grad.constant(0));
}

SmallVector<Value> CrossEntropyOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  const auto &[all, rows, last] = RowLetters(getLogits().getType());
  Value logits = getLogits(), targets = getTargets(), count = getCount();
  if (!count)
    count = cast<CountValidOp>(countOf(*this, b).getDefiningOp())
                .emitLinalgForm(b)[0];

  Value max = reduceMax(b, loc, {logits}, {all}, rows, identity);
  Value sum =
      reduceSum(b, loc, {logits, max}, {all, rows}, rows, expOfDifference);
  // The target's logit, by a sum over one-hot terms.
  Value picked = reduceSum(b, loc, {logits, targets}, {all, rows}, rows,
                           [&](const Scalars &in) {
                             Value hit = isTarget(in, in[1], rows.size());
                             return select(hit, in[0], in[0].constant(0));
                           });
  Value lse = elementwise(b, loc, {max, sum}, addLog);
  Value loss = meanOfValid(b, *this, lse, picked, count,
                           [](S lse, S logit) { return lse - logit; });
  if (!getLse())
    return {loss};
  return {loss, lse};
}

void CrossEntropyOp::saveForBackward(RewriterBase &rewriter) {
  if (getCount() && getLse())
    return;
  rewriter.setInsertionPoint(*this);
  auto rows = RankedTensorType::get(getTargets().getType().getShape(),
                                    getLogits().getType().getElementType());
  auto op = CrossEntropyOp::create(
      rewriter, getLoc(), getLoss().getType(), rows, getLogits(), getTargets(),
      countOf(*this, rewriter), getIgnoreIndexAttr());
  SmallVector<Value> results = {op.getLoss()};
  if (getLse())
    results.push_back(op.getLse());
  rewriter.replaceOp(*this, results);
}

LogicalResult CrossEntropyOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                            ArrayRef<bool> needed,
                                            SmallVectorImpl<Value> &out) {
  if (getCount() && needed[2])
    return emitOpError("has no derivative with respect to its count");
  auto op = CrossEntropyBackwardOp::create(b, getLoc(), adjoints[0],
                                           getLogits(), getTargets(), getLse(),
                                           getCount(), getIgnoreIndexAttr());
  out.append({op.getDlogits(), Value(), Value()});
  return success();
}

CrossEntropyBackwardOp CrossEntropyOp::getBackward() {
  if (!getLse() || !getLse().hasOneUse())
    return {};
  auto op = dyn_cast<CrossEntropyBackwardOp>(*getLse().user_begin());
  bool isOfThis = op && op.getLogits() == getLogits() &&
                  op.getTargets() == getTargets() && op.getLse() == getLse() &&
                  op.getCount() == getCount() &&
                  op.getIgnoreIndex() == getIgnoreIndex();
  return isOfThis ? op : CrossEntropyBackwardOp();
}

//===----------------------------------------------------------------------===//
// cross_entropy_backward
//===----------------------------------------------------------------------===//

SmallVector<Value> CrossEntropyBackwardOp::emitLinalgForm(OpBuilder &b) {
  const auto &[all, rows, last] = RowLetters(getLogits().getType());
  return {elementwise(
      b, getLoc(), {getLogits(), getLse(), getTargets(), getGrad(), getCount()},
      {all, rows, rows, "", ""}, all, [&](const Scalars &in) {
        return logitAdjoint(in, *this, expOfDifference(in), in[2], in[3],
                            in[4]);
      })};
}

//===----------------------------------------------------------------------===//
// cross_entropy and its backward at once
//===----------------------------------------------------------------------===//

/// The target's logit minus the maximum.  A target that is no class has logit
/// zero, as in the sum over one-hot terms.
static Value targetBelowMax(OpBuilder &b, Location loc, Value logits,
                            Value targets, Value max) {
  RankedTensorType type = cast<RankedTensorType>(logits.getType());
  return elementwise(b, loc, {max, targets}, [&](const Scalars &in) {
    auto number = [&](int64_t value) -> Value {
      return in.emit<arith::ConstantIntOp>(in[1].v.getType(), value);
    };
    Value isClass = in.compare(arith::CmpIPredicate::ult, in[1],
                               number(type.getShape().back()));
    Value column = in.emit<arith::SelectOp>(isClass, in[1], number(0));
    SmallVector<Value> position;
    for (int64_t i = 0; i + 1 < type.getRank(); ++i)
      position.push_back(in.index(i));
    position.push_back(
        in.emit<arith::IndexCastOp>(in.b.getIndexType(), column));
    S logit = in.extract(logits, position);
    return select(isClass, logit, logit.constant(0)) - in[0];
  });
}

LossAndGradient nn::emitLossAndGradient(OpBuilder &b, CrossEntropyOp op,
                                        CrossEntropyBackwardOp backward) {
  Location loc = op.getLoc();
  const auto &[all, rows, last] = RowLetters(op.getLogits().getType());
  Value logits = op.getLogits(), targets = op.getTargets();

  // Reads the target's logit before exponentials overwrite it.
  Value max = reduceMax(b, loc, {logits}, {all}, rows, identity);
  Value target = targetBelowMax(b, loc, logits, targets, max);
  // exp as a power of 2, which is as exact for results up to 1.
  auto exponential = [](const Scalars &in) {
    return exp2(std::numbers::log2e * (in[0] - in[1]));
  };
  auto loss = [&](Value sum) {
    return meanOfValid(b, op, sum, target, op.getCount(),
                       [](S sum, S target) { return log(sum) - target; });
  };
  // Recomputes exponentials if logits have 16 bits: rows of exponentials in f32
  // would take more memory than the logits.
  if (getWidened(logits)) {
    Value sum =
        reduceSum(b, loc, {logits, max}, {all, rows}, rows, exponential);
    Value gradient = elementwise(
        b, loc, {logits, max, sum, targets, backward.getGrad(), op.getCount()},
        {all, rows, rows, rows, "", ""}, all, [&](const Scalars &in) {
          S p = exponential(in) * (1.0 / in[2]);
          return logitAdjoint(in, backward, p, in[3], in[4], in[5]);
        });
    return {loss(sum), gradient};
  }
  Value e = elementwise(b, loc, {logits, max}, {all, rows}, all, exponential);
  Value sum = reduceSum(b, loc, {e}, {all}, rows, identity);

  // Overwrites e with the gradient, where p = e / sum.
  Value gradient = emitGeneric(
      b, loc, all, {sum, targets, backward.getGrad(), op.getCount()},
      {rows, rows, "", ""}, e, all, [&](const Scalars &in) {
        S p = in[4] * (1.0 / in[0]);
        return logitAdjoint(in, backward, p, in[1], in[2], in[3]);
      });
  return {loss(sum), gradient};
}
