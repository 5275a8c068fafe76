//===- Objectives.cpp - Losses of text models -----------------------------===//
//
// A sequence holds several samples.  The input "samples" [B, T] numbers the
// sample of a sequence that a position counts for; S where it counts for none.
// The value of a sample is a sum over its positions:
//
//   log probability of an answer   -crossEntropy of each target
//   reward                         the score of the last position alone
//
// Rafailov et al., "Direct Preference Optimization" (2023); Ethayarajh et al.,
// "KTO: Model Alignment as Prospect Theoretic Optimization" (2024); Ouyang et
// al., "Training language models to follow instructions" (2022) for rewards.
//
//===----------------------------------------------------------------------===//
#include "frontend/Functions.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Scalar.h"
#include "frontend/Emit.h"

#include <array>

using namespace mlir;
using namespace mlir::frontend;

/// The input "samples", like `positions` [B, T, ...].
static Tensor samplesOf(Tensor positions, int64_t samples) {
  return positions.getBuilder().input("samples",
                                      {positions.size(0), positions.size(1)},
                                      Element::I32, samples + 1);
}

/// Sums [B, S] of `values` [B, T] or [B, T, 1] over the positions of each
/// sample.
static Tensor sumSamples(Tensor values, Tensor ids, int64_t samples) {
  if (!values)
    return {};
  ModelBuilder &m = values.getBuilder();
  const int64_t B = values.size(0), T = values.size(1);
  Scope in = m.scope("samples");
  SmallVector<double> rows((samples + 1) * samples);
  for (int64_t i = 0; i < samples; ++i)
    rows[i * samples + i] = 1;
  Tensor belongs = embedding(ids, m.dense({samples + 1, samples}, rows));
  return sum(values.reshape({B, T, 1}) * belongs, 1);
}

/// Minus the mean log probability that the first sample of each pair has the
/// higher of the `values` [B, S].  The input "choices" is 0 for each pair that
/// is there, and else ignored.
static Tensor pairLoss(Tensor values, const TextLoss &loss) {
  if (!values)
    return {};
  ModelBuilder &m = values.getBuilder();
  const int64_t B = values.size(0), pairs = values.size(1) / 2;
  Tensor choices = m.input("choices", {B, pairs}, Element::I32, 2);
  // Both of two classes get half of what crossEntropy spreads.
  return crossEntropy(values.reshape({B, pairs, 2}), choices,
                      {.labelSmoothing = 2 * loss.labelSmoothing});
}

/// `values` [B, S] are log probabilities minus those of the reference.  The
/// input "labels" is 1 for a desirable answer, 0 for an undesirable one, 2 for
/// an answer to another prompt, which measures the distance to the reference,
/// and 3 for none.
static Tensor desirableLoss(Tensor values, const TextLoss &loss) {
  if (!values)
    return {};
  ModelBuilder &m = values.getBuilder();
  const int64_t B = values.size(0), S = values.size(1);
  Tensor labels = m.input("labels", {B, S}, Element::I32, 4);
  // By label: whether it counts, its weight, its sign, whether it measures.
  const std::array<double, 4> rows[] = {{1, loss.undesirable, -1, 0},
                                        {1, loss.desirable, 1, 0},
                                        {0, 0, 0, 1},
                                        {0, 0, 0, 0}};
  SmallVector<double> table;
  for (const auto &row : rows)
    llvm::append_range(table, row);
  Tensor facts = embedding(labels, m.dense({4, 4}, table));
  auto fact = [&](int64_t i) { return facts.slice(2, i, 1).reshape({B, S}); };
  Tensor counts = fact(0), measures = fact(3);
  // The divergence from the reference, estimated over the micro-batch.
  Tensor divergence =
      detach(relu(sum(values * measures) / (relu(sum(measures) - 1.0) + 1.0)));
  Tensor worth = sigmoid(fact(2) * ((values - divergence) * -loss.beta));
  // The number of answers; without any the loss is 0.
  return sum(fact(1) * worth) / (countValid(labels, counts) + 1e-30);
}

Tensor frontend::targetsOf(ModelBuilder &m, int64_t batch, int64_t sequence,
                           int64_t vocabulary, const TextLoss &loss) {
  if (loss.objective == Objective::Reward)
    return {};
  return m.targets(batch, sequence,
                   loss.objective == Objective::Classify ? loss.labels
                                                         : vocabulary);
}

TextResult frontend::textLoss(Tensor outputs, Tensor targets,
                              const TextLoss &loss) {
  if (!outputs)
    return {};
  ModelBuilder &m = outputs.getBuilder();
  CrossEntropyOptions options = {loss.labelSmoothing, loss.zLoss};
  if (targets && loss.weighted)
    options.weights = m.input("token_weights", targets.shape(), Element::Float);
  const SmallVector<int64_t> ofSamples = {outputs.size(0), loss.samples};
  switch (loss.objective) {
  case Objective::Sft:
    return {crossEntropy(outputs, targets, options), {}, targets};
  case Objective::Classify:
    return {crossEntropy(outputs, targets, options), outputs, targets};
  case Objective::Reward: {
    Tensor ids = samplesOf(outputs, loss.samples);
    Tensor values = sumSamples(outputs, ids, loss.samples), more = values;
    if (loss.margins)
      more = values - m.input("margins", ofSamples, Element::Float);
    return {pairLoss(more, loss), values, ids, loss.samples};
  }
  case Objective::Grpo: {
    Tensor logProbs = -tokenLosses(outputs, targets);
    return {policyLoss(logProbs, targets, loss), logProbs, targets};
  }
  case Objective::Dpo:
  case Objective::Kto:
    break;
  }
  Tensor values = sumSamples(-tokenLosses(outputs, targets),
                             samplesOf(outputs, loss.samples), loss.samples);
  Tensor reference = m.input("reference", ofSamples, Element::Float);
  Tensor gain = values - reference;
  return {loss.objective == Objective::Dpo ? pairLoss(gain * loss.beta, loss)
                                           : desirableLoss(gain, loss),
          values, targets};
}

Tensor frontend::markFilling(Tensor starts, const TextResult &read) {
  if (!allValid({starts, read.ids}))
    return {};
  ModelBuilder &m = starts.getBuilder();
  OpBuilder &b = m.getOpBuilder();
  const int64_t B = starts.size(0), T = starts.size(1);
  Type type = starts.getType().getElementType();
  Value last = starts.slice(1, T - 1, 1).reshape({B}).getValue();
  auto isLast = [](const nn::Scalars &in) { return in.isEqual(in[0], in[1]); };
  auto number = [](const nn::Scalars &in, Value like, int64_t value) {
    return in.emit<arith::ConstantIntOp>(like.getType(), value);
  };
  Value count = nn::reduceSum(
      b, m.getLoc(), {starts.getValue(), last, read.ids.getValue()},
      {"bt", "b", "bt"}, "b", [&](const nn::Scalars &in) -> Value {
        Value isRead = in.compare(arith::CmpIPredicate::ne, in[2],
                                  number(in, in[2], read.none));
        Value both = in.emit<arith::AndIOp>(isLast(in), isRead);
        return in.emit<arith::ExtUIOp>(type, both);
      });
  return {m, nn::elementwise(
                 b, m.getLoc(), {starts.getValue(), last, count},
                 {"bt", "b", "b"}, "bt", [&](const nn::Scalars &in) -> Value {
                   Value none = in.isEqual(in[2], number(in, in[2], 0));
                   Value fills = in.emit<arith::AndIOp>(isLast(in), none);
                   return in.emit<arith::SelectOp>(
                       fills, number(in, in[0], -100), in[0]);
                 })};
}
