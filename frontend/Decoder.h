//===- Decoder.h - Transformer decoders with rotary positions ---*- C++ -*-===//
//
// What Llama, Mistral, Qwen, Gemma, Phi-3 and GPT-NeoX have in common, and the
// numbers and names in which they differ.  frontend/families has one file for
// each family, which fills this from its config.json.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/Activation.h"
#include "frontend/Experts.h"
#include "frontend/RopeFrequencies.h"

namespace mlir::frontend {

/// How parameters are called; an empty name is one that is not there.
struct DecoderNames {
  StringRef model = "model", embedding = "embed_tokens", norm = "norm",
            head = "lm_head";
  /// Norms of a block, of what a part reads and of what it gives.
  StringRef beforeAttention = "input_layernorm", afterAttention = "",
            beforeMlp = "post_attention_layernorm", afterMlp = "";
  StringRef attention = "self_attn", out = "o_proj";
  /// The products that give queries, keys and values: three, or `qkv` alone.
  StringRef query = "q_proj", key = "k_proj", value = "v_proj", qkv = "";
  StringRef mlp = "mlp", up = "up_proj", down = "down_proj";
  /// The other factor of a gated MLP, or `gateUp` that gives both.
  StringRef gate = "gate_proj", gateUp = "";
};

struct DecoderConfig {
  DecoderNames names;

  int64_t layers = 0, width = 0, vocabulary = 0, positions = 0;
  /// Heads of queries, of keys and values, and the width of each.
  int64_t heads = 0, keyValueHeads = 0, headWidth = 0;
  int64_t innerWidth = 0;
  /// Standard deviation of initial weights; biases begin at 0.
  double initStd = 0.02;
  /// The output product reads the embedding.
  bool tied = false;
  /// Tokens that give the embedding no gradient.
  std::optional<int64_t> padding;

  /// RmsOffset has the factor 1 + weight.
  enum class Norm { Rms, RmsOffset, Layer } norm = Norm::Rms;
  double normEps = 1e-6;
  /// Attention and MLP read the same x, each through its norm, and are added
  /// together; else the MLP reads what attention gave.
  bool parallel = false;

  /// Queries and keys are normed over each head before they turn; or over all
  /// heads together, as they leave their products.
  bool queryKeyNorm = false, queryKeyNormOfAll = false;
  /// `qkv` holds query, key and value of a head side by side, not all queries
  /// before all keys.
  bool qkvByHead = false;
  bool biasOfQkv = false, biasOfOut = false, biasOfMlp = false;
  /// Of scores; 0 for 1 / sqrt(headWidth).
  double scoreScale = 0;
  /// c tanh(x / c) of scores, and of logits.
  std::optional<double> scoreCap, logitCap;

  /// The token that ends a document: none sees another one then.
  std::optional<int64_t> separator;
  /// Positions that a layer sees, of those for which `slides` is true.
  int64_t window = 0;
  std::vector<bool> slides;
  /// Of layers that slide, if it is another one.
  Rope rope;
  std::optional<Rope> slidingRope;

  /// Mixtures of experts take the place of MLPs; a count of 0 is none.
  struct Experts {
    int64_t count = 0, chosen = 0, innerWidth = 0;
    /// Weights of the chosen ones are divided by their sum.
    bool normalize = true;
    /// Whether each layer has them.
    std::vector<bool> layers;
    /// Factor of the load-balancing loss; 0 for none.
    double balance = 0;
    StringRef scope = "mlp", gate = "gate_proj", up = "up_proj",
              down = "down_proj";
  } experts;

  Activation activation = Activation::Silu;
  /// Rows of the embedding are multiplied by sqrt(width).
  bool scalesEmbedding = false;
};

/// The next-token logits [B, T, vocabulary] of `tokens` [B, T].  What routers
/// decide goes to `losses`, if given.
Tensor decoder(ModelBuilder &m, const DecoderConfig &config, Tensor tokens,
               RouterLosses *losses = nullptr);

/// `@loss` on `batch` sequences of `sequence` tokens; null after an error, which
/// is a diagnostic.
OwningOpRef<ModuleOp> buildDecoder(MLIRContext &context,
                                   const DecoderConfig &config, int64_t batch,
                                   int64_t sequence);

} // namespace mlir::frontend
