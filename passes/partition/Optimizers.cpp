//===- Optimizers.cpp - Update rules as scalar IR -------------------------===//
//
// A rule is a region of scalar arithmetic.  Values that depend only on scalars
// (the bias corrections) are computed in f64 and rounded once; code generation
// computes them once per launch.
//
// The scalar `clip` is the factor of zero.clip.  If that is always one, the
// rule does not take it: its updates need no norm.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/Optimizers.h"

#include "dialect/nn/Scalar.h"

using namespace mlir;
using namespace mlir::zero;
using nn::S;

namespace {

/// Creates the operation with its block; argument names are those of the slots.
OptimizerOp start(OpBuilder &b, Location loc, StringRef name,
                  ArrayRef<StringRef> slots, ArrayRef<StringRef> scalars) {
  OperationState state(loc, OptimizerOp::getOperationName());
  state.addAttribute("sym_name", b.getStringAttr(name));
  state.addAttribute("slots", b.getStrArrayAttr(slots));
  state.addAttribute("scalars", b.getStrArrayAttr(scalars));
  Region *region = state.addRegion();
  auto *block = new Block;
  region->push_back(block);
  for (size_t i = 0; i < 2 + slots.size() + scalars.size(); ++i)
    block->addArgument(b.getF32Type(), loc);
  return cast<OptimizerOp>(b.create(state));
}

} // namespace

OptimizerOp zero::buildAdamW(OpBuilder &b, Location loc,
                             const AdamWOptions &options, bool clips) {
  SmallVector<StringRef> scalars = {"lr", "decay", "clip", "step"};
  if (!clips)
    llvm::erase(scalars, "clip");
  OptimizerOp op = start(b, loc, "adamw", {"m", "v"}, scalars);
  Block &block = op.getBody().front();
  OpBuilder at = OpBuilder::atBlockEnd(&block);
  auto arg = [&](unsigned i) { return S(at, loc, block.getArgument(i)); };
  S p = arg(0), g = arg(1), m = arg(2), v = arg(3), lr = arg(4), decay = arg(5);

  Type f64 = at.getF64Type();
  S step(
      at, loc,
      arith::ExtFOp::create(at, loc, f64, Value(block.getArguments().back())));
  auto correction = [&](double beta) { // 1 - beta^step
    return 1.0 - step.with(math::PowFOp::create(at, loc, step.constant(beta).v,
                                                step.v));
  };
  auto rounded = [&](S value) {
    return value.with(
        arith::TruncFOp::create(at, loc, Type(at.getF32Type()), value.v));
  };
  S wideLr(at, loc, arith::ExtFOp::create(at, loc, f64, lr.v));
  S rate = rounded(wideLr / correction(options.beta1));
  S scale = rounded(1.0 / nn::sqrt(correction(options.beta2)));

  if (clips)
    g = g * arg(6);
  S m1 = options.beta1 * m + (1.0 - options.beta1) * g;
  S v1 = options.beta2 * v + (1.0 - options.beta2) * (g * g);
  S decayed = p * (1.0 - lr * decay);
  S p1 = decayed - rate * (m1 / (nn::sqrt(v1) * scale + options.eps));
  YieldOp::create(at, loc, ValueRange{p1, m1, v1});
  return op;
}

OptimizerOp zero::buildLion(OpBuilder &b, Location loc, double beta1,
                            double beta2, bool clips) {
  SmallVector<StringRef> scalars = {"lr", "decay", "clip"};
  if (!clips)
    scalars.pop_back();
  OptimizerOp op = start(b, loc, "lion", {"m"}, scalars);
  Block &block = op.getBody().front();
  OpBuilder at = OpBuilder::atBlockEnd(&block);
  auto arg = [&](unsigned i) { return S(at, loc, block.getArgument(i)); };
  S p = arg(0), g = arg(1), m = arg(2), lr = arg(3), decay = arg(4);
  if (clips)
    g = g * arg(5);
  // Compute 1 - beta in f32, as in a rule whose betas are arguments, so that
  // the two weights add up to 1.
  auto rest = [](double beta) { return double(1.0f - float(beta)); };
  S mixed = beta1 * m + rest(beta1) * g;
  S one = mixed.constant(1), zero = mixed.constant(0);
  S sign = one.with(math::CopySignOp::create(at, loc, one.v, mixed.v));
  Value isZero = arith::CmpFOp::create(at, loc, arith::CmpFPredicate::OEQ,
                                       mixed.v, zero.v);
  S update = nn::select(isZero, zero, sign);
  S m1 = beta2 * m + rest(beta2) * g;
  S p1 = p * (1.0 - lr * decay) - lr * update;
  YieldOp::create(at, loc, ValueRange{p1, m1});
  return op;
}

OptimizerOp zero::buildSgd(OpBuilder &b, Location loc, double momentum,
                           bool clips) {
  SmallVector<StringRef> scalars = {"lr", "decay", "clip"};
  if (!clips)
    scalars.pop_back();
  OptimizerOp op = start(b, loc, "sgd", {"momentum"}, scalars);
  Block &block = op.getBody().front();
  OpBuilder at = OpBuilder::atBlockEnd(&block);
  auto arg = [&](unsigned i) { return S(at, loc, block.getArgument(i)); };
  S p = arg(0), g = arg(1), buffer = arg(2), lr = arg(3), decay = arg(4);
  if (clips)
    g = g * arg(5);
  S next = momentum * buffer + (g + decay * p);
  YieldOp::create(at, loc, ValueRange{p - lr * next, next});
  return op;
}

void zero::addClip(OptimizerOp rule) {
  Block &block = rule.getBody().front();
  OpBuilder at = OpBuilder::atBlockBegin(&block);
  Location loc = rule.getLoc();
  BlockArgument gradient = block.getArgument(1),
                clip = block.addArgument(at.getF32Type(), loc);
  Value limited = arith::MulFOp::create(at, loc, gradient, clip);
  gradient.replaceAllUsesExcept(limited, limited.getDefiningOp());
  auto scalars = llvm::to_vector(rule.getScalars().getValue());
  scalars.push_back(at.getStringAttr(kClipFactor));
  rule.setScalarsAttr(at.getArrayAttr(scalars));
}
