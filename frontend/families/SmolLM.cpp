//===- SmolLM.cpp - SmolLM 3 ----------------------------------------------===//
//
// Bakouch et al., "SmolLM3" (2025).  As Llama, but
//
//   rope        none in layers of which no_rope_layers says 0, by default each
//               no_rope_layer_interval-th
//   window      with use_sliding_window, of the layers without rope
//   embedding   tied
//
// SmolLM 1 and 2 are Llama.
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

/// Layers whose queries and keys turn.
static std::vector<bool> readTurns(ConfigFile &file, const DecoderConfig &c) {
  std::vector<bool> turns;
  int64_t interval = readSize(file, "no_rope_layer_interval", 4);
  std::vector<int64_t> given = file.integers("no_rope_layers");
  if (file.has("no_rope_layers") && int64_t(given.size()) < c.layers)
    file.fail("no_rope_layers has " + Twine(given.size()) +
              " entries for num_hidden_layers " + Twine(c.layers));
  for (int64_t entry : given)
    if (entry != 0 && entry != 1)
      file.fail("no_rope_layers has " + Twine(entry) +
                "; give 1 for layers with rotary positions and 0 for others");
  turns.reserve(c.layers);
  for (int64_t layer = 0; layer < c.layers; ++layer)
    turns.push_back(layer < int64_t(given.size())
                        ? given[layer] == 1
                        : (layer + 1) % interval != 0);
  return turns;
}

DecoderConfig frontend::readSmolLM3(ConfigFile &file) {
  DecoderConfig c = readDecoder(
      file,
      {.architecture = "SmolLM3ForCausalLM", .tied = true, .padding = 128004});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c, {.baseOtherwise = 2e6});
  c.turns = readTurns(file, c);
  readAttentionBias(file, c, false);
  c.biasOfMlp = file.boolean("mlp_bias", false);
  readChosenWindow(file, c, [&](int64_t layer) { return !c.turns[layer]; });
  return c;
}
