//===- Cohere.cpp - Command R7B and Command A -----------------------------===//
//
// Cohere, "Command A" (2025).  As Llama, but
//
//   blocks      attention and MLP side by side, after one norm
//   norms       LayerNorm without bias
//   window      of all layers but each sliding_window_pattern-th
//   rope        where layers slide alone; pairs are neighbours
//   logits      times logit_scale
//   embedding   tied
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

DecoderConfig frontend::readCohere2(ConfigFile &file) {
  DecoderConfig c = readDecoder(file, {.architecture = "Cohere2ForCausalLM",
                                       .normEpsKey = "layer_norm_eps",
                                       .normEps = 1e-5,
                                       .tied = true,
                                       .padding = 0});
  readHeads(file, c, HeadKeys::MayBeMissing, HeadKeys::MayBeMissing);
  c.names.beforeMlp = "";
  c.norm = DecoderConfig::Norm::LayerNoBias;
  c.parallel = true;
  readAttentionBias(file, c, false);
  c.rope = readRope(file, c);
  c.interleavedRope = true;
  std::string positions =
      file.string("position_embedding_type", StringRef("rope_gptj"));
  if (positions != "rope_gptj")
    file.fail("position_embedding_type \"" + positions +
              "\" is not supported; supported: rope_gptj");
  int64_t pattern = readSize(file, "sliding_window_pattern", 4);
  readWindowOfLayers(file, c,
                     [&](int64_t layer) { return (layer + 1) % pattern != 0; });
  c.turns = c.slides;
  c.logitScale = readFactor(file, "logit_scale", 0.0625);
  return c;
}
