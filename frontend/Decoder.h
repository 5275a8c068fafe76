//===- Decoder.h - Transformer decoders with rotary positions ---*- C++ -*-===//
//
// The common structure of Llama and all families but GPT-2, and the numbers and
// names in which they differ.  frontend/families has one file for each family,
// or for those that are close, which fills DecoderConfig from its config.json.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/Activation.h"
#include "frontend/DeltaRule.h"
#include "frontend/Experts.h"
#include "frontend/RopeFrequencies.h"

namespace mlir::frontend {

/// Names of parameters; an empty name means that the model has no such
/// parameter.
struct DecoderNames {
  StringRef model = "model", embedding = "embed_tokens", norm = "norm",
            head = "lm_head";
  /// Norms of a block, applied to the input and to the output of a part.  If a
  /// parallel block has none before the MLP, both parts read one.
  StringRef beforeAttention = "input_layernorm", afterAttention = "",
            beforeMlp = "post_attention_layernorm", afterMlp = "";
  StringRef attention = "self_attn", out = "o_proj";
  /// Projections to queries, keys and values: three, or one (`qkv`).
  StringRef query = "q_proj", key = "k_proj", value = "v_proj", qkv = "";
  StringRef queryNorm = "q_norm", keyNorm = "k_norm";
  StringRef mlp = "mlp", up = "up_proj", down = "down_proj";
  /// The second factor of a gated MLP, or `gateUp` for both factors in one
  /// product.
  StringRef gate = "gate_proj", gateUp = "";
};

struct DecoderConfig {
  DecoderNames names;

  int64_t layers = 0, width = 0, vocabulary = 0, positions = 0;
  /// Heads of queries, heads of keys and values, and the width of a head.
  int64_t heads = 0, keyValueHeads = 0, headWidth = 0;
  int64_t innerWidth = 0;
  /// The heads of keys and values, and the width of all heads, in layers
  /// without a window, where they differ.
  struct FullHeads {
    int64_t keyValueHeads = 0, headWidth = 0;
  };
  std::optional<FullHeads> fullHeads;
  /// Layers without a window have no projection to values, which are those of
  /// keys before the norm.
  bool keysAreValues = false;
  /// So many last layers have no keys and values of their own: they read those
  /// of the last layer before them that has a window as they have, or none.
  int64_t sharingLayers = 0;
  /// Their MLPs have twice the inner width.
  bool widensSharing = false;
  /// Standard deviation of initial weights; biases begin at 0.
  double initStd = 0.02;
  /// The output projection uses the embedding's weight.
  bool tied = false;
  /// The token whose row of the embedding gets no gradient.
  std::optional<int64_t> padding;

  /// RmsOffset multiplies by 1 + weight; LayerNoBias has a weight alone.
  enum class Norm { Rms, RmsOffset, Layer, LayerNoBias } norm = Norm::Rms;
  double normEps = 1e-6;
  /// Attention and MLP read the same x, each through its norm, and their sum is
  /// added to x; otherwise the MLP reads x after attention.
  bool parallel = false;

  /// Normalizes queries and keys per head before the rotation, or over all
  /// heads together, directly after their projections.
  bool queryKeyNorm = false, queryKeyNormOfAll = false;
  /// Normalizes values per head, without a weight.
  bool valueNorm = false;
  /// `qkv` stores query, key and value of a head side by side, instead of all
  /// queries before all keys.
  bool qkvByHead = false;
  bool biasOfQkv = false, biasOfOut = false, biasOfMlp = false;
  /// The projection of queries has a gate beside each head's, whose sigmoid
  /// multiplies what attention gives.
  bool gatesAttention = false;
  /// Factor on attention scores; 0 for 1 / sqrt(headWidth).
  double scoreScale = 0;
  /// c tanh(x / c) is applied to scores, and to logits.
  std::optional<double> scoreCap, logitCap;

