//===- Exaone.cpp - EXAONE 4 ----------------------------------------------===//
//
// LG AI Research, "EXAONE 4.0" (2025).  As Llama, but
//
//   norms       after attention and MLP, none before them
//   q, k        normed over each head
//   window      of all layers but each sliding_window_pattern-th
//   rope        where layers slide alone, if there are windows
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

DecoderConfig frontend::readExaone4(ConfigFile &file) {
  DecoderConfig c = readDecoder(
      file, {.architecture = "Exaone4ForCausalLM", .normEps = 1e-5});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MayBeMissing);
  c.names.beforeAttention = c.names.beforeMlp = "";
  c.names.afterAttention = "post_attention_layernorm";
  c.names.afterMlp = "post_feedforward_layernorm";
  c.queryKeyNorm = true;
  c.rope = readRope(file, c);
  bool hasWindow =
      file.has("sliding_window") || !file.mentions("sliding_window");
  // Beside layer_types it may be a text, without effect.
  int64_t pattern = file.isEmpty("layer_types")
                        ? readSize(file, "sliding_window_pattern", 4)
                        : 1;
  readWindowOfLayers(file, c, [&](int64_t layer) {
    return hasWindow && (layer + 1) % pattern != 0;
  });
  if (hasWindow)
    c.turns = c.slides;
  return c;
}
