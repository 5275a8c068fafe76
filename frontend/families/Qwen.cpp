//===- Qwen.cpp - Qwen 2, 2.5 and 3, and the text of Qwen 3 VL ------------===//
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
//===----------------------------------------------------------------------===//
#include "frontend/families/Families.h"
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

static void readQwenWindow(ConfigFile &file, DecoderConfig &c) {
  bool used = file.boolean("use_sliding_window", false) &&
              (file.has("sliding_window") || !file.mentions("sliding_window"));
  int64_t from = file.integer("max_window_layers", 0, kMaxLayers, 28);
  readWindowOfLayers(file, c,
                     [&](int64_t layer) { return used && layer >= from; });
  if (!used && c.window > 0)
    file.fail("layer_types has sliding_attention, but use_sliding_window is "
              "false; make them agree");
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
                   {.baseOtherwise = 5e5, .hasParts = true});
}
