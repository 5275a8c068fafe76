//===- GPT2Keys.cpp - GPT-2's config.json ---------------------------------===//
//
// Defaults are those of transformers' GPT2Config.  GPT-2 has its own key names;
// the model is in frontend/GPT2.cpp.
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

/// n_positions, which old files call n_ctx.
static int64_t readPositions(ConfigFile &file) {
  if (!file.has("n_ctx"))
    return readSize(file, "n_positions");
  int64_t context = readSize(file, "n_ctx");
  int64_t positions = readSize(file, "n_positions", context);
  if (positions != context)
    file.fail("n_positions " + Twine(positions) + " and n_ctx " +
              Twine(context) + " name the same size; keep one");
  return positions;
}

GPT2Config frontend::readGPT2(ConfigFile &file) {
  GPT2Config c;
  c.layers = file.integer("n_layer", 1, kMaxLayers);
  c.heads = readSize(file, "n_head");
  c.width = readSize(file, "n_embd");
  c.vocabulary = readSize(file, "vocab_size");
  c.positions = readPositions(file);
  c.innerWidth = readSize(file, "n_inner", 4 * c.width);
  c.normEps = readFactor(file, "layer_norm_epsilon", c.normEps);
  c.initStd = readInitStd(file);
  c.activation = readActivation(file, "activation_function", "gelu_new");
  c.tied = file.boolean("tie_word_embeddings", true);
  c.scaleAttention = file.boolean("scale_attn_weights", true);
  c.scaleByLayer = file.boolean("scale_attn_by_inverse_layer_idx", false);
  c.dropout = {.attention = readDropout(file, "attn_pdrop", 0.1),
               .residual = readDropout(file, "resid_pdrop", 0.1),
               .embedding = readDropout(file, "embd_pdrop", 0.1)};

  if (c.width % c.heads)
    file.fail("n_embd " + Twine(c.width) + " is not a multiple of n_head " +
              Twine(c.heads));
  refuseTrue(file, "add_cross_attention", "zeroc trains decoders alone");
  if (!file.isEmpty("pruned_heads"))
    file.fail("pruned_heads is not supported; remove it to train all heads");
  return c;
}
