//===- Decoder.cpp - Transformer decoders with rotary positions -----------===//
//
//   x = embedding(tokens)
//   each block:  x = x + attention(norm(x))     queries and keys turn
//                x = x + mlp(norm(x))           down(activation(gate x) * up x)
//   logits = norm(x) head^T
//
// Parameters have Hugging Face's names and layouts, and lie in the order in
// which they are used.
//
//===----------------------------------------------------------------------===//
#include "frontend/DecoderParts.h"

#include "frontend/Layers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

Tensor DecoderParts::project(StringRef name, Tensor x, int64_t out,
                             bool bias) const {
  Scope in = m.scope(name);
  if (!x)
    return {};
  Tensor weight = m.param("weight", {out, x.size(-1)}, init::normal(c.initStd));
  return bias ? linear(x, weight, m.param("bias", {out}, init::constant(0)))
              : linear(x, weight);
}

Tensor DecoderParts::norm(StringRef name, Tensor x) const {
  using Norm = DecoderConfig::Norm;
  if (!x || name.empty())
    return x;
  if (c.norm == Norm::Layer)
    return layerNormLayer(m, name, x, c.normEps);
  Scope in = m.scope(name);
  bool offset = c.norm == Norm::RmsOffset;
  Tensor weight =
      m.param("weight", {x.size(-1)}, init::constant(offset ? 0 : 1));
  if (c.norm == Norm::LayerNoBias)
    return layerNorm(x, weight, m.constant({x.size(-1)}, 0).named("zeros"),
                     c.normEps);
  return rmsNorm(x, weight, {.eps = c.normEps, .unitOffset = offset});
}

Tensor DecoderParts::mixPositions(int64_t layer, Tensor x) {
  using Mixer = DecoderConfig::Mixer;
  switch (c.mixers.empty() ? Mixer::Attention : c.mixers[layer]) {
  case Mixer::Attention:
    return selfAttention(layer, x);
  case Mixer::Delta: {
    Scope in = m.scope("linear_attn");
    return gatedDeltaNet(m, x, starts, c.delta);
  }
  case Mixer::Conv: {
    Scope in = m.scope("conv");
    return gatedConv(m, x, starts, c.convTaps, c.initStd);
  }
  }
  llvm_unreachable("no such mixer");
}

/// Returns the input of the last product of the MLP.
Tensor DecoderParts::innerOfMlp(int64_t layer, Tensor x) const {
  int64_t F = c.innerWidthAt(layer);
  if (!c.names.gateUp.empty()) {
    Tensor both = project(c.names.gateUp, x, 2 * F, c.biasOfMlp);
    return c.activation->apply(both.slice(-1, 0, F)) * both.slice(-1, F, F);
  }
  if (c.names.gate.empty())
    return c.activation->apply(project(c.names.up, x, F, c.biasOfMlp));
  Tensor gate = project(c.names.gate, x, F, c.biasOfMlp);
  Tensor up = project(c.names.up, x, F, c.biasOfMlp);
  return c.activation->apply(gate) * up;
}

Tensor DecoderParts::mlp(int64_t layer, Tensor x) const {
  Scope in = m.scope(c.names.mlp);
  return project(c.names.down, innerOfMlp(layer, x), c.width, c.biasOfMlp);
}

/// Sends each row of x (a token) through the experts that the router chooses.
Tensor DecoderParts::mixture(Tensor x) const {
  Scope in = m.scope(c.experts.scope);
  if (!x)
    return {};
  Tensor rows = x.reshape({x.size(0) * x.size(1), x.size(2)});
  Routing routing;
  {
    Scope within = m.scope("gate");
    routing = router(m, rows,
                     {.experts = c.experts.count,
                      .chosen = c.experts.chosen,
                      .normalize = c.experts.normalize,
                      .std = c.initStd});
  }
  if (losses)
    losses->add(routing);
  Tensor y = expertMlps(m, rows, routing,
                        {.inner = c.experts.innerWidth,
                         .std = c.initStd,
                         .gate = c.experts.gate,
                         .up = c.experts.up,
                         .down = c.experts.down,
                         .activation = c.activation->apply});
  return y.reshape(x.shape());
}

