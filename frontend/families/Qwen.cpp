//===- Qwen.cpp - Qwen 2 to 3.5, and the text of Qwen 3 VL ----------------===//
//
// Yang et al., "Qwen2 Technical Report" (2024), "Qwen3 Technical Report"
// (2025).  As Llama, but
//
//                 Qwen 2                        Qwen 3
//   heads         head_dim may be missing       head_dim must be there
//   q, k          as they are                   normed over each head
//   biases        of q, k and v                 by attention_bias, of all four
//   window        with use_sliding_window, of layers from max_window_layers on
//
// Of Qwen 3 VL, the text: as Qwen 3 without windows.  Its rotary positions have
// three parts (mrope), which are equal for text.
//
// Qwen 3.5 (2026), and later ones of its model_type: as Qwen 3, but
//
//   layers    each full_attention_interval-th has attention, the others a state
//             (Gated DeltaNet)
//   norms     1 + weight, but of the state's output
//   q_proj    also gives gates of the heads' output
//   rope      of a quarter of a head
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

/// Parts of positions, which are equal for text.
static constexpr StringRef kPositionParts[] = {"mrope_section",
                                               "mrope_interleaved"};

static void readQwenWindow(ConfigFile &file, DecoderConfig &c) {
  int64_t from = file.integer("max_window_layers", 0, kMaxLayers, 28);
  readChosenWindow(file, c, [&](int64_t layer) { return layer >= from; });
}

DecoderConfig frontend::readQwen2(ConfigFile &file) {
  DecoderConfig c = readDecoder(file, {.architecture = "Qwen2ForCausalLM"});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MayBeMissing);
  c.rope = readRope(file, c);
  c.biasOfQkv = true;
  readQwenWindow(file, c);
  return c;
}

static DecoderConfig readThird(ConfigFile &file, StringRef architecture,
                               const RopeKeys &rope) {
  DecoderConfig c = readDecoder(file, {.architecture = architecture});
  readHeads(file, c, HeadKeys::MustBeThere, HeadKeys::MustBeThere);
  c.rope = readRope(file, c, rope);
  c.queryKeyNorm = true;
  readAttentionBias(file, c, false);
  return c;
}

DecoderConfig frontend::readQwen3(ConfigFile &file) {
  DecoderConfig c = readThird(file, "Qwen3ForCausalLM", {});
  readQwenWindow(file, c);
  return c;
}

DecoderConfig frontend::readQwen3VL(ConfigFile &file) {
  if (!file.isInside())
    file.fail("model_type qwen3_vl_text is the text of a model of images; "
              "name the config.json of qwen3_vl, which has it inside");
  return readThird(file, "Qwen3VLForConditionalGeneration",
                   {.baseOtherwise = 5e5, .others = kPositionParts});
}

/// linear_*: sizes of layers that keep a state.
static void readDelta(ConfigFile &file, DecoderConfig &c) {
  DeltaLayer &delta = c.delta;
  delta = {readSize(file, "linear_num_key_heads"),
           readSize(file, "linear_num_value_heads"),
           readSize(file, "linear_key_head_dim"),
           readSize(file, "linear_value_head_dim"),
           readSize(file, "linear_conv_kernel_dim", 4),
           c.normEps,
           c.initStd,
           c.activation};
  if (delta.valueHeads % delta.keyHeads)
    file.fail("linear_num_value_heads " + Twine(delta.valueHeads) +
              " is not a multiple of linear_num_key_heads " +
              Twine(delta.keyHeads));
  const int64_t interval = readSize(file, "full_attention_interval", 4);
  readMixers(file, c, DecoderConfig::Mixer::Delta, "linear_attention",
             [&](int64_t layer) { return (layer + 1) % interval == 0; });
}

DecoderConfig frontend::readQwen35(ConfigFile &file) {
  DecoderConfig c =
      readThird(file,
                file.isInside() ? "Qwen3_5ForConditionalGeneration"
                                : "Qwen3_5ForCausalLM",
                {.part = "partial_rotary_factor",
                 .partOtherwise = 0.25,
                 .others = kPositionParts});
  c.norm = DecoderConfig::Norm::RmsOffset;
  c.gatesAttention = true;
  readDelta(file, c);
  return c;
}
