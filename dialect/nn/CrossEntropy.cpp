//===- CrossEntropy.cpp - The loss and its count of targets ---------------===//

#include "dialect/nn/CrossEntropy.h"
#include "dialect/nn/Precision.h"

#include "dialect/nn/Scalar.h"

#include <cmath>
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
  if (getWeights() &&
      getWeights().getType() !=
          getTargets().getType().clone(getResult().getType().getElementType()))
    return emitOpError("weights must have the shape of ") // (C2)
           << getTargets().getType() << " and the element type of "
           << getResult().getType() << ", got " << getWeights().getType();
  return success();
}

SmallVector<Value> CountValidOp::emitLinalgForm(OpBuilder &b) {
  std::string all = letters(getTargets().getType().getRank());
  Type type = getResult().getType().getElementType();
  SmallVector<Value> inputs = {getTargets()};
  if (getWeights())
    inputs.push_back(getWeights());
  SmallVector<StringRef> maps(inputs.size(), all);
  return {
      reduceSum(b, getLoc(), inputs, maps, "", [&](const Scalars &in) -> Value {
        Value valid = isValid(in, in[0], getIgnoreIndex());
        if (getWeights())
          return select(valid, in[1], in[1].constant(0));
        return in.emit<arith::UIToFPOp>(type, valid);
      })};
}

//===----------------------------------------------------------------------===//
// cross_entropy
//===----------------------------------------------------------------------===//

/// Checks that a loss and its backward share; `lse` and `weights` may be null.
static LogicalResult verifyRows(Operation *op, RankedTensorType logits,
                                RankedTensorType targets, Value lse,
                                Value weights) {
  if (logits.getRank() < 1 ||
      logits.getShape().drop_back() != targets.getShape()) // (C1)
    return op->emitOpError("targets must have the shape of logits without its "
                           "last dimension, got ")
           << logits << " and " << targets;
  auto rows =
      RankedTensorType::get(targets.getShape(), logits.getElementType());
  for (auto [name, value] : {std::pair{"lse", lse}, {"weights", weights}})
    if (value && value.getType() != rows) // (C3)
      return op->emitOpError()
             << name << " must be " << rows << ", got " << value.getType();
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
  const double smoothing = getLabelSmoothing().convertToDouble(),
               z = getZLoss().convertToDouble();
  if (!(smoothing >= 0 && smoothing <= 1)) // (C4)
    return emitOpError("label_smoothing must be from 0 to 1, got ")
           << smoothing;
  if (!(z >= 0 && std::isfinite(z))) // (C4)
    return emitOpError("z_loss must be finite and not negative, got ") << z;
  if (isOfRows()) {
    if (getCount()) // (C2)
      return emitOpError("has a count, and the loss of each row has no mean");
    if (getLoss().getType() != logits.clone(logits.getShape().drop_back()))
      return emitOpError("loss must be a number, or ") // (C2)
             << logits.clone(logits.getShape().drop_back()) << ", got "
             << getLoss().getType();
  }
  return failure(
      failed(verifyRows(*this, logits, getTargets().getType(), getLse(),
                        getWeights())) ||
      (!isOfRows() && failed(verifyNumber(*this, "loss", getLoss(), logits))) ||
      failed(verifyNumber(*this, "count", getCount(), logits)));
}

LogicalResult CrossEntropyBackwardOp::verify() {
  RankedTensorType logits = getLogits().getType();
  return failure(
      failed(verifyRows(*this, logits, getTargets().getType(), getLse(),
                        getWeights())) ||
      failed(verifyNumber(*this, "grad and count", getGrad(), logits)));
}

static Value countOf(CrossEntropyOp op, OpBuilder &b) {
  if (op.getCount())
    return op.getCount();
  return CountValidOp::create(b, op.getLoc(), op.getLoss().getType(),
                              op.getTargets(), op.getWeights(),
                              op.getIgnoreIndex());
}

static bool smooths(CrossEntropyOp op) {
  return !op.getLabelSmoothing().isZero();
}
static bool hasZ(CrossEntropyOp op) { return !op.getZLoss().isZero(); }

/// The mean of each row's logits minus their maximum; null without smoothing.
static Value meanBelowMax(OpBuilder &b, CrossEntropyOp op, Value max) {
  if (!smooths(op))
    return {};
  RankedTensorType type = op.getLogits().getType();
  const auto &[all, rows, last] = RowLetters(type);
  const auto classes = static_cast<double>(type.getShape().back());
  return reduceSum(
      b, op.getLoc(), {op.getLogits(), max}, {all, rows}, rows,
      [&](const Scalars &in) { return (in[0] - in[1]) * (1 / classes); });
}

