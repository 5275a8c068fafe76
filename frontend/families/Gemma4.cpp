//===- Gemma4.cpp - Gemma 4, dense, of text -------------------------------===//
//
// Gemma 4 (2026).  As Gemma 3, but
//
//   norms      times weight; values are normed over each head, without one
//   scores     as they are
//   layers     without a window (each sixth, and the last): heads of
//              global_head_dim, rope of a part of the pairs; by
//              attention_k_eq_v values are those of keys,
//              num_global_key_value_heads of them
//   sharing    the last num_kv_shared_layers read keys and values of the last
//              layer of their kind before them
//   MLPs       by use_double_wide_mlp, of twice the width in these
//   per layer  a second embedding (E2B and E4B), and a number that multiplies
//              the layer's result
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

/// Newer versions of transformers write the sizes of each layer without a
/// window, as per_layer_config, in place of two keys for all of them.
static DecoderConfig::FullHeads readFullHeads(ConfigFile &file,
                                              const DecoderConfig &c) {
  const std::string layers = "per_layer_config";
  if (!file.has(layers)) {
    const int64_t width = readSize(file, "global_head_dim", 512);
    const int64_t heads =
        readSize(file, "num_global_key_value_heads", c.keyValueHeads);
    return {c.keysAreValues ? heads : c.keyValueHeads, width};
  }
  for (StringRef key : {"global_head_dim", "num_global_key_value_heads"})
    if (file.has(key))
      file.fail(key + " and per_layer_config say the same; keep one");
  std::optional<DecoderConfig::FullHeads> all;
  for (int64_t layer = 0; layer < c.layers; ++layer) {
    const std::string in = (layers + "." + Twine(layer)).str();
    for (const std::string &key : file.keysOf(in))
      if (key != "head_dim" && key != "num_key_value_heads")
        file.fail(in + "." + key +
                  " is not supported; supported: head_dim, "
                  "num_key_value_heads");
    const DecoderConfig::FullHeads own = {
        readSize(file, in + ".num_key_value_heads", c.keyValueHeads),
        readSize(file, in + ".head_dim", c.headWidth)};
    const bool slides = c.slidesAt(layer);
    const auto expected =
        slides ? DecoderConfig::FullHeads{c.keyValueHeads, c.headWidth}
               : all.value_or(own);
    if (own.headWidth != expected.headWidth ||
        own.keyValueHeads != expected.keyValueHeads)
      file.fail(in + " says " + Twine(own.keyValueHeads) + " heads of " +
                Twine(own.headWidth) + ", and layers of its kind have " +
                Twine(expected.keyValueHeads) + " of " +
                Twine(expected.headWidth) + "; zeroc has one for each kind");
    if (!slides)
      all = own;
  }
  return *all;
}

/// num_kv_shared_layers, and what these layers have.
static void readSharing(ConfigFile &file, DecoderConfig &c) {
  c.widensSharing = file.boolean("use_double_wide_mlp", false);
  c.sharingLayers = file.integer("num_kv_shared_layers", 0, c.layers - 1, 0);
  if (std::optional<int64_t> layer = c.findLayerWithoutKeys())
    file.fail("num_kv_shared_layers " + Twine(c.sharingLayers) +
              " leaves no layer with keys and values of its own of the kind of "
              "layer " +
              Twine(*layer));
}

static void readLayerEmbedding(ConfigFile &file, DecoderConfig &c) {
  const int64_t width =
      file.integer("hidden_size_per_layer_input", 0, kMaxSize, 256);
  const int64_t vocabulary =
      readSize(file, "vocab_size_per_layer_input", 262144);
  if (width == 0)
    return;
  if (vocabulary < c.vocabulary)
    file.fail("vocab_size_per_layer_input " + Twine(vocabulary) +
              " is less than vocab_size " + Twine(c.vocabulary) +
              ", so that some tokens have no row");
  c.layerEmbedding = {vocabulary, width};
}

DecoderConfig frontend::readGemma4(ConfigFile &file) {
  DecoderConfig c = readDecoder(
      file, {.architecture = file.isInside() ? "Gemma4ForConditionalGeneration"
                                             : "Gemma4ForCausalLM",
             .activationKey = "hidden_activation",
             .activation = "gelu_pytorch_tanh",
             .tied = true,
             .padding = 0});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MustBeThere);
  refuseTrue(file, "enable_moe_block",
             "zeroc has Gemma 4 without experts (E2B, E4B, 12B, 31B)");
  if (std::string images = file.string("use_bidirectional_attention", "vision");
      images != "vision")
    file.fail("use_bidirectional_attention \"" + images +
              "\" is not supported; zeroc's decoders are causal");
  c.names.afterAttention = "post_attention_layernorm";
  c.names.beforeMlp = "pre_feedforward_layernorm";
  c.names.afterMlp = "post_feedforward_layernorm";
  c.embeddingScale = std::sqrt(double(c.width));
  readAttentionBias(file, c, false);
  c.queryKeyNorm = c.valueNorm = c.scalesLayers = true;
  c.scoreScale = 1;
  c.logitCap = readCap(file, "final_logit_softcapping", std::nullopt);
  readWindowOfLayers(file, c, [&](int64_t layer) {
    return (layer + 1) % 6 != 0 && layer + 1 != c.layers;
  });
  if (!file.failed() && c.slidesAt(c.layers - 1))
    file.fail("layer_types ends with sliding_attention, which transformers "
              "takes for full_attention; write that");
  c.keysAreValues = file.boolean("attention_k_eq_v", false);
  if (file.failed())
    return c;
  c.fullHeads = readFullHeads(file, c);
  if (file.failed())
    return c;
  if (c.heads % c.fullHeads->keyValueHeads)
    file.fail("num_attention_heads " + Twine(c.heads) +
              " is not a multiple of the " + Twine(c.fullHeads->keyValueHeads) +
              " heads of keys and values of layers without a window");
  readSharing(file, c);
  readLayerEmbedding(file, c);

  for (StringRef key : {"rope_theta", "rope_scaling"})
    if (!file.isEmpty(key))
      file.fail(key + " is no key of gemma4_text; give rope_parameters, which "
                      "has one object for each kind of layers");
  static constexpr StringRef kTypes[] = {"default", "proportional"};
  const bool isGiven = !file.isEmpty("rope_parameters");
  DecoderConfig full = c;
  full.headWidth = c.fullHeads->headWidth;
  c.rope = readRope(file, full,
                    {.baseOtherwise = isGiven ? 10000 : 1e6,
                     .partOtherwise = isGiven ? 1 : 0.25,
                     .types = kTypes,
                     .typeOtherwise = isGiven ? "default" : "proportional"},
                    "full_attention");
  c.slidingRope = readRope(file, c, {.types = ArrayRef(kTypes).take_front()},
                           "sliding_attention");
  return c;
}
