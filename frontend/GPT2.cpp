//===- GPT2.cpp - The GPT-2 family ----------------------------------------===//
//
// Radford et al., "Language Models are Unsupervised Multitask Learners"
// (2019): a transformer decoder with its norms before each part.
//
//   x = embedding(tokens) + positions
//   each block:  x = x + attention(norm(x))
//                x = x + mlp(norm(x))
//   logits = norm(x) wte^T
//
// Parameters have Hugging Face's names, in its order.
//
//===----------------------------------------------------------------------===//
#include "frontend/GPT2.h"

#include "frontend/Layers.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

namespace {

/// The parts of one model; a block is one `layer`.
struct GPT2 {
  ModelBuilder &m;
  const GPT2Config &c;
  Tensor starts; ///< of samples, if sequences hold several
  Tensor keys;   ///< of dropout, if there is any

  /// Projections into the residual stream begin smaller, by the square root of
  /// the number of terms that are added to it.
  double residualStd() const { return c.initStd / std::sqrt(2.0 * c.layers); }

  Tensor norm(StringRef name, Tensor x) const {
    return layerNormLayer(m, name, x, c.normEps);
  }

  Tensor dropResidual(Tensor x) const {
    Scope in = m.scope("dropout");
    return dropout(x, keys, c.dropout.residual);
  }

  Tensor selfAttention(int64_t layer, Tensor x) const {
    Scope in = m.scope("attn");
    int64_t B = x.size(0), T = x.size(1), C = c.width, H = c.heads;
    int64_t D = C / H;
    Tensor qkv = conv1d(m, "c_attn", x, 3 * C, c.initStd);
    auto heads = [&](int64_t part, StringRef name) {
      Scope within = m.scope(name);
      return qkv.slice(-1, part * C, C).reshape({B, T, H, D});
    };
    Tensor q = heads(0, "q"), k = heads(1, "k"), v = heads(2, "v");
    double scale = c.scaleAttention ? 1 / std::sqrt(double(D)) : 1;
    if (c.scaleByLayer)
      scale /= double(layer + 1);
    Tensor y = attention(q, k, v,
                         {.causal = true,
                          .scale = scale,
                          .starts = starts,
                          .dropout = c.dropout.attention,
                          .keys = keys});
    return dropResidual(
        conv1d(m, "c_proj", y.reshape({B, T, C}), C, residualStd()));
  }

  Tensor mlp(Tensor x) const {
    Scope in = m.scope("mlp");
    int64_t inner = c.innerWidth ? c.innerWidth : 4 * c.width;
    Tensor hidden = c.activation->apply(conv1d(m, "c_fc", x, inner, c.initStd));
    return dropResidual(conv1d(m, "c_proj", hidden, c.width, residualStd()));
  }

  Tensor block(int64_t layer, Tensor x) const {
    std::string name = ("h." + Twine(layer)).str();
    Scope of = m.block(name), in = m.scope(name);
    x = (x + selfAttention(layer, norm("ln_1", x))).named("residual");
    return x + mlp(norm("ln_2", x));
  }

  /// A parameter of `size` rows of the model's width.
  Tensor table(StringRef name, int64_t size) const {
    Scope of = m.block(name), in = m.scope(name);
    return m.param("weight", {size, c.width}, init::normal(c.initStd));
  }

  Tensor embed(Tensor tokens, Tensor wte) const {
    Tensor wpe = table("wpe", c.positions);
    const int64_t B = tokens.size(0), T = tokens.size(1);
    Tensor places;
    if (c.packed)
      places = m.input("positions", {B, T}, Element::I32, T);
    Scope in = m.scope("embedding");
    Tensor x = embedding(tokens, wte) +
               (places ? embedding(places, wpe) : wpe.slice(0, 0, T));
    return dropout(x, keys, c.dropout.embedding);
  }
};

} // namespace

Tensor frontend::gpt2(ModelBuilder &m, const GPT2Config &c, Tensor tokens) {
  if (c.layers < 1 || c.heads < 1 || c.width < 1 || c.innerWidth < 0)
    return m.error("a GPT-2 needs layers, heads and a width");
  if (c.width % c.heads)
    return m.error("a width of " + Twine(c.width) + " does not divide among " +
                   Twine(c.heads) + " heads");
  if (!tokens)
    return {};
  if (tokens.shape().size() != 2)
    return m.error("tokens must be [batch, sequence], got " + describe(tokens));
  if (tokens.size(1) > c.positions)
    return m.error("sequences of " + Twine(tokens.size(1)) +
                   " tokens need as many positions, got " + Twine(c.positions));

  GPT2 model = {m, c, {}, {}};
  if (c.packed)
    model.starts = m.starts(tokens.size(0), tokens.size(1));
  if (c.dropout.any())
    model.keys = m.dropoutKeys(tokens.size(0));
  Tensor wte, x;
  {
    Scope in = m.paramScope("transformer");
    wte = model.table("wte", c.vocabulary);
    x = model.embed(tokens, wte);
    // After an error the layers would only repeat it.
    for (int64_t layer = 0; layer < c.layers && x; ++layer)
      x = model.block(layer, x);
    Scope of = m.block("ln_f");
    x = model.norm("ln_f", x);
  }
  if (int64_t scores = c.loss.scores())
    return scoreLayer(m, x, scores, c.initStd);
  Tensor head = c.tied ? wte : model.table("lm_head", c.vocabulary);
  Scope in = m.scope("lm_head");
  return linear(x, head);
}

OwningOpRef<ModuleOp> frontend::buildGPT2(MLIRContext &context,
                                          const GPT2Config &config,
                                          int64_t batch, int64_t sequence) {
  ModelBuilder m(context);
  Tensor tokens = m.tokens(batch, sequence, config.vocabulary);
  Tensor targets =
      targetsOf(m, batch, sequence, config.vocabulary, config.loss);
  Tensor logits = gpt2(m, config, tokens);
  Scope in = m.scope("loss");
  TextResult result = textLoss(logits, targets, config.loss);
  return m.finish(result.loss, result.values);
}
