//===- Mixtures.cpp - Mixtral, Qwen 3 MoE and OLMoE -----------------------===//
//
// Jiang et al., "Mixtral of Experts" (2024); "Qwen3 Technical Report" (2025);
// Muennighoff et al., "OLMoE" (2024).  As Llama, with a mixture of experts in
// the place of MLPs:
//
//                 Mixtral              Qwen 3 MoE               OLMoE
//   layers        all                  by decoder_sparse_step   all
//                                      and mlp_only_layers
//   weights       over their sum       by norm_topk_prob        norm_topk_prob
//   q, k          as they are          normed over each head    over all heads
//   window        sliding_window       use_sliding_window       none
//
// The load-balancing loss is added where Hugging Face adds it: with
// output_router_logits, times router_aux_loss_coef.
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

/// Reads the experts; `count` is the key of their number, or `otherCount`,
/// which newer versions write.
static void readExperts(ConfigFile &file, DecoderConfig &c, StringRef count,
                        StringRef otherCount, double balance) {
  DecoderConfig::Experts &e = c.experts;
  if (file.has(count) && file.has(otherCount))
    file.fail(count + " and " + otherCount + " say the same; keep one");
  if (file.has(otherCount))
    count = otherCount;
  e.count = readSize(file, count);
  e.chosen = readSize(file, "num_experts_per_tok");
  if (e.chosen > e.count)
    file.fail("num_experts_per_tok " + Twine(e.chosen) + " is more than " +
              count + " " + Twine(e.count));
  e.innerWidth = c.innerWidth;
  e.layers.assign(c.layers, true);
  double factor = file.number("router_aux_loss_coef", balance);
  if (!(factor >= 0) || !std::isfinite(float(factor)))
    file.fail("router_aux_loss_coef must not be negative, and finite in f32, "
              "got " +
              toText(factor));
  if (file.boolean("output_router_logits", false))
    e.balance = factor;
}

DecoderConfig frontend::readMixtral(ConfigFile &file) {
  DecoderConfig c = readDecoder(
      file, {.architecture = "MixtralForCausalLM", .normEps = 1e-5});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c, {.baseOtherwise = 1e6});
  readWindow(file, c, std::nullopt);
  readExperts(file, c, "num_local_experts", "num_experts", 0.001);
  c.experts.scope = "block_sparse_moe";
  c.experts.gate = "w1";
  c.experts.up = "w3";
  c.experts.down = "w2";
  if (double noise = file.number("router_jitter_noise", 0); noise != 0)
    file.fail("router_jitter_noise is " + toText(noise) +
              ", but zeroc's routers have no noise; set it to 0");
  return c;
}

DecoderConfig frontend::readQwen3Moe(ConfigFile &file) {
  DecoderConfig c = readDecoder(file, {.architecture = "Qwen3MoeForCausalLM"});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c);
  c.queryKeyNorm = true;
  readAttentionBias(file, c, false);
  if (file.boolean("use_sliding_window", false))
    readWindow(file, c, 4096);
  else
    (void)file.has("sliding_window"); // has no effect
  readExperts(file, c, "num_experts", "num_local_experts", 0.001);
  c.experts.innerWidth = readSize(file, "moe_intermediate_size");
  c.experts.normalize = file.boolean("norm_topk_prob", false);
  int64_t every = file.integer("decoder_sparse_step", 1, kMaxLayers, 1);
  for (int64_t layer = 0; layer < c.layers; ++layer)
    c.experts.layers[layer] = (layer + 1) % every == 0;
  for (int64_t layer : file.integers("mlp_only_layers"))
    if (layer >= 0 && layer < c.layers)
      c.experts.layers[layer] = false;
  return c;
}

DecoderConfig frontend::readOlmoe(ConfigFile &file) {
  DecoderConfig c = readDecoder(
      file,
      {.architecture = "OlmoeForCausalLM", .normEps = 1e-5, .padding = 1});
  readHeads(file, c, HeadKeys::MayBeMissing, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c);
  c.queryKeyNormOfAll = true;
  readAttentionBias(file, c, false);
  readExperts(file, c, "num_experts", "num_local_experts", 0.01);
  c.experts.normalize = file.boolean("norm_topk_prob", false);
  if (file.has("clip_qkv"))
    file.fail("clip_qkv is " + toText(file.number("clip_qkv", 0)) +
              ", but zeroc does not clip queries, keys and values; set it to "
              "null");
  return c;
}
