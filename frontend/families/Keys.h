//===- Keys.h - Keys of config.json that families share ---------*- C++ -*-===//
//
// Each function reads the keys it names, with Hugging Face's meaning, and fails
// the file if zeroc does not support their values.  Sizes have no defaults: a
// model of the wrong size is useless.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/ConfigFile.h"
#include "frontend/Decoder.h"

namespace mlir::frontend {

/// Ids have 32 bits; other sizes get the same bound.
inline constexpr int64_t kMaxSize = INT32_MAX;
/// A larger number is a typing error, and would exhaust memory before it
/// failed.
inline constexpr int64_t kMaxLayers = 10000;

inline int64_t readSize(ConfigFile &file, StringRef key,
                        std::optional<int64_t> otherwise = {}) {
  return file.integer(key, 1, kMaxSize, otherwise);
}

/// A family's names of its keys, and its defaults.
struct Defaults {
  StringRef architecture;
  StringRef normEpsKey = "rms_norm_eps", activationKey = "hidden_act",
            activation = "silu";
  double normEps = 1e-6, initStd = 0.02;
  bool tied = false;
  bool hasPadding = true;
  std::optional<int64_t> padding = std::nullopt;
  /// Rates of dropout beside attention_dropout; "" if there is no such dropout.
  StringRef residualDropoutKey = "", embeddingDropoutKey = "";
};

/// Reads the keys of every decoder: sizes except those of heads, norms, the
/// activation, initial values, padding, dropout.  Refuses heads for other
/// tasks.
DecoderConfig readDecoder(ConfigFile &file, const Defaults &defaults);

enum class HeadKeys {
  /// The defaults are num_attention_heads, and hidden_size divided by it.
  MayBeMissing,
  /// Must exist, since Hugging Face's defaults are the numbers of one model.
  MustBeThere,
};
/// num_attention_heads, num_key_value_heads, head_dim.
void readHeads(ConfigFile &file, DecoderConfig &c, HeadKeys keyValueHeads,
               HeadKeys headWidth);

/// num_attention_heads of equal width, each with its own keys and values.
void readEqualHeads(ConfigFile &file, DecoderConfig &c);

/// attention_bias: of queries, keys, values and the output projection.
void readAttentionBias(ConfigFile &file, DecoderConfig &c, bool otherwise);

/// Types of rotary frequencies that most families have.
inline constexpr StringRef kRopeTypes[] = {"default", "linear", "llama3",
                                           "yarn"};

struct RopeKeys {
  StringRef base = "rope_theta";
  double baseOtherwise = 10000;
  /// The key of the rotated fraction of a head, if the family has one.
  StringRef part = "";
  double partOtherwise = 1;
  /// The types that the family has, and the one where nothing says it.
  ArrayRef<StringRef> types = kRopeTypes;
  StringRef typeOtherwise = "default";
  /// Keys of rope_parameters that the family reads itself.
  ArrayRef<StringRef> others = {};
};
/// Computes rotary frequencies from rope_theta and rope_scaling, or from
/// rope_parameters, which contains both in newer versions.  `layers` names the
/// object in rope_parameters for one kind of layers.
Rope readRope(ConfigFile &file, const DecoderConfig &c,
              const RopeKeys &keys = {}, StringRef layers = "");

/// Reads sliding_window, used by all layers; `otherwise` where the key is
/// missing.
void readWindow(ConfigFile &file, DecoderConfig &c,
                std::optional<int64_t> otherwise);
/// Same, for the layers that layer_types names, or by default `slides`.
void readWindowOfLayers(ConfigFile &file, DecoderConfig &c,
                        llvm::function_ref<bool(int64_t layer)> slides);
/// Same, where only use_sliding_window gives layers windows.
void readChosenWindow(ConfigFile &file, DecoderConfig &c,
                      llvm::function_ref<bool(int64_t layer)> slides);

/// Reads what mixes positions in each layer: layer_types has `mixer` under a
/// name, and full_attention; without it, `attends` says where attention does.
void readMixers(ConfigFile &file, DecoderConfig &c, DecoderConfig::Mixer mixer,
                StringRef name,
                llvm::function_ref<bool(int64_t layer)> attends);

/// Reads a positive number; none for null, `otherwise` where the key is
/// missing.
std::optional<double> readCap(ConfigFile &file, StringRef key,
                              std::optional<double> otherwise);

/// Reads the activation that a key names.
const Activation *readActivation(ConfigFile &file, StringRef key,
                                 StringRef otherwise);
/// Reads a number that is positive and finite in f32.
double readFactor(ConfigFile &file, StringRef key, double otherwise);
/// Reads initializer_range.
double readInitStd(ConfigFile &file, double otherwise = 0.02);
/// Reads a rate of dropout.
double readDropout(ConfigFile &file, StringRef key, double otherwise = 0);
/// Fails for unread keys of other families, unless their value has no effect.
void refuseOtherKeys(ConfigFile &file, StringRef modelType);
/// Fails if `key` is true; `fix` says what zeroc does instead.
void refuseTrue(ConfigFile &file, StringRef key, StringRef fix);

} // namespace mlir::frontend
