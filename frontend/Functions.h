//===- Functions.h - Functions on tensors -----------------------*- C++ -*-===//
//
// The vocabulary of the model language: arithmetic and the operations of `nn`.
// All are pure functions of tensors; see dialect/nn/NN.td for the formulas.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/Builder.h"
#include "frontend/TextLoss.h"

#include <optional>

namespace mlir::frontend {

/// One side of an elementwise operation: a tensor, or a number that has the
/// shape of the other side.
struct Operand {
  Tensor tensor = {};
  std::optional<double> number = std::nullopt;
  Operand(Tensor tensor) : tensor(tensor) {}
  Operand(double number) : number(number) {}
};

/// Elementwise.  Shapes are aligned at their last dimensions; a dimension that
/// is missing on one side, or has size 1 there, is repeated:
/// [B, T, C] + [T, C], [B, T, C] * [B, T, 1], and any shape with a scalar.
Tensor operator+(Operand x, Operand y);
Tensor operator-(Operand x, Operand y);
Tensor operator*(Operand x, Operand y);
Tensor operator/(Operand x, Operand y);
Tensor operator-(Tensor x);

/// Elementwise functions.
Tensor exp(Tensor x);
Tensor log(Tensor x);
Tensor sqrt(Tensor x);
/// 1 / sqrt(x).
Tensor rsqrt(Tensor x);
/// 1 / (1 + exp(-x)).
Tensor sigmoid(Tensor x);
Tensor tanh(Tensor x);
/// max(x, 0).
Tensor relu(Tensor x);
/// log(1 + exp(x)).
Tensor softplus(Tensor x);

struct ReduceOptions {
  /// Keeps the reduced dimension, with size 1, so that the result fits x again.
  bool keepDim = false;
};
/// Reduce one dimension.  Equal maxima share the gradient of `max`.
Tensor sum(Tensor x, int64_t dim, ReduceOptions options = {});
Tensor mean(Tensor x, int64_t dim, ReduceOptions options = {});
Tensor max(Tensor x, int64_t dim, ReduceOptions options = {});
/// Reduce all elements; the result has no dimensions.
Tensor sum(Tensor x);
Tensor mean(Tensor x);
Tensor max(Tensor x);

/// Concatenates along `dim`, the only dimension in which the tensors may
/// differ.  Invalid if there are none.
Tensor concat(ArrayRef<Tensor> tensors, int64_t dim);

/// Returns the rows [..., C] of `table` [V, C], one per token.  Row `padding`
/// gets no gradient.
Tensor embedding(Tensor tokens, Tensor table,
                 std::optional<int64_t> padding = {});

struct LinearOptions {
  /// The weight is stored [in, out] (GPT-2's Conv1D), not [out, in].
  bool transposed = false;
};
/// x W^T + b over the last dimension; without `bias`, b is 0.
Tensor linear(Tensor x, Tensor weight, Tensor bias, LinearOptions options = {});
Tensor linear(Tensor x, Tensor weight, LinearOptions options = {});

/// Normalizes the last dimension, with the biased variance.
Tensor layerNorm(Tensor x, Tensor weight, Tensor bias, double eps = 1e-5);

struct RmsNormOptions {
  double eps = 1e-6;
  /// Multiplies by 1 + weight, as in Gemma.
  bool unitOffset = false;
};
/// x / sqrt(mean(x^2) + eps) weight, over the last dimension.
Tensor rmsNorm(Tensor x, Tensor weight, RmsNormOptions options = {});

enum class Gelu { Erf, Tanh };
/// The exact form, or GPT-2's approximation.
Tensor gelu(Tensor x, Gelu form = Gelu::Erf);
/// x sigmoid(x).
Tensor silu(Tensor x);
/// Over the last dimension.
Tensor softmax(Tensor x);

/// Rates of a model's dropouts; 0: none.
struct DropoutRates {
  double attention = 0, residual = 0, embedding = 0;
  bool any() const { return attention != 0 || residual != 0 || embedding != 0; }
};
/// Sets elements of x to 0 with probability `rate`, and divides the others by
/// 1 - rate; a rate of 0 gives x.  `keys` is ModelBuilder::dropoutKeys, and x
/// has the same number of rows for each key.
Tensor dropout(Tensor x, Tensor keys, double rate);

struct AttentionOptions {
  /// Position i attends to positions up to i.
  bool causal = false;
  /// Factor on q k^T; 1 / sqrt(head_dim) by default.
  std::optional<double> scale = std::nullopt;
  /// A position attends to itself and the window - 1 positions before it; needs
  /// `causal`.
  std::optional<int64_t> window = std::nullopt;
  /// Scores become softCap tanh(score / softCap).
  std::optional<double> softCap = std::nullopt;
  /// Position i of sequence b attends to none before starts[b, i]
  /// (`documentStarts`); needs `causal`.
  Tensor starts = {};
  /// Dropout of the probabilities, with keys as `dropout` takes.
  double dropout = 0;
  Tensor keys = {};
};
/// softmax(scale q k^T) v; q is [B, T, H, D], k and v are [B, S, G, D].  H is a
/// multiple of G: each H / G consecutive query heads share a head of k and v.
Tensor attention(Tensor q, Tensor k, Tensor v, AttentionOptions options = {});

struct RopeOptions {
  /// Radians per position, for each rotated pair of elements.
  SmallVector<double> frequencies;
  /// Multiplies the rotated elements.
  double factor = 1;
  /// Pairs are elements 2d and 2d + 1, not d and d + (number of pairs).
  bool interleaved = false;
};
/// Rotates pairs of elements of x [B, T, H, D] by an angle proportional to the
/// position; elements without a frequency are unchanged.
Tensor rope(Tensor x, RopeOptions options);
/// base^(-2d / rotated), for each 2d < rotated.
SmallVector<double> ropeFrequencies(int64_t rotated, double base = 10000);

/// Convolves the positions of each channel of x [B, T, C] with those before,
/// by `weight` [C, K]; with `starts` [B, T], of one document.
Tensor causalConv(Tensor x, Tensor weight, Tensor starts = {});

struct DeltaRuleOptions {
  /// Logs of the decays of each position and head, [B, T, H].
  Tensor gates;
  /// How much of a miss is corrected, [B, T, H]; without it the state is added
  /// to.
  Tensor beta = {};
  /// As in AttentionOptions.
  Tensor starts = {};
};
/// nn.gated_delta_rule; q and k are [B, T, G, K] and v is [B, T, H, V].
Tensor gatedDeltaRule(Tensor q, Tensor k, Tensor v, DeltaRuleOptions options);

/// Returns the first position of the document that contains each position of
/// `tokens` [B, T]; each document ends with the token `separator`.
Tensor documentStarts(Tensor tokens, int64_t separator);

struct CrossEntropyOptions {
  /// The share of each target's probability that is spread over all classes.
  double labelSmoothing = 0;
  /// Times the mean of the squared logsumexp of the logits, which is added.
  double zLoss = 0;
  /// Floats [...] by which targets count; all count alike without it.
  Tensor weights = {};
};
/// Mean over the targets [...] of the negative log-likelihood under `logits`
/// [..., V]; a target of -100 is ignored.  The result has no dimensions.
Tensor crossEntropy(Tensor logits, Tensor targets,
                    CrossEntropyOptions options = {});

/// The negative log-likelihood of each target [...] under `logits` [..., V]; 0
/// where the target is -100.
Tensor tokenLosses(Tensor logits, Tensor targets);
/// The number of targets, each times its weight; ranks and micro-steps share
/// its mean.
Tensor countValid(Tensor targets, std::optional<Tensor> weights = {});
/// x, of which the loss does not learn.
Tensor detach(Tensor x);

/// A loss, and for losses of samples (Objective) what it compares: values
/// [B, S], of classification the scores [B, T, labels], of policies the log
/// probabilities [B, T].  `ids` [B, T] are what it reads of each position,
/// targets or samples, and `none` where it reads none.
struct TextResult {
  Tensor loss, values, ids;
  int64_t none = -100;
};
/// The targets that a loss reads, of tokens below `vocabulary` or of labels;
/// none of rewards.
Tensor targetsOf(ModelBuilder &m, int64_t batch, int64_t sequence,
                 int64_t vocabulary, const TextLoss &loss);
/// The loss of a policy that gives `targets` [B, T] the log probabilities
/// `logProbs`; of its inputs, "token_weights" sum it up.
Tensor policyLoss(Tensor logProbs, Tensor targets, const TextLoss &loss);
/// The loss of `outputs`, logits [B, T, V] or scores [B, T, scores()].
TextResult textLoss(Tensor outputs, Tensor targets, const TextLoss &loss);
/// `starts` [B, T] of samples, with -100 for tokens of none: those that fill a
/// sequence up come last, and a loss reads nothing of them.
Tensor markFilling(Tensor starts, const TextResult &read);

} // namespace mlir::frontend
