//===- Gemma.cpp - Gemma 2 and 3, of text ---------------------------------===//
//
// Gemma Team, "Gemma 2" (2024), "Gemma 3 Technical Report" (2025).  As Llama,
// but
//
//                 Gemma 2                       Gemma 3
//   embedding     tied, and times sqrt(hidden_size)
//   norms         1 + weight, before and after attention and MLP
//   activation    hidden_activation, gelu_pytorch_tanh
//   scores        times query_pre_attn_scalar^-1/2
//   caps          of scores, and of logits      of logits, by default none
//   q, k          as they are                   normed over each head
//   window        of each second layer, from    of all layers but each
//                 the first on                  sliding_window_pattern-th
//   rope          one                           base 10,000 where layers slide
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

static DecoderConfig readGemma(ConfigFile &file, StringRef architecture) {
  DecoderConfig c = readDecoder(file, {.architecture = architecture,
                                       .activationKey = "hidden_activation",
                                       .activation = "gelu_pytorch_tanh",
                                       .tied = true,
                                       .padding = 0});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MustBeThere);
  refuseTrue(file, "use_bidirectional_attention",
             "zeroc's decoders are causal");
  // Files have this key, too, which transformers does not read.
  if (file.has("hidden_act") &&
      readActivation(file, "hidden_act", "") != c.activation)
    file.fail("hidden_act is another function than hidden_activation, which "
              "is the one of this model_type; remove it");
  c.names.afterAttention = "post_attention_layernorm";
  c.names.beforeMlp = "pre_feedforward_layernorm";
  c.names.afterMlp = "post_feedforward_layernorm";
  c.norm = DecoderConfig::Norm::RmsOffset;
  c.embeddingScale = std::sqrt(double(c.width));
  readAttentionBias(file, c, false);
  c.scoreScale =
      1 / std::sqrt(double(readSize(file, "query_pre_attn_scalar", 256)));
  return c;
}

DecoderConfig frontend::readGemma2(ConfigFile &file) {
  DecoderConfig c = readGemma(file, "Gemma2ForCausalLM");
  c.scoreCap = readCap(file, "attn_logit_softcapping", 50);
  c.logitCap = readCap(file, "final_logit_softcapping", 30);
  c.rope = readRope(file, c);
  readWindowOfLayers(file, c, [](int64_t layer) { return layer % 2 == 0; });
  return c;
}

DecoderConfig frontend::readGemma3(ConfigFile &file) {
  // Files of gemma3, which has images, leave these out.
  if (file.isInside())
    for (auto [key, size] :
         std::initializer_list<std::pair<StringRef, int64_t>>{
             {"vocab_size", 262208},
             {"max_position_embeddings", 131072},
             {"num_attention_heads", 8},
             {"num_key_value_heads", 4},
             {"head_dim", 256}})
      file.assume(key, size);
  DecoderConfig c = readGemma(file, "Gemma3ForCausalLM");
  c.queryKeyNorm = true;
  if (readCap(file, "attn_logit_softcapping", std::nullopt))
    file.fail("attn_logit_softcapping is no part of gemma3_text, whose "
              "attention leaves it out; set it to null");
  c.logitCap = readCap(file, "final_logit_softcapping", std::nullopt);
  c.rope = readRope(file, c, {.baseOtherwise = 1e6}, "full_attention");
  c.slidingRope =
      readRope(file, c, {.base = "rope_local_base_freq"}, "sliding_attention");
  int64_t pattern = readSize(file, "sliding_window_pattern", 6);
  readWindowOfLayers(file, c,
                     [&](int64_t layer) { return (layer + 1) % pattern != 0; });
  return c;
}