/// The terms that label smoothing and z-loss add to each row's loss; null if
/// neither is used.  `target` and `mean` are the target's logit and the mean
/// logit, both minus the row's maximum; `lse` is the row's logsumexp.
static Value addedLoss(OpBuilder &b, CrossEntropyOp op, Value target,
                       Value mean, Value lse) {
  if (!mean && !hasZ(op))
    return {};
  SmallVector<Value> inputs;
  if (mean)
    inputs = {target, mean};
  if (hasZ(op))
    inputs.push_back(lse);
  const double smoothing = op.getLabelSmoothing().convertToDouble(),
               z = op.getZLoss().convertToDouble();
  return elementwise(b, op.getLoc(), inputs, [&](const Scalars &in) {
    S lse = in[inputs.size() - 1];
    if (!mean)
      return z * (lse * lse);
    S smoothed = smoothing * (in[0] - in[1]);
    return hasZ(op) ? smoothed + z * (lse * lse) : smoothed;
  });
}

/// The weighted mean over the rows with a valid target of the negative
/// log-likelihood, which `nll` computes from a row's values in `x` and `y`, and
/// of what `added`, if not null, has for the row; without a `count`, that of
/// each row.
static Value lossOfValid(OpBuilder &b, CrossEntropyOp op, Value x, Value y,
                         Value added, Value count,
                         llvm::function_ref<S(S, S)> nll) {
  Location loc = op.getLoc();
  std::string rows = letters(op.getTargets().getType().getRank());
  SmallVector<Value> inputs = {x, y, op.getTargets()};
  for (Value more : {added, Value(op.getWeights())})
    if (more)
      inputs.push_back(more);
  auto lossOf = [&](const Scalars &in) -> Value {
    S row = nll(in[0], in[1]);
    if (added)
      row = row + in[3];
    if (op.getWeights())
      row = row * in[inputs.size() - 1];
    Value valid = isValid(in, in[2], op.getIgnoreIndex());
    return select(valid, row, row.constant(0));
  };
  if (!count)
    return elementwise(b, loc, inputs, lossOf);
  SmallVector<StringRef> maps(inputs.size(), rows);
  Value total = reduceSum(b, loc, inputs, maps, "", lossOf);
  return elementwise(b, loc, {total, count},
                     [](const Scalars &in) { return in[0] / divisor(in[1]); });
}

/// Appends what the adjoint of a logit reads beside its probability; `lse` is
/// the row's.
static void appendOperands(CrossEntropyBackwardOp op, Value lse, StringRef rows,
                           SmallVectorImpl<Value> &inputs,
                           SmallVectorImpl<StringRef> &maps) {
  inputs.append({op.getTargets(), op.getGrad(), op.getCount()});
  maps.append({rows, "", ""});
  for (Value more :
       {Value(op.getWeights()), op.getZLoss().isZero() ? Value() : lse})
    if (more) {
      inputs.push_back(more);
      maps.push_back(rows);
    }
}

/// The adjoint of a logit, of probability `p` among the classes of its row:
/// valid (p - onehot) dloss / count, for a loss without options.  `in` has the
/// appended operands from `first` on.
static S logitAdjoint(const Scalars &in, unsigned first,
                      CrossEntropyBackwardOp op, S p) {
  RankedTensorType type = op.getLogits().getType();
  const double smoothing = op.getLabelSmoothing().convertToDouble();
  S target = in[first];
  Value hit = isTarget(in, target, type.getRank() - 1);
  if (!op.getZLoss().isZero())
    p = p * (op.getZLoss().convertToDouble() * 2 *
                 in[first + (op.getWeights() ? 4 : 3)] +
             1);
  if (smoothing != 0)
    p = p + -smoothing / static_cast<double>(type.getShape().back());
  S oneHot = select(hit, p.constant(1 - smoothing), p.constant(0));
  S factor = in[first + 1] / divisor(in[first + 2]);
  if (op.getWeights())
    factor = factor * in[first + 3];
  S grad = (p - oneHot) * factor;
  Value valid = isValid(in, target, op.getIgnoreIndex());
  return select(valid, grad, grad.constant(0));
}

SmallVector<Value> CrossEntropyOp::emitLinalgForm(OpBuilder &b) {
  Location loc = getLoc();
  const auto &[all, rows, last] = RowLetters(getLogits().getType());
  Value logits = getLogits(), targets = getTargets(), count = getCount();
  if (!count && !isOfRows())
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
  Value added;
  if (smooths(*this) || hasZ(*this))
    added =
        addedLoss(b, *this,
                  elementwise(b, loc, {picked, max},
                              [](const Scalars &in) { return in[0] - in[1]; }),
                  meanBelowMax(b, *this, max), lse);
  Value loss = lossOfValid(b, *this, lse, picked, added, count,
                           [](S lse, S logit) { return lse - logit; });
  if (!getLse())
    return {loss};
  return {loss, lse};
}

void CrossEntropyOp::saveForBackward(RewriterBase &rewriter) {
  if ((getCount() || isOfRows()) && getLse())
    return;
  rewriter.setInsertionPoint(*this);
  auto rows = RankedTensorType::get(getTargets().getType().getShape(),
                                    getLogits().getType().getElementType());
  auto op = CrossEntropyOp::create(
      rewriter, getLoc(), getLoss().getType(), rows, getLogits(), getTargets(),
      getWeights(), isOfRows() ? Value() : countOf(*this, rewriter),
      getIgnoreIndexAttr(), getLabelSmoothingAttr(), getZLossAttr());
  SmallVector<Value> results = {op.getLoss()};
  if (getLse())
    results.push_back(op.getLse());
  rewriter.replaceOp(*this, results);
}

