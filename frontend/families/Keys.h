//===- Keys.h - Keys of config.json that families share ---------*- C++ -*-===//
//
// Each function reads the keys it names, with Hugging Face's meaning, and fails
// the file where zeroc does not do what they say.  Sizes have no defaults: a
// model of the wrong size is no model at all.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "frontend/ConfigFile.h"
#include "frontend/Decoder.h"

namespace mlir::frontend {

/// Ids are 32 bits wide, and so are the other sizes for good measure.
inline constexpr int64_t kMaxSize = INT32_MAX;
/// More is a slip of the finger, and would fill memory before it failed.
inline constexpr int64_t kMaxLayers = 10000;

inline int64_t readSize(ConfigFile &file, StringRef key,
                        std::optional<int64_t> otherwise = {}) {
  return file.integer(key, 1, kMaxSize, otherwise);
}

/// What a family calls its keys, and what they are if they are not there.
struct Defaults {
  StringRef architecture;
  StringRef normEpsKey = "rms_norm_eps", activationKey = "hidden_act",
            activation = "silu";
  double normEps = 1e-6;
  bool tied = false;
  bool hasPadding = true;
  std::optional<int64_t> padding = std::nullopt;
};

/// The keys of every decoder: sizes but those of heads, norms, the activation,
/// initial values, padding.  Refuses dropout, and heads for other tasks.
DecoderConfig readDecoder(ConfigFile &file, const Defaults &defaults);

enum class HeadKeys {
  /// Left out, they are num_attention_heads, and hidden_size shared by these.
  MayBeMissing,
  /// Must be there, since Hugging Face's defaults are numbers of one model.
  MustBeThere,
};
/// num_attention_heads, num_key_value_heads, head_dim.
void readHeads(ConfigFile &file, DecoderConfig &c, HeadKeys keyValueHeads,
               HeadKeys headWidth);

/// num_attention_heads that share hidden_size, all with keys and values.
void readEqualHeads(ConfigFile &file, DecoderConfig &c);

/// attention_bias: of queries, keys and values, and of what follows.
void readAttentionBias(ConfigFile &file, DecoderConfig &c, bool otherwise);

struct RopeKeys {
  StringRef base = "rope_theta";
  double baseOtherwise = 10000;
  /// The part of a head that turns, if a family has such a key.
  StringRef part = "";
  double partOtherwise = 1;
  /// Types besides "default".
  bool scales = true;
};
/// How fast pairs turn, from rope_theta and rope_scaling, or from
/// rope_parameters, in which newer versions write both.  `layers` names the
/// object in rope_parameters that is of one kind of layers.
Rope readRope(ConfigFile &file, const DecoderConfig &c,
              const RopeKeys &keys = {}, StringRef layers = "");

/// sliding_window of all layers, `otherwise` where the key is missing.
void readWindow(ConfigFile &file, DecoderConfig &c,
                std::optional<int64_t> otherwise);
/// The same of the layers that layer_types says, or else `slides`.
void readWindowOfLayers(ConfigFile &file, DecoderConfig &c,
                        llvm::function_ref<bool(int64_t layer)> slides);

/// A positive number; none for null, `otherwise` where it is missing.
std::optional<double> readCap(ConfigFile &file, StringRef key,
                              std::optional<double> otherwise);

/// The activation that a key names.
Activation readActivation(ConfigFile &file, StringRef key, StringRef otherwise);
/// A positive number that is finite in f32.
double readNormEps(ConfigFile &file, StringRef key, double otherwise);
/// initializer_range.
double readInitStd(ConfigFile &file);
/// Fails for a rate of dropout that is not 0.
void refuseDropout(ConfigFile &file, ArrayRef<StringRef> keys);
/// Fails for keys of other families that nothing has read, unless their value
/// says nothing.
void refuseOtherKeys(ConfigFile &file, StringRef modelType);
/// Fails for a key that is true; `fix` says what zeroc does.
void refuseTrue(ConfigFile &file, StringRef key, StringRef fix);

} // namespace mlir::frontend
