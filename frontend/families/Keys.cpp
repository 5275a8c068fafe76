//===- Keys.cpp - Keys of config.json that families share -----------------===//
#include "frontend/families/Keys.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

//===----------------------------------------------------------------------===//
// Single keys
//===----------------------------------------------------------------------===//

const Activation *frontend::readActivation(ConfigFile &file, StringRef key,
                                           StringRef otherwise) {
  std::string name = file.string(key, otherwise);
  if (const Activation *activation = findActivation(name))
    return activation;
  SmallVector<StringRef> known;
  for (const Activation &one : kActivations)
    for (StringRef each : {one.name, one.other})
      if (!each.empty())
        known.push_back(each);
  file.fail(key + " \"" + name +
            "\" is not supported; supported: " + llvm::join(known, ", "));
  return kActivations;
}

// Values are computed in f32; one that is infinite or 0 there is an error.

double frontend::readFactor(ConfigFile &file, StringRef key, double otherwise) {
  double factor = file.number(key, otherwise);
  if (!(float(factor) > 0) || !std::isfinite(float(factor)))
    file.fail(key + " must be positive and finite in f32, got " +
              toText(factor));
  return factor;
}

double frontend::readInitStd(ConfigFile &file, double otherwise) {
  double std = file.number("initializer_range", otherwise) + 0.0; // not -0.0
  if (!(std >= 0) || !std::isfinite(float(std)) || (std > 0 && float(std) == 0))
    file.fail(
        "initializer_range must not be negative, and finite in f32, got " +
        toText(std));
  return std;
}

std::optional<double> frontend::readCap(ConfigFile &file, StringRef key,
                                        std::optional<double> otherwise) {
  if (!file.mentions(key))
    return otherwise;
  if (!file.has(key))
    return std::nullopt;
  double cap = file.number(key, 1);
  if (!(float(cap) > 0) || !std::isfinite(float(cap)))
    file.fail(key + " must be positive and finite in f32, got " + toText(cap) +
              "; null for none");
  return cap;
}

double frontend::readDropout(ConfigFile &file, StringRef key,
                             double otherwise) {
  double rate = file.number(key, otherwise);
  if (!(rate >= 0 && rate < 1))
    file.fail(key + " must be at least 0 and below 1, got " + toText(rate));
  return rate;
}

void frontend::refuseTrue(ConfigFile &file, StringRef key, StringRef fix) {
  if (file.boolean(key, false))
    file.fail(key + " is not supported; " + fix + ", so set it to false");
}

//===----------------------------------------------------------------------===//
// Keys of every decoder
//===----------------------------------------------------------------------===//

static void refuseOtherTasks(ConfigFile &file, StringRef architecture) {
  StringRef family = architecture;
  if (!family.consume_back("ForCausalLM"))
    family.consume_back("LMHeadModel");
  const std::string scores = (family + "ForSequenceClassification").str();
  for (const std::string &name : file.strings("architectures"))
    if (name != architecture && !(file.mayScore && name == scores))
      file.fail("architectures names " + name + ", but zeroc trains " +
                architecture +
                (name == scores ? "; give the objective of its head "
                                  "(--objective=reward or classify)"
                                : "; use a config of that"));
  refuseTrue(file, "is_encoder_decoder", "zeroc trains decoders alone");
  refuseTrue(file, "add_cross_attention", "zeroc trains decoders alone");
  if (!file.isEmpty("quantization_config"))
    file.fail("quantization_config is not supported; zeroc trains weights of "
              "f32, bf16 or fp16, so use the model before it was quantized");
}

/// pad_token_id; PyTorch counts a negative one from the end.
static void readPadding(ConfigFile &file, DecoderConfig &c,
                        std::optional<int64_t> otherwise) {
  if (!file.mentions("pad_token_id")) {
    if (otherwise && *otherwise < c.vocabulary)
      c.padding = otherwise;
    return;
  }
  if (!file.has("pad_token_id"))
    return;
  int64_t token = file.integer("pad_token_id", -c.vocabulary, c.vocabulary - 1);
  c.padding = token < 0 ? token + c.vocabulary : token;
}

DecoderConfig frontend::readDecoder(ConfigFile &file,
                                    const Defaults &defaults) {
  refuseOtherTasks(file, defaults.architecture);
  DecoderConfig c;
  c.dropout.attention = readDropout(file, "attention_dropout");
  if (!defaults.residualDropoutKey.empty())
    c.dropout.residual = readDropout(file, defaults.residualDropoutKey);
  if (!defaults.embeddingDropoutKey.empty())
    c.dropout.embedding = readDropout(file, defaults.embeddingDropoutKey);
  c.layers = file.integer("num_hidden_layers", 1, kMaxLayers);
  c.width = readSize(file, "hidden_size");
  c.innerWidth = readSize(file, "intermediate_size");
  c.vocabulary = readSize(file, "vocab_size");
  c.positions = readSize(file, "max_position_embeddings");
  c.normEps = readFactor(file, defaults.normEpsKey, defaults.normEps);
  c.activation =
      readActivation(file, defaults.activationKey, defaults.activation);
  c.initStd = readInitStd(file, defaults.initStd);
  c.tied = file.boolean("tie_word_embeddings", defaults.tied);
  if (defaults.hasPadding)
    readPadding(file, c, defaults.padding);
  return c;
}

