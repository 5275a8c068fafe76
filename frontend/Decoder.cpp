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
#include "frontend/Decoder.h"

#include "frontend/Layers.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {

/// The parts of one model.
struct Decoder {
  ModelBuilder &m;
  const DecoderConfig &c;
  RouterLosses *losses;
  Tensor starts; ///< of documents, if attention stays within them
  Tensor keys;   ///< of dropout, if there is any

  /// A linear layer to `out` values, with weight [out, in].
  Tensor project(StringRef name, Tensor x, int64_t out, bool bias) const {
    Scope in = m.scope(name);
    if (!x)
      return {};
    Tensor weight =
        m.param("weight", {out, x.size(-1)}, init::normal(c.initStd));
    return bias ? linear(x, weight, m.param("bias", {out}, init::constant(0)))
                : linear(x, weight);
  }

  /// Returns x itself if the block has no such norm.
  Tensor norm(StringRef name, Tensor x) const {
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

  struct Heads {
    Tensor query, key, value;
    Tensor gate = {}; ///< [B, T, heads headWidth], if queries have one
  };

  /// x is [B, T, C]; each result is [B, T, heads, headWidth].
  Heads projectHeads(Tensor x) const {
    int64_t B = x.size(0), T = x.size(1), D = c.headWidth;
    int64_t H = c.heads, G = c.keyValueHeads;
    auto split = [&](Tensor y, int64_t heads, StringRef name) {
      Scope within = m.scope(name);
      return y.reshape({B, T, heads, D});
    };
    if (c.names.qkv.empty()) {
      Tensor gate, q = project(c.names.query, x,
                               (c.gatesAttention ? 2 : 1) * H * D, c.biasOfQkv);
      if (c.gatesAttention) {
        Tensor both = q.reshape({B, T, H, 2 * D});
        q = both.slice(-1, 0, D).reshape({B, T, H * D});
        gate = both.slice(-1, D, D).reshape({B, T, H * D});
      }
      Tensor k = project(c.names.key, x, G * D, c.biasOfQkv);
      Tensor v = project(c.names.value, x, G * D, c.biasOfQkv);
      if (c.queryKeyNormOfAll) {
        q = norm(c.names.queryNorm, q);
        k = norm(c.names.keyNorm, k);
      }
      return {split(q, H, "q"), split(k, G, "k"), split(v, G, "v"), gate};
    }
    Tensor qkv = project(c.names.qkv, x, (H + 2 * G) * D, c.biasOfQkv);
    if (!c.qkvByHead)
      return {split(qkv.slice(-1, 0, H * D), H, "q"),
              split(qkv.slice(-1, H * D, G * D), G, "k"),
              split(qkv.slice(-1, (H + G) * D, G * D), G, "v")};
    Tensor byHead = qkv.reshape({B, T, H, 3 * D});
    return {byHead.slice(-1, 0, D), byHead.slice(-1, D, D),
            byHead.slice(-1, 2 * D, D)};
  }

  Tensor turn(StringRef name, Tensor x, const Rope &by) const {
    Scope in = m.scope(name);
    return rope(x, {.frequencies = by.frequencies,
                    .factor = by.factor,
                    .interleaved = c.interleavedRope});
  }

  Tensor mixPositions(int64_t layer, Tensor x) const {
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

  Tensor selfAttention(int64_t layer, Tensor x) const {
    Scope in = m.scope(c.names.attention);
    if (!x)
      return {};
    auto [q, k, v, gate] = projectHeads(x);
    if (c.queryKeyNorm) {
      q = norm(c.names.queryNorm, q);
      k = norm(c.names.keyNorm, k);
    }
    bool slides = c.window > 0 && c.slides[layer];
    if (c.turns.empty() || c.turns[layer]) {
      const Rope &by = slides && c.slidingRope ? *c.slidingRope : c.rope;
      q = turn("q", q, by);
      k = turn("k", k, by);
    }
    AttentionOptions options = {.causal = true,
                                .softCap = c.scoreCap,
                                .starts = starts,
                                .dropout = c.dropout.attention,
                                .keys = keys};
    if (c.scoreScale != 0)
      options.scale = c.scoreScale;
    // A window longer than the sequence masks nothing.
    if (slides && c.window < x.size(1))
      options.window = c.window;
    Tensor y = attention(q, k, v, options)
                   .reshape({x.size(0), x.size(1), c.heads * c.headWidth});
    if (gate)
      y = y * sigmoid(gate);
    return project(c.names.out, y, c.width, c.biasOfOut);
  }

  /// Returns the input of the last product of the MLP.
  Tensor innerOfMlp(Tensor x) const {
    int64_t F = c.innerWidth;
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

  Tensor mlp(Tensor x) const {
    Scope in = m.scope(c.names.mlp);
    return project(c.names.down, innerOfMlp(x), c.width, c.biasOfMlp);
  }

  /// Sends each row of x (a token) through the experts that the router chooses.
  Tensor mixture(Tensor x) const {
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

  Tensor feedForward(int64_t layer, Tensor x) const {
    return c.experts.count > 0 && c.experts.layers[layer] ? mixture(x) : mlp(x);
  }

  /// What a part adds to the residual stream.
  Tensor addend(Tensor x) const {
    {
      Scope in = m.scope("dropout");
      x = dropout(x, keys, c.dropout.residual);
    }
    return c.residualScale == 1 ? x : x * c.residualScale;
  }

  Tensor block(int64_t layer, Tensor x) const {
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
    return x + addend(norm(c.names.afterMlp, f));
  }

  Tensor table(StringRef name) const {
    Scope of = m.block(name), in = m.scope(name);
    return m.param("weight", {c.vocabulary, c.width}, init::normal(c.initStd));
  }

  Tensor logits(Tensor x, Tensor weight) const {
    Scope in = m.scope(c.names.head);
    Tensor y = linear(x, weight);
    if (c.logitScale != 1)
      y = y * c.logitScale;
    return c.logitCap ? tanh(y / *c.logitCap) * *c.logitCap : y;
  }
};

} // namespace

/// Returns what is wrong with the configuration, or "".
static std::string findDecoderFault(const DecoderConfig &c) {
  if (c.layers < 1 || c.heads < 1 || c.width < 1 || c.headWidth < 1 ||
      c.innerWidth < 1)
    return "a decoder needs layers, heads and widths";
  if (c.keyValueHeads < 1 || c.heads % c.keyValueHeads)
    return ("a decoder's " + Twine(c.heads) + " heads do not share " +
            Twine(c.keyValueHeads) + " heads of keys and values")
        .str();
  if (c.qkvByHead && c.keyValueHeads != c.heads)
    return "query, key and value that lie together by heads are as many";
  if (c.window > 0 && int64_t(c.slides.size()) != c.layers)
    return "a decoder with a window needs to know which layers slide";
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

  Decoder model = {m, c, losses, starts, {}};
  if (c.separator) {
    Scope in = m.scope("documents");
    model.starts = documentStarts(tokens, *c.separator);
  }
  if (c.dropout.any())
    model.keys = m.dropoutKeys(tokens.size(0));
  Tensor embedded, x;
  {
    Scope in = m.paramScope(c.names.model);
    embedded = model.table(c.names.embedding);
    x = embedding(tokens, embedded, c.padding);
    if (c.embeddingScale != 1)
      x = x * c.embeddingScale;
    x = dropout(x.named("embedding"), model.keys, c.dropout.embedding);
    // After an error the layers would only repeat it.
    for (int64_t layer = 0; layer < c.layers && x; ++layer)
      x = model.block(layer, x);
    Scope of = m.block(c.names.norm);
    x = model.norm(c.names.norm, x);
  }
  if (int64_t scores = c.loss.scores())
    return scoreLayer(m, x, scores, c.initStd);
  return model.logits(x, c.tied ? embedded : model.table(c.names.head));
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
