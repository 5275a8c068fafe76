//===- DecoderAttention.cpp - Attention of a decoder ----------------------===//
#include "frontend/DecoderParts.h"

using namespace mlir;
using namespace mlir::frontend;

struct DecoderParts::Heads {
  /// [B, T, heads, width]; a layer that shares keys and values has none.
  Tensor query, key = {}, value = {};
  /// [B, T, heads width], if queries have gates.
  Tensor gate = {};
};

/// x is [B, T, C].
DecoderParts::Heads DecoderParts::projectHeads(int64_t layer, Tensor x) const {
  int64_t B = x.size(0), T = x.size(1), D = c.headWidthAt(layer);
  int64_t H = c.heads, G = c.keyValueHeadsAt(layer);
  auto split = [&](Tensor y, int64_t heads, StringRef name) {
    Scope within = m.scope(name);
    return y.reshape({B, T, heads, D});
  };
  if (!c.names.qkv.empty()) {
    Tensor qkv = project(c.names.qkv, x, (H + 2 * G) * D, c.biasOfQkv);
    if (!c.qkvByHead)
      return {split(qkv.slice(-1, 0, H * D), H, "q"),
              split(qkv.slice(-1, H * D, G * D), G, "k"),
              split(qkv.slice(-1, (H + G) * D, G * D), G, "v")};
    Tensor byHead = qkv.reshape({B, T, H, 3 * D});
    return {byHead.slice(-1, 0, D), byHead.slice(-1, D, D),
            byHead.slice(-1, 2 * D, D)};
  }
  Tensor gate, q = project(c.names.query, x, (c.gatesAttention ? 2 : 1) * H * D,
                           c.biasOfQkv);
  if (c.gatesAttention) {
    Tensor both = q.reshape({B, T, H, 2 * D});
    q = both.slice(-1, 0, D).reshape({B, T, H * D});
    gate = both.slice(-1, D, D).reshape({B, T, H * D});
  }
  Heads made = {q, {}, {}, gate};
  if (!c.sharesAt(layer)) {
    made.key = project(c.names.key, x, G * D, c.biasOfQkv);
    made.value = c.keysAreValues && !c.slidesAt(layer)
                     ? made.key
                     : project(c.names.value, x, G * D, c.biasOfQkv);
  }
  if (c.queryKeyNormOfAll) {
    made.query = norm(c.names.queryNorm, made.query);
    made.key = norm(c.names.keyNorm, made.key);
  }
  made.query = split(made.query, H, "q");
  if (made.key) {
    made.key = split(made.key, G, "k");
    made.value = split(made.value, G, "v");
  }
  return made;
}

Tensor DecoderParts::turn(StringRef name, Tensor x, const Rope &by) const {
  Scope in = m.scope(name);
  return rope(x, {.frequencies = by.frequencies,
                  .factor = by.factor,
                  .interleaved = c.interleavedRope});
}

Tensor DecoderParts::selfAttention(int64_t layer, Tensor x) {
  Scope in = m.scope(c.names.attention);
  if (!x)
    return {};
  Heads heads = projectHeads(layer, x);
  if (c.queryKeyNorm) {
    heads.query = norm(c.names.queryNorm, heads.query);
    heads.key = norm(c.names.keyNorm, heads.key);
  }
  const bool slides = c.slidesAt(layer);
  if (c.turns.empty() || c.turns[layer]) {
    const Rope &by = slides && c.slidingRope ? *c.slidingRope : c.rope;
    heads.query = turn("q", heads.query, by);
    heads.key = turn("k", heads.key, by);
  }
  if (c.valueNorm && heads.value) {
    Scope of = m.scope("v_norm");
    Tensor ones = m.constant({c.headWidthAt(layer)}, 1).named("ones");
    heads.value = rmsNorm(heads.value, ones, {.eps = c.normEps});
  }
  KeysAndValues &own = slides ? ofSliding : ofFull;
  if (!c.sharesAt(layer))
    own = {heads.key, heads.value};
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
  Tensor y =
      attention(heads.query, own.keys, own.values, options)
          .reshape({x.size(0), x.size(1), c.heads * c.headWidthAt(layer)});
  if (heads.gate)
    y = y * sigmoid(heads.gate);
  return project(c.names.out, y, c.width, c.biasOfOut);
}