/// Divides hidden_size by the number of heads.
static void shareWidth(ConfigFile &file, DecoderConfig &c) {
  c.headWidth = std::max(c.width / c.heads, int64_t{1});
  if (c.width % c.heads)
    file.fail("hidden_size " + Twine(c.width) +
              " is not a multiple of num_attention_heads " + Twine(c.heads));
}

void frontend::readHeads(ConfigFile &file, DecoderConfig &c,
                         HeadKeys keyValueHeads, HeadKeys headWidth) {
  c.heads = readSize(file, "num_attention_heads");
  // Null is the same as a missing key if there is a default.
  bool hasDefault = keyValueHeads == HeadKeys::MayBeMissing ||
                    file.mentions("num_key_value_heads");
  c.keyValueHeads =
      readSize(file, "num_key_value_heads",
               hasDefault ? std::optional(c.heads) : std::nullopt);
  if (c.heads % c.keyValueHeads)
    file.fail("num_attention_heads " + Twine(c.heads) +
              " is not a multiple of num_key_value_heads " +
              Twine(c.keyValueHeads));
  if (file.has("head_dim") || headWidth == HeadKeys::MustBeThere)
    c.headWidth = readSize(file, "head_dim");
  else
    shareWidth(file, c);
}

void frontend::readEqualHeads(ConfigFile &file, DecoderConfig &c) {
  c.heads = c.keyValueHeads = readSize(file, "num_attention_heads");
  shareWidth(file, c);
}

void frontend::readAttentionBias(ConfigFile &file, DecoderConfig &c,
                                 bool otherwise) {
  c.biasOfQkv = c.biasOfOut = file.boolean("attention_bias", otherwise);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

void frontend::readWindow(ConfigFile &file, DecoderConfig &c,
                          std::optional<int64_t> otherwise) {
  if (!file.isEmpty("layer_types"))
    file.fail("layer_types is not supported for this model_type, whose layers "
              "are all alike; remove it");
  if (!file.has("sliding_window") &&
      (!otherwise || file.mentions("sliding_window")))
    return;
  c.window = readSize(file, "sliding_window", otherwise);
  c.slides.assign(c.layers, true);
}

void frontend::readWindowOfLayers(
    ConfigFile &file, DecoderConfig &c,
    llvm::function_ref<bool(int64_t layer)> slides) {
  c.slides.clear();
  for (const std::string &type : file.strings("layer_types")) {
    if (type != "sliding_attention" && type != "full_attention")
      file.fail("layer_types has \"" + type +
                "\", which is not supported; supported: full_attention, "
                "sliding_attention");
    c.slides.push_back(type == "sliding_attention");
  }
  if (c.slides.empty())
    for (int64_t layer = 0; layer < c.layers; ++layer)
      c.slides.push_back(slides(layer));
  if (int64_t(c.slides.size()) != c.layers)
    file.fail("layer_types has " + Twine(c.slides.size()) +
              " entries for num_hidden_layers " + Twine(c.layers));
  if (llvm::is_contained(c.slides, true))
    c.window = readSize(file, "sliding_window");
  else
    (void)file.has("sliding_window"); // has no effect
}

void frontend::readChosenWindow(
    ConfigFile &file, DecoderConfig &c,
    llvm::function_ref<bool(int64_t layer)> slides) {
  bool used = file.boolean("use_sliding_window", false) &&
              (file.has("sliding_window") || !file.mentions("sliding_window"));
  readWindowOfLayers(file, c,
                     [&](int64_t layer) { return used && slides(layer); });
  if (!used && c.window > 0)
    file.fail("layer_types has sliding_attention, but use_sliding_window is "
              "false; make them agree");
}

void frontend::readMixers(ConfigFile &file, DecoderConfig &c,
                          DecoderConfig::Mixer mixer, StringRef name,
                          llvm::function_ref<bool(int64_t layer)> attends) {
  using Mixer = DecoderConfig::Mixer;
  for (const std::string &type : file.strings("layer_types")) {
    if (type != name && type != "full_attention")
      file.fail("layer_types has \"" + type +
                "\", which is not supported; supported: full_attention, " +
                name);
    c.mixers.push_back(type == name ? mixer : Mixer::Attention);
  }
  if (c.mixers.empty())
    for (int64_t layer = 0; layer < c.layers; ++layer)
      c.mixers.push_back(attends(layer) ? Mixer::Attention : mixer);
  if (int64_t(c.mixers.size()) != c.layers)
    file.fail("layer_types has " + Twine(c.mixers.size()) +
              " entries for num_hidden_layers " + Twine(c.layers));
}
