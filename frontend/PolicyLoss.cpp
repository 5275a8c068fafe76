//===- PolicyLoss.cpp - A clipped loss of each token of a policy ----------===//
//
// Of a token with log probability lp, which was sampled with `old`:
//
//   r = exp(lp - old), or of a sequence the exponential of the mean of it
//   l = -min(r A, clip(r, 1 - epsilon, 1 + epsilonHigh) A)
//       + beta r (exp(reference - lp) - (reference - lp) - 1)
//
// The minimum is r A with r held at the bound that it may pass to lower the
// loss: the upper one if A is above 0, else the lower one.  At the bound itself
// the derivative is that of r, as PyTorch's clamp has it.
//
// Schulman et al., "Proximal Policy Optimization Algorithms" (2017); Shao et
// al., "DeepSeekMath" (2024) for the third term; Zheng et al., "Group Sequence
// Policy Optimization" (2025) for r of a sequence.
//
//===----------------------------------------------------------------------===//
#include "frontend/Functions.h"

#include "dialect/nn/Scalar.h"
#include "frontend/Emit.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {

/// Where positions have a target, and a weight that is not 0.
struct Trained {
  Tensor targets, weights;

  /// x there, and elsewhere 0, whatever x is.
  Tensor only(Tensor x) const {
    if (!allValid({targets, weights, x}))
      return {};
    ModelBuilder &m = x.getBuilder();
    return {m, nn::elementwise(
                   m.getOpBuilder(), m.getLoc(),
                   {targets.getValue(), weights.getValue(), x.getValue()},
                   [](const nn::Scalars &in) -> Value {
                     Value none = in.emit<arith::ConstantIntOp>(
                         in[0].v.getType(), /*value=*/-100);
                     Value isTarget =
                         in.compare(arith::CmpIPredicate::ne, in[0], none);
                     Value hasWeight = in.emit<arith::CmpFOp>(
                         arith::CmpFPredicate::UNE, in[1], in[1].constant(0));
                     Value both = in.emit<arith::AndIOp>(isTarget, hasWeight);
                     return nn::select(both, in[2], in[2].constant(0));
                   })};
  }

  /// The mean over them of each sequence.
  Tensor mean(Tensor x) const {
    if (!x)
      return {};
    Tensor count = sum(only(x.getBuilder().constant(x.shape(), 1)), 1);
    return sum(only(x), 1) / (relu(count - 1.0) + 1.0);
  }
};

} // namespace

/// min(r A, clip(r) A), of ratios [B, T] or [B] and advantages [B, T].
static Tensor clipped(Tensor ratios, Tensor advantages, const TextLoss &loss) {
  if (!allValid({ratios, advantages}))
    return {};
  ModelBuilder &m = ratios.getBuilder();
  const StringRef loops = "bt";
  return {m, nn::elementwise(
                 m.getOpBuilder(), m.getLoc(),
                 {ratios.getValue(), advantages.getValue()},
                 {loops.take_front(ratios.shape().size()), loops}, loops,
                 [&](const nn::Scalars &in) -> Value {
                   nn::S r = in[0], a = in[1];
                   nn::S low = r.constant(1 - loss.epsilon),
                         high = r.constant(1 + loss.epsilonHigh);
                   auto above = [&](nn::S x, nn::S y) {
                     return in.emit<arith::CmpFOp>(arith::CmpFPredicate::OGT, x,
                                                   y);
                   };
                   Value isGood = above(a, a.constant(0));
                   return a * nn::select(isGood,
                                         nn::select(above(r, high), high, r),
                                         nn::select(above(low, r), low, r));
                 })};
}

Tensor frontend::policyLoss(Tensor logProbs, Tensor targets,
                            const TextLoss &loss) {
  if (!allValid({logProbs, targets}))
    return {};
  ModelBuilder &m = logProbs.getBuilder();
  auto read = [&](StringRef name) {
    return m.input(name, targets.shape(), Element::Float);
  };
  Tensor old = read("old"), advantages = read("advantages");
  const Trained trained = {targets, read("token_weights")};
  Tensor change = logProbs - old;
  Tensor ratios = exp(loss.bySequence ? trained.mean(change) : change);
  Tensor losses = -clipped(ratios, advantages, loss);
  if (loss.beta > 0) {
    Tensor gain = read("reference") - logProbs;
    // Samples are of the model that `old` is of.
    Tensor weight =
        loss.bySequence ? ratios.reshape({targets.size(0), 1}) : ratios;
    losses = losses + (exp(gain) - gain - 1.0) * weight * loss.beta;
  }
  return sum(trained.only(trained.weights * losses));
}
