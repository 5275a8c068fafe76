//===- Olmo.cpp - OLMo 2 and 3 --------------------------------------------===//
//
// Team OLMo, "2 OLMo 2 Furious" (2025); "Olmo 3" (2025).  As Llama, but
//
//   norms       after attention and MLP, none before them
//   q, k        normed over all heads together
//   window      OLMo 3: of all layers but each fourth
//   rope        OLMo 3: scaled in layers without a window alone
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

static DecoderConfig readOlmo(ConfigFile &file, StringRef architecture) {
  DecoderConfig c = readDecoder(
      file, {.architecture = architecture, .normEps = 1e-5, .padding = 1});
  readHeads(file, c, HeadKeys::MayBeMissing, HeadKeys::MayBeMissing);
  readAttentionBias(file, c, false);
  c.names.beforeAttention = c.names.beforeMlp = "";
  c.names.afterAttention = "post_attention_layernorm";
  c.names.afterMlp = "post_feedforward_layernorm";
  c.queryKeyNormOfAll = true;
  return c;
}

DecoderConfig frontend::readOlmo2(ConfigFile &file) {
  DecoderConfig c = readOlmo(file, "Olmo2ForCausalLM");
  c.rope = readRope(file, c);
  return c;
}

DecoderConfig frontend::readOlmo3(ConfigFile &file) {
  constexpr double kBase = 5e5;
  DecoderConfig c = readOlmo(file, "Olmo3ForCausalLM");
  double base = file.number("rope_theta", kBase);
  if (base != kBase &&
      !file.has("rope_parameters.sliding_attention.rope_theta"))
    file.fail("rope_theta is " + toText(base) +
              ", which transformers uses only in layers without a window; give "
              "rope_parameters, which has one for each kind of layers");
  c.rope = readRope(file, c, {.baseOtherwise = kBase}, "full_attention");
  c.slidingRope =
      readRope(file, c, {.baseOtherwise = kBase}, "sliding_attention");
  readWindowOfLayers(file, c,
                     [](int64_t layer) { return (layer + 1) % 4 != 0; });
  return c;
}
