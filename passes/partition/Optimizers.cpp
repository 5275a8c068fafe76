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

/// A rule whose body is being built.  Its arguments are found by name: param,
/// grad, the slots and the scalars; `clip` is one of these only if `clips`.
class Rule {
public:
  Rule(OpBuilder &b, Location loc, StringRef name, ArrayRef<StringRef> slots,
       ArrayRef<StringRef> scalars, bool clips)
      : loc(loc), at(b.getContext()), arguments({"param", "grad"}) {
    auto taken = llvm::filter_to_vector(scalars, [&](StringRef scalar) {
      return clips || scalar != kClipFactor;
    });
    llvm::append_range(arguments, slots);
    llvm::append_range(arguments, taken);
    op = OptimizerOp::create(b, loc, name, b.getStrArrayAttr(slots),
                             b.getStrArrayAttr(taken));
    block = &op.getBody().emplaceBlock();
    for (size_t i = 0; i < arguments.size(); ++i)
      block->addArgument(b.getF32Type(), loc);
    at.setInsertionPointToEnd(block);
  }

  S operator[](StringRef name) {
    auto place = llvm::find(arguments, name) - arguments.begin();
    return S(at, loc, block->getArgument(place));
  }
  /// The gradient, times the factor of zero.clip if the rule takes it.
  S clippedGradient() {
    bool clips = llvm::is_contained(arguments, kClipFactor);
    return clips ? (*this)["grad"] * (*this)[kClipFactor] : (*this)["grad"];
  }
  OptimizerOp yield(ArrayRef<Value> next) {
    YieldOp::create(at, loc, next);
    return op;
  }

private:
  Location loc;
  OpBuilder at;
  SmallVector<StringRef> arguments;
  Block *block;
  OptimizerOp op;
};

} // namespace

OptimizerOp zero::buildAdamW(OpBuilder &b, Location loc,
                             const AdamWOptions &options, bool clips) {
  Rule rule(b, loc, "adamw", {"m", "v"}, {"lr", "decay", kClipFactor, "step"},
            clips);
  S p = rule["param"], m = rule["m"], v = rule["v"], lr = rule["lr"],
    decay = rule["decay"];
  auto wide = [](S value) {
    return value.with(arith::ExtFOp::create(*value.b, value.loc,
                                            value.b->getF64Type(), value.v));
  };
  auto rounded = [](S value) {
    return value.with(arith::TruncFOp::create(*value.b, value.loc,
                                              value.b->getF32Type(), value.v));
  };
  S step = wide(rule["step"]), wideLr = wide(lr);
  auto correction = [&](double beta) { // 1 - beta^step
    return 1.0 - step.constant(beta).apply<math::PowFOp>(step);
  };
  S rate = rounded(wideLr / correction(options.beta1));
  S scale = rounded(1.0 / nn::sqrt(correction(options.beta2)));

  S g = rule.clippedGradient();
  S m1 = options.beta1 * m + (1.0 - options.beta1) * g;
  S v1 = options.beta2 * v + (1.0 - options.beta2) * (g * g);
  S decayed = p * (1.0 - lr * decay);
  S p1 = decayed - rate * (m1 / (nn::sqrt(v1) * scale + options.eps));
  return rule.yield({p1, m1, v1});
}

OptimizerOp zero::buildLion(OpBuilder &b, Location loc, double beta1,
                            double beta2, bool clips) {
  Rule rule(b, loc, "lion", {"m"}, {"lr", "decay", kClipFactor}, clips);
  S p = rule["param"], g = rule.clippedGradient(), m = rule["m"],
    lr = rule["lr"], decay = rule["decay"];
  // Compute 1 - beta in f32, as in a rule whose betas are arguments, so that
  // the two weights add up to 1.
  auto rest = [](double beta) { return double(1.0f - float(beta)); };
  S mixed = beta1 * m + rest(beta1) * g;
  S one = mixed.constant(1), zero = mixed.constant(0);
  S sign = one.apply<math::CopySignOp>(mixed);
  Value isZero = arith::CmpFOp::create(*mixed.b, loc, arith::CmpFPredicate::OEQ,
                                       mixed.v, zero.v);
  S update = nn::select(isZero, zero, sign);
  S m1 = beta2 * m + rest(beta2) * g;
  S p1 = p * (1.0 - lr * decay) - lr * update;
  return rule.yield({p1, m1});
}

OptimizerOp zero::buildSgd(OpBuilder &b, Location loc, double momentum,
                           bool clips) {
  Rule rule(b, loc, "sgd", {"momentum"}, {"lr", "decay", kClipFactor}, clips);
  S p = rule["param"], g = rule.clippedGradient(), buffer = rule["momentum"],
    lr = rule["lr"], decay = rule["decay"];
  S next = momentum * buffer + (g + decay * p);
  return rule.yield({p - lr * next, next});
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
