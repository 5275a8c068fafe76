//===- Functions.cpp - Implements the operations of nn --------------------===//
#include "frontend/Functions.h"

#include "dialect/nn/NN.h"
#include "frontend/Emit.h"

using namespace mlir;
using namespace mlir::frontend;

bool frontend::isIds(StringRef what, Tensor t) {
  if (t.getType().getElementType().isInteger(32) ||
      t.getType().getElementType().isInteger(64))
    return true;
  t.getBuilder().error(what + " must be i32 or i64 ids, got " + describe(t));
  return false;
}

Tensor frontend::gelu(Tensor x, Gelu form) {
  if (!x || !allFloat("gelu", {x}))
    return {};
  return emitLike<nn::GeluOp>(x, /*tanh=*/form == Gelu::Tanh);
}

Tensor frontend::silu(Tensor x) { return emitUnary<nn::SiluOp>("silu", x); }

Tensor frontend::softmax(Tensor x) {
  if (x && x.shape().empty())
    return x.getBuilder().error("softmax needs a dimension, got " +
                                describe(x));
  return emitUnary<nn::SoftmaxOp>("softmax", x);
}

bool frontend::isDropout(Tensor of, Tensor keys, double rate) {
  ModelBuilder &m = of.getBuilder();
  if (!(rate > 0 && rate < 1))
    m.error("the rate of dropout must be at least 0 and below 1, got " +
            std::to_string(rate));
  else if (!keys || !keys.getType().getElementType().isInteger(64) ||
           keys.shape().size() != 1 || of.shape().empty() ||
           of.size(0) % keys.size(0) != 0)
    m.error("dropout of " + describe(of) +
            " needs keys, i64 [B], that divide its rows; take "
            "ModelBuilder::dropoutKeys");
  else
    return true;
  return false;
}