LogicalResult CrossEntropyOp::differentiate(OpBuilder &b, ValueRange adjoints,
                                            ArrayRef<bool> needed,
                                            SmallVectorImpl<Value> &out) {
  for (auto [name, operand] :
       {std::pair{"count", getCount()}, {"weights", getWeights()}})
    if (operand && needed[llvm::find(getOperands(), operand).getIndex()])
      return emitOpError("has no derivative with respect to its ") << name;
  Value grad = adjoints[0], weights = getWeights(), count = getCount();
  if (isOfRows()) {
    // The sum of rows, each times its adjoint.
    weights =
        weights ? arith::MulFOp::create(b, getLoc(), grad, weights).getResult()
                : grad;
    auto one = RankedTensorType::get({}, getLoss().getType().getElementType());
    grad = count = constant(b, getLoc(), one, 1);
  }
  auto op = CrossEntropyBackwardOp::create(
      b, getLoc(), grad, getLogits(), getTargets(), getLse(), weights, count,
      getIgnoreIndexAttr(), getLabelSmoothingAttr(), getZLossAttr());
  out.resize(getNumOperands());
  out.front() = op.getDlogits();
  return success();
}

CrossEntropyBackwardOp CrossEntropyOp::getBackward() {
  if (isOfRows() || !getLse() || !getLse().hasOneUse())
    return {};
  auto op = dyn_cast<CrossEntropyBackwardOp>(*getLse().user_begin());
  bool isOfThis =
      op && op.getLogits() == getLogits() && op.getTargets() == getTargets() &&
      op.getLse() == getLse() && op.getWeights() == getWeights() &&
      op.getCount() == getCount() && op.getIgnoreIndex() == getIgnoreIndex() &&
      op.getLabelSmoothingAttr() == getLabelSmoothingAttr() &&
      op.getZLossAttr() == getZLossAttr();
  return isOfThis ? op : CrossEntropyBackwardOp();
}

//===----------------------------------------------------------------------===//
// cross_entropy_backward
//===----------------------------------------------------------------------===//

SmallVector<Value> CrossEntropyBackwardOp::emitLinalgForm(OpBuilder &b) {
  const auto &[all, rows, last] = RowLetters(getLogits().getType());
  SmallVector<Value> inputs = {getLogits(), getLse()};
  SmallVector<StringRef> maps = {all, rows};
  appendOperands(*this, getLse(), rows, inputs, maps);
  return {elementwise(b, getLoc(), inputs, maps, all, [&](const Scalars &in) {
    return logitAdjoint(in, 2, *this, expOfDifference(in));
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
  Value logits = op.getLogits();

  // Reads the target's logit before exponentials overwrite it.
  Value max = reduceMax(b, loc, {logits}, {all}, rows, identity);
  Value target = targetBelowMax(b, loc, logits, op.getTargets(), max);
  Value mean = meanBelowMax(b, op, max);
  // exp as a power of 2, which is as exact for results up to 1.
  auto exponential = [](const Scalars &in) {
    return exp2(std::numbers::log2e * (in[0] - in[1]));
  };
  auto lseOf = [&](Value sum) {
    return hasZ(op) ? elementwise(b, loc, {max, sum}, addLog) : Value();
  };
  auto loss = [&](Value sum, Value lse) {
    return lossOfValid(b, op, sum, target, addedLoss(b, op, target, mean, lse),
                       op.getCount(),
                       [](S sum, S target) { return log(sum) - target; });
  };
  // Recomputes exponentials if logits have 16 bits: rows of exponentials in f32
  // would take more memory than the logits.
  if (getWidened(logits)) {
    Value sum =
        reduceSum(b, loc, {logits, max}, {all, rows}, rows, exponential);
    Value lse = lseOf(sum);
    SmallVector<Value> inputs = {logits, max, sum};
    SmallVector<StringRef> maps = {all, rows, rows};
    appendOperands(backward, lse, rows, inputs, maps);
    Value gradient =
        elementwise(b, loc, inputs, maps, all, [&](const Scalars &in) {
          S p = exponential(in) * (1.0 / in[2]);
          return logitAdjoint(in, 3, backward, p);
        });
    return {loss(sum, lse), gradient};
  }
  Value e = elementwise(b, loc, {logits, max}, {all, rows}, all, exponential);
  Value sum = reduceSum(b, loc, {e}, {all}, rows, identity);
  Value lse = lseOf(sum);

  // Overwrites e with the gradient, where p = e / sum.
  SmallVector<Value> inputs = {sum};
  SmallVector<StringRef> maps = {rows};
  appendOperands(backward, lse, rows, inputs, maps);
  Value gradient =
      emitGeneric(b, loc, all, inputs, maps, e, all, [&](const Scalars &in) {
        S p = in[inputs.size()] * (1.0 / in[0]);
        return logitAdjoint(in, 1, backward, p);
      });
  return {loss(sum, lse), gradient};
}