Tensor DecoderParts::feedForward(int64_t layer, Tensor x) const {
  return c.experts.count > 0 && c.experts.layers[layer] ? mixture(x)
                                                        : mlp(layer, x);
}

/// What a part adds to the residual stream.
Tensor DecoderParts::addend(Tensor x) const {
  {
    Scope in = m.scope("dropout");
    x = dropout(x, keys, c.dropout.residual);
  }
  return c.residualScale == 1 ? x : x * c.residualScale;
}

Tensor DecoderParts::block(int64_t layer, Tensor x) {
  std::string name = ("layers." + Twine(layer)).str();
  Scope of = m.block(name), in = m.scope(name);
  Tensor normed = norm(c.names.beforeAttention, x);
  Tensor a = mixPositions(layer, normed);
  a = addend(norm(c.names.afterAttention, a));
  if (c.parallel) {
    if (!c.names.beforeMlp.empty())
      normed = norm(c.names.beforeMlp, x);
    return addend(feedForward(layer, normed)) + a + x;
  }
  x = (x + a).named("residual");
  Tensor f = feedForward(layer, norm(c.names.beforeMlp, x));
  x = addOfLayer(layer, x + addend(norm(c.names.afterMlp, f)));
  if (c.scalesLayers)
    x = x * detach(m.param("layer_scalar", {1}, init::constant(1)));
  return x;
}

// Gemma 3n's and 4's per-layer embeddings.

void DecoderParts::embedForLayers(Tensor tokens, Tensor x) {
  const int64_t L = c.layers, P = c.layerEmbedding.width;
  Tensor rows = embedding(
      tokens,
      table("embed_tokens_per_layer", c.layerEmbedding.vocabulary, L * P),
      c.padding);
  Scope of = m.block("per_layer_model_projection");
  Tensor projected =
      project("per_layer_model_projection", x, L * P, /*bias=*/false) *
      (1 / std::sqrt(double(c.width)));
  if (!rows || !projected)
    return;
  SmallVector<int64_t> byLayer = {x.size(0), x.size(1), L, P};
  projected = norm("per_layer_projection_norm", projected.reshape(byLayer));
  ofLayers = (projected + rows.reshape(byLayer) * std::sqrt(double(P))) *
             std::sqrt(0.5);
}

Tensor DecoderParts::addOfLayer(int64_t layer, Tensor x) const {
  const int64_t P = c.layerEmbedding.width;
  if (P == 0 || !ofLayers || !x)
    return x;
  Tensor gate = c.activation->apply(
      project("per_layer_input_gate", x, P, /*bias=*/false));
  Tensor own = ofLayers.slice(2, layer, 1).reshape({x.size(0), x.size(1), P});
  Tensor y = project("per_layer_projection", gate * own, c.width,
                     /*bias=*/false);
  return x + norm("post_per_layer_input_norm", y);
}

Tensor DecoderParts::table(StringRef name, int64_t rows, int64_t width) const {
  Scope of = m.block(name), in = m.scope(name);
  return m.param("weight", {rows, width}, init::normal(c.initStd));
}

Tensor DecoderParts::logits(Tensor x, Tensor weight) const {
  Scope in = m.scope(c.names.head);
  Tensor y = linear(x, weight);
  if (c.logitScale != 1)
    y = y * c.logitScale;
  return c.logitCap ? tanh(y / *c.logitCap) * *c.logitCap : y;
}