  /// The token that ends a document; attention then stays within documents.
  std::optional<int64_t> separator;
  /// A sequence holds several samples: the input "starts" [B, T] gives where
  /// that of each position begins, and attention stays within it.
  bool packed = false;
  /// Size of the attention window, in layers for which `slides` is true.
  int64_t window = 0;
  std::vector<bool> slides;
  /// `slidingRope` is for layers with a window, where it differs.
  Rope rope;
  std::optional<Rope> slidingRope;
  /// One entry per layer: true if its queries and keys turn; empty if all do.
  std::vector<bool> turns;
  /// Pairs are neighbours; see `rope`.
  bool interleavedRope = false;
  /// Longer sequences than this many positions are computed in another way.
  struct Limit {
    int64_t positions;
    StringRef key, why;
  };
  std::optional<Limit> limit;

  /// Mixtures of experts instead of MLPs; a count of 0 means none.
  struct Experts {
    int64_t count = 0, chosen = 0, innerWidth = 0;
    /// Divides the weights of the chosen experts by their sum.
    bool normalize = true;
    /// One entry per layer: true if its MLP is a mixture.
    std::vector<bool> layers;
    /// Factor of the load-balancing loss; 0 for none.
    double balance = 0;
    StringRef scope = "mlp", gate = "gate_proj", up = "up_proj",
              down = "down_proj";
  } experts;

  /// What mixes positions in each layer; empty if attention does in all.
  enum class Mixer { Attention, Delta, Conv };
  std::vector<Mixer> mixers;
  DeltaLayer delta;
  /// Positions that a convolution reads.
  int64_t convTaps = 0;

  /// A second embedding, of which each layer has a part: of tokens, and of
  /// their first embedding.  A width of 0 means none.
  struct LayerEmbedding {
    int64_t vocabulary = 0, width = 0;
  } layerEmbedding;
  /// Each layer multiplies its result by a number that is not trained.
  bool scalesLayers = false;

  TextLoss loss = {};
  DropoutRates dropout = {};

  const Activation *activation = findActivation("silu");
  /// Factors of rows of the embedding, of what attention and MLP add to x, and
  /// of logits.
  double embeddingScale = 1, residualScale = 1, logitScale = 1;

  bool slidesAt(int64_t layer) const { return window > 0 && slides[layer]; }
  bool sharesAt(int64_t layer) const { return layer >= layers - sharingLayers; }
  /// The first layer that shares keys and values and has none of its kind
  /// before it that owns some; or nothing.
  std::optional<int64_t> findLayerWithoutKeys() const {
    for (int64_t layer = layers - sharingLayers; layer < layers; ++layer)
      if (llvm::none_of(
              llvm::seq<int64_t>(0, layers - sharingLayers),
              [&](int64_t own) { return slidesAt(own) == slidesAt(layer); }))
        return layer;
    return std::nullopt;
  }
  /// What layer `layer` has.
  int64_t keyValueHeadsAt(int64_t layer) const {
    return fullHeads && !slidesAt(layer) ? fullHeads->keyValueHeads
                                         : keyValueHeads;
  }
  int64_t headWidthAt(int64_t layer) const {
    return fullHeads && !slidesAt(layer) ? fullHeads->headWidth : headWidth;
  }
  int64_t innerWidthAt(int64_t layer) const {
    return widensSharing && sharesAt(layer) ? 2 * innerWidth : innerWidth;
  }
};

/// Returns the next-token logits [B, T, vocabulary] of `tokens` [B, T], whose
/// samples begin at `starts`, if given.  Adds the routers' decisions to
/// `losses`, if given.
Tensor decoder(ModelBuilder &m, const DecoderConfig &config, Tensor tokens,
               Tensor starts = {}, RouterLosses *losses = nullptr);

/// Builds `@loss` on `batch` sequences of `sequence` tokens; null after an
/// error, which is reported as a diagnostic.
OwningOpRef<ModuleOp> buildDecoder(MLIRContext &context,
                                   const DecoderConfig &config, int64_t batch,
                                   int64_t sequence);

} // namespace mlir::frontend
