//===- LFM2.cpp - LFM2 and LFM2.5, dense ----------------------------------===//
//
// Liquid AI, "LFM2 Technical Report" (2025).  As Llama, but
//
//   layers      by layer_types, or full_attn_idxs: attention, or a convolution
//               with gates (conv_L_cache positions)
//   q, k        normed over each head
//   MLP         block_ff_dim, by default made smaller by two thirds and rounded
//               up to block_multiple_of
//   embedding   tied
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

/// The inner width of MLPs, from what the file says.
static int64_t readInnerWidth(ConfigFile &file, int64_t width) {
  width = readSize(file, "block_ff_dim", width);
  const bool adjusts = file.boolean("block_auto_adjust_ff_dim", true);
  const double factor = file.number("block_ffn_dim_multiplier", 1);
  const int64_t multiple = readSize(file, "block_multiple_of", 256);
  if (!adjusts)
    return width;
  width = 2 * width / 3;
  if (file.mentions("block_ffn_dim_multiplier") &&
      !file.has("block_ffn_dim_multiplier"))
    return width;
  width = int64_t(factor * double(width));
  if (width < 1 || width > kMaxSize)
    file.fail("block_ffn_dim_multiplier " + toText(factor) + " makes MLPs of " +
              Twine(width) + " elements");
  return (width + multiple - 1) / multiple * multiple;
}

DecoderConfig frontend::readLFM2(ConfigFile &file) {
  // Older names.
  if (file.has("block_ff_dim"))
    file.assume("intermediate_size", readSize(file, "block_ff_dim"));
  const bool tied = file.boolean("tie_embedding", true);
  if (file.has("tie_embedding") && file.has("tie_word_embeddings") &&
      file.boolean("tie_word_embeddings", true) != tied)
    file.fail("tie_embedding and tie_word_embeddings say the same, and differ; "
              "keep one");
  DecoderConfig c = readDecoder(file, {.architecture = "Lfm2ForCausalLM",
                                       .normEpsKey = "norm_eps",
                                       .normEps = 1e-5,
                                       .tied = tied,
                                       .padding = 0});
  c.innerWidth = readInnerWidth(file, c.innerWidth);
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c, {.baseOtherwise = 1e6});
  c.queryKeyNorm = true;
  refuseTrue(file, "conv_bias", "zeroc has no biases of convolutions");
  c.convTaps = readSize(file, "conv_L_cache", 3);
  c.names.norm = "embedding_norm";
  c.names.beforeAttention = "operator_norm";
  c.names.beforeMlp = "ffn_norm";
  c.names.out = "out_proj";
  c.names.queryNorm = "q_layernorm";
  c.names.keyNorm = "k_layernorm";
  c.names.mlp = "feed_forward";
  c.names.gate = "w1";
  c.names.up = "w3";
  c.names.down = "w2";
  const std::vector<int64_t> attentive = file.integers("full_attn_idxs");
  readMixers(file, c, DecoderConfig::Mixer::Conv, "conv", [&](int64_t layer) {
    return !file.has("full_attn_idxs") || llvm::is_contained(attentive, layer);
  });
  return c;
}