Tensor frontend::dropout(Tensor x, Tensor keys, double rate) {
  if (!x || rate == 0 || !allFloat("dropout", {x}))
    return x;
  if (!isDropout(x, keys, rate))
    return {};
  ModelBuilder &m = x.getBuilder();
  return emitLike<nn::DropoutOp>(
      x, keys.getValue(), m.getOpBuilder().getF64FloatAttr(rate),
      m.getOpBuilder().getI64IntegerAttr(m.nextDropoutPlace()));
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Tensor frontend::embedding(Tensor tokens, Tensor table,
                           std::optional<int64_t> padding) {
  if (!allValid({tokens, table}) || !isIds("tokens", tokens) ||
      !allFloat("embedding", {table}))
    return {};
  ModelBuilder &m = table.getBuilder();
  if (table.shape().size() != 2)
    return m.error("the table of an embedding has two dimensions, got " +
                   describe(table));
  SmallVector<int64_t> shape(tokens.shape());
  shape.push_back(table.size(1));
  RankedTensorType type = m.getType(shape, table.getType().getElementType());
  if (!type)
    return {};
  if (padding && (*padding < 0 || *padding >= table.size(0)))
    return m.error("the padding of an embedding is one of its " +
                   Twine(table.size(0)) + " rows, got " + Twine(*padding));
  return emit<nn::EmbeddingOp>(
      m, type, tokens.getValue(), table.getValue(),
      padding ? m.getOpBuilder().getI64IntegerAttr(*padding) : IntegerAttr());
}

/// A null bias means none.
static Tensor emitLinear(Tensor x, Tensor weight, const Tensor *bias,
                         LinearOptions options) {
  if (!allValid({x, weight}) || (bias && !*bias) ||
      !allFloat("linear", {x, weight, bias ? *bias : x}))
    return {};
  ModelBuilder &m = x.getBuilder();
  if (weight.shape().size() != 2)
    return m.error("the weight of linear has two dimensions, got " +
                   describe(weight));
  int64_t in = weight.size(options.transposed ? 0 : 1);
  int64_t out = weight.size(options.transposed ? 1 : 0);
  if (x.shape().empty() || x.size(-1) != in)
    return m.error("weight " + describe(weight) + " takes " + Twine(in) +
                   " inputs, but the last dimension of x " + describe(x) +
                   " is " + Twine(x.size(-1)) +
                   (x.size(-1) == out ? options.transposed
                                            ? "; store the weight [in, out]"
                                            : "; a weight stored [in, out] "
                                              "needs {.transposed = true}"
                                      : ""));
  if (bias && bias->shape() != ArrayRef<int64_t>{out})
    return m.error("bias " + describe(*bias) + " must have the " + Twine(out) +
                   " outputs of weight " + describe(weight));
  SmallVector<int64_t> shape(x.shape().drop_back());
  shape.push_back(out);
  RankedTensorType type = m.getType(shape, x.getType().getElementType());
  if (!type)
    return {};
  return emit<nn::LinearOp>(m, type, x.getValue(), weight.getValue(),
                            bias ? bias->getValue() : Value(),
                            options.transposed);
}

Tensor frontend::linear(Tensor x, Tensor weight, Tensor bias,
                        LinearOptions options) {
  return emitLinear(x, weight, &bias, options);
}

Tensor frontend::linear(Tensor x, Tensor weight, LinearOptions options) {
  return emitLinear(x, weight, nullptr, options);
}

Tensor frontend::layerNorm(Tensor x, Tensor weight, Tensor bias, double eps) {
  if (!allValid({x, weight, bias}) || !allFloat("layerNorm", {x, weight, bias}))
    return {};
  ModelBuilder &m = x.getBuilder();
  for (Tensor t : {weight, bias})
    if (x.shape().empty() || t.shape() != x.shape().take_back())
      return m.error("layerNorm of " + describe(x) + " needs " +
                     Twine(x.size(-1)) + " weights and biases, got " +
                     describe(t));
  if (!(eps > 0) || !std::isfinite(eps))
    return m.error("the eps of layerNorm must be positive, got " +
                   std::to_string(eps));
  return emit<nn::LayerNormOp>(m, x.getType(), /*mean=*/Type(), /*rstd=*/Type(),
                               x.getValue(), weight.getValue(), bias.getValue(),
                               m.getOpBuilder().getF64FloatAttr(eps));
}

Tensor frontend::rmsNorm(Tensor x, Tensor weight, RmsNormOptions options) {
  if (!allValid({x, weight}) || !allFloat("rmsNorm", {x, weight}))
    return {};
  ModelBuilder &m = x.getBuilder();
  if (x.shape().empty() || weight.shape() != x.shape().take_back())
    return m.error("the weight of rmsNorm must have the " + Twine(x.size(-1)) +
                   " elements of a row of x " + describe(x) + ", got " +
                   describe(weight));
  return emit<nn::RmsNormOp>(m, x.getType(), /*rstd=*/Type(), x.getValue(),
                             weight.getValue(), llvm::APFloat(options.eps),
                             options.unitOffset);
}

Tensor frontend::crossEntropy(Tensor logits, Tensor targets,
                              CrossEntropyOptions options) {
  if (!allValid({logits, targets}) || !isIds("targets", targets) ||
      !allFloat("crossEntropy", {logits}))
    return {};
  ModelBuilder &m = logits.getBuilder();
  if (logits.shape().empty() || logits.shape().drop_back() != targets.shape())
    return m.error("targets " + describe(targets) +
                   " must have the shape of the logits " + describe(logits) +
                   " without its last dimension");
  Type element = logits.getType().getElementType();
  if (Tensor w = options.weights;
      w && w.getType() != targets.getType().clone(element))
    return m.error("weights " + describe(w) +
                   " must be floats of the shape of the targets " +
                   describe(targets));
  if (!(options.labelSmoothing >= 0 && options.labelSmoothing <= 1) ||
      !(options.zLoss >= 0 && std::isfinite(options.zLoss)))
    return m.error("the label smoothing of crossEntropy must be from 0 to 1, "
                   "and its z-loss finite and not negative, got " +
                   std::to_string(options.labelSmoothing) + " and " +
                   std::to_string(options.zLoss));
  return emit<nn::CrossEntropyOp>(
      m, RankedTensorType::get({}, element), /*lse=*/Type(), logits.getValue(),
      targets.getValue(),
      options.weights ? options.weights.getValue() : Value(),
      /*count=*/Value(), /*ignore_index=*/-100,
      llvm::APFloat(options.labelSmoothing), llvm::APFloat(options.zLoss));
}

Tensor frontend::tokenLosses(Tensor logits, Tensor targets) {
  // A mean first, for its checks.
  Tensor mean = crossEntropy(logits, targets);
  if (!mean)
    return {};
  auto op = mean.getValue().getDefiningOp<nn::CrossEntropyOp>();
  op.getLoss().setType(
      targets.getType().clone(logits.getType().getElementType()));
  return mean;
}

Tensor frontend::countValid(Tensor targets, std::optional<Tensor> weights) {
  if (!targets || (weights && !*weights) || !isIds("targets", targets) ||
      (weights && !allFloat("weights", {*weights})))
    return {};
  ModelBuilder &m = targets.getBuilder();
  auto type = RankedTensorType::get({}, m.getElementType());
  return emit<nn::CountValidOp>(m, type, targets.getValue(),
                                weights ? weights->getValue() : Value(),
                                /*ignore_index=*/-100);
}

Tensor frontend::detach(Tensor x) {
  if (!x)
    return {};
  return emit<nn::DetachOp>(x.getBuilder(), x.getType(), x.getValue());
}