/// Returns what is wrong with the configuration, or "".
static std::string findDecoderFault(const DecoderConfig &c) {
  if (c.layers < 1 || c.heads < 1 || c.width < 1 || c.headWidth < 1 ||
      c.innerWidth < 1)
    return "a decoder needs layers, heads and widths";
  if (c.keyValueHeads < 1 || c.heads % c.keyValueHeads)
    return ("a decoder's " + Twine(c.heads) + " heads do not share " +
            Twine(c.keyValueHeads) + " heads of keys and values")
        .str();
  if (c.fullHeads && c.heads % c.fullHeads->keyValueHeads)
    return ("a decoder's " + Twine(c.heads) + " heads do not share " +
            Twine(c.fullHeads->keyValueHeads) +
            " heads of keys and values in layers without a window")
        .str();
  if (c.qkvByHead && c.keyValueHeads != c.heads)
    return "query, key and value that lie together by heads are as many";
  if (c.window > 0 && int64_t(c.slides.size()) != c.layers)
    return "a decoder with a window needs to know which layers slide";
  if (std::optional<int64_t> layer = c.findLayerWithoutKeys())
    return ("layer " + Twine(*layer) +
            " shares keys and values that no layer before it has")
        .str();
  if (!c.turns.empty() && int64_t(c.turns.size()) != c.layers)
    return "a decoder needs to know of all layers whether they turn";
  if (c.experts.count > 0 && int64_t(c.experts.layers.size()) != c.layers)
    return "a decoder with experts needs to know which layers have them";
  return {};
}

Tensor frontend::decoder(ModelBuilder &m, const DecoderConfig &c, Tensor tokens,
                         Tensor starts, RouterLosses *losses) {
  if (std::string fault = findDecoderFault(c); !fault.empty())
    return m.error(fault);
  if (!tokens)
    return {};
  if (tokens.shape().size() != 2)
    return m.error("tokens must be [batch, sequence], got " + describe(tokens));

  DecoderParts model = {m, c, losses, starts};
  if (c.separator) {
    Scope in = m.scope("documents");
    model.starts = documentStarts(tokens, *c.separator);
  }
  if (c.dropout.any())
    model.keys = m.dropoutKeys(tokens.size(0));
  Tensor embedded, x;
  {
    Scope in = m.paramScope(c.names.model);
    embedded = model.table(c.names.embedding, c.vocabulary, c.width);
    x = embedding(tokens, embedded, c.padding);
    if (c.embeddingScale != 1)
      x = x * c.embeddingScale;
    x = dropout(x.named("embedding"), model.keys, c.dropout.embedding);
    if (c.layerEmbedding.width > 0)
      model.embedForLayers(tokens, x);
    // After an error the layers would only repeat it.
    for (int64_t layer = 0; layer < c.layers && x; ++layer)
      x = model.block(layer, x);
    Scope of = m.block(c.names.norm);
    x = model.norm(c.names.norm, x);
  }
  if (int64_t scores = c.loss.scores())
    return scoreLayer(m, x, scores, c.initStd);
  return model.logits(
      x, c.tied ? embedded : model.table(c.names.head, c.vocabulary, c.width));
}

OwningOpRef<ModuleOp> frontend::buildDecoder(MLIRContext &context,
                                             const DecoderConfig &config,
                                             int64_t batch, int64_t sequence) {
  ModelBuilder m(context);
  Tensor tokens = m.tokens(batch, sequence, config.vocabulary);
  Tensor targets =
      targetsOf(m, batch, sequence, config.vocabulary, config.loss);
  Tensor starts = config.packed ? m.starts(batch, sequence) : Tensor();
  RouterLosses losses;
  Tensor logits = decoder(m, config, tokens, starts, &losses);
  Scope in = m.scope("loss");
  TextResult result = textLoss(logits, targets, config.loss);
  if (config.experts.balance != 0 && !losses.empty()) {
    Scope within = m.scope("balance");
    if (starts)
      losses.countOnly(markFilling(starts, result));
    result.loss = result.loss + losses.balance() * config.experts.balance;
  }
  return m.finish(result.loss, result.values);
}
