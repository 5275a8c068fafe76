//===- Granite.cpp - Granite 3, and 4 without Mamba and experts -----------===//
//
// Granite Team, "Granite 3.0 Language Models" (2024); Granite 4.0 (2025).  As
// Llama, but
//
//   embedding   times embedding_multiplier
//   scores      times attention_multiplier
//   parts       times residual_multiplier, before they are added to x
//   logits      divided by logits_scaling
//
// and of Granite 4
//
//   MLP         shared_mlp, whose input_linear gives both factors
//   rope        with position_embedding_type "rope", else none
//   biases      of attention alone
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

static DecoderConfig readGranites(ConfigFile &file, StringRef architecture) {
  DecoderConfig c = readDecoder(file, {.architecture = architecture});
  readHeads(file, c, HeadKeys::MayBeMissing, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c);
  readAttentionBias(file, c, false);
  c.embeddingScale = readFactor(file, "embedding_multiplier", 1);
  c.residualScale = readFactor(file, "residual_multiplier", 1);
  c.scoreScale = readFactor(file, "attention_multiplier", 1);
  c.logitScale = 1 / readFactor(file, "logits_scaling", 1);
  return c;
}

DecoderConfig frontend::readGranite(ConfigFile &file) {
  DecoderConfig c = readGranites(file, "GraniteForCausalLM");
  c.biasOfMlp = file.boolean("mlp_bias", false);
  return c;
}

/// All layers must have attention; those of a file that does not name them are
/// Mamba's.
static void refuseMamba(ConfigFile &file, const DecoderConfig &c) {
  // The name before transformers 5.
  StringRef key =
      file.has("layers_block_type") ? "layers_block_type" : "layer_types";
  std::vector<std::string> types = file.strings(key);
  for (const std::string &type : types)
    if (type != "attention" && type != "full_attention")
      file.fail(key + " has \"" + type +
                "\", but zeroc has no Mamba layers; use a model whose layers "
                "all have attention");
  if (types.empty())
    file.fail(key + " is missing, so all layers are Mamba's, which zeroc does "
                    "not have; use a model whose layers all have attention");
  if (int64_t(types.size()) != c.layers)
    file.fail(key + " has " + Twine(types.size()) +
              " entries for num_hidden_layers " + Twine(c.layers));
}

static void refuseExperts(ConfigFile &file) {
  if (int64_t count = file.integer("num_local_experts", 0, kMaxSize, 8))
    file.fail("num_local_experts is " + Twine(count) +
              (file.has("num_local_experts") ? "" : " by default") +
              ", but zeroc has no experts beside an MLP that all tokens pass "
              "(shared_mlp); use a model with num_local_experts 0");
}

DecoderConfig frontend::readGraniteHybrid(ConfigFile &file) {
  DecoderConfig c = readGranites(file, "GraniteMoeHybridForCausalLM");
  refuseMamba(file, c);
  refuseExperts(file);
  c.names.mlp = "shared_mlp";
  c.names.gateUp = "input_linear";
  c.names.down = "output_linear";
  c.innerWidth = readSize(file, "shared_intermediate_size");
  std::string positions = file.string("position_embedding_type", "nope");
  if (positions == "nope")
    c.turns.assign(c.layers, false);
  else if (positions != "rope")
    file.fail("position_embedding_type \"" + positions +
              "\" is not supported; supported: rope, nope");
  return c;
}
