//===- GPTNeoX.cpp - GPT-NeoX and Pythia ----------------------------------===//
//
// Black et al., "GPT-NeoX-20B" (2022); Biderman et al., "Pythia" (2023).  As
// Llama, but
//
//   blocks      attention and MLP side by side, unless use_parallel_residual
//               is false
//   norms       LayerNorm, with biases
//   products    query_key_value gives them head by head; biases everywhere
//   MLP         two products, gelu
//   rope        of rotary_pct of a head, by default a quarter; rotary_emb_base
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

/// Some versions write a number under two names, but read only `key`.
static void refuseDisagreement(ConfigFile &file, StringRef key, StringRef other,
                               double otherwise) {
  double value = file.number(key, otherwise),
         otherValue = file.number(other, value);
  if (value != otherValue)
    file.fail(
        other + " is " + toText(otherValue) + ", but " + key +
        (file.has(key) ? " is " : ", which gpt_neox reads, is by default ") +
        toText(value) + "; make them agree");
}

DecoderConfig frontend::readGPTNeoX(ConfigFile &file) {
  DecoderConfig c =
      readDecoder(file, {.architecture = "GPTNeoXForCausalLM",
                         .normEpsKey = "layer_norm_eps",
                         .activation = "gelu",
                         .normEps = 1e-5,
                         .hasPadding = false,
                         .residualDropoutKey = "hidden_dropout",
                         .embeddingDropoutKey = "hidden_dropout"});
  c.names = {.model = "gpt_neox",
             .embedding = "embed_in",
             .norm = "final_layer_norm",
             .head = "embed_out",
             .attention = "attention",
             .out = "dense",
             .qkv = "query_key_value",
             .up = "dense_h_to_4h",
             .down = "dense_4h_to_h",
             .gate = ""};
  readEqualHeads(file, c);
  c.norm = DecoderConfig::Norm::Layer;
  c.parallel = file.boolean("use_parallel_residual", true);
  c.qkvByHead = true;
  readAttentionBias(file, c, true);
  c.biasOfMlp = true;
  if (file.isEmpty("rope_parameters")) {
    refuseDisagreement(file, "rotary_emb_base", "rope_theta", 10000);
    refuseDisagreement(file, "rotary_pct", "partial_rotary_factor", 0.25);
  }
  c.rope = readRope(
      file, c,
      {.base = "rotary_emb_base", .part = "rotary_pct", .partOtherwise = 0.25});
  return c;
}
