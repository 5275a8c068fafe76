//===- RopeKeys.cpp - Reads rotary frequencies from config.json -----------===//
//
// Versions of transformers write the same settings in two ways:
//
//   4   "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", ...}
//   5   "rope_parameters": {"rope_type": "llama3", "rope_theta": 500000.0, ...}
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Keys.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

namespace {

/// Reads one model's keys; `object` is the object of rotary keys, "" if there
/// is none.
struct RopeReader {
  ConfigFile &file;
  const DecoderConfig &c;
  const RopeKeys &keys;
  std::string object;

  std::string in(StringRef key) const { return (object + "." + key).str(); }

  /// Returns the path of a rotary key that older files have outside of
  /// `object`.
  std::string find(StringRef key, StringRef outside) const {
    (void)file.has(outside); // often in both; unused then
    return !object.empty() && file.has(in(key)) ? in(key) : outside.str();
  }

  double positive(const std::string &key, double otherwise) const {
    double value = file.number(key, otherwise);
    if (!(value > 0) || !std::isfinite(value))
      file.fail(key + " must be positive, got " + toText(value));
    return value;
  }

  double required(StringRef key) const {
    if (!file.has(in(key)))
      file.fail(in(key) + " is missing; add it");
    return positive(in(key), 1);
  }

  std::string typeName() const {
    if (object.empty())
      return keys.typeOtherwise.str();
    // The first versions called it "type".
    return file.string(file.has(in("rope_type")) ? in("rope_type") : in("type"),
                       keys.typeOtherwise);
  }

  RopeScaling::Type type() const {
    std::string name = typeName();
    auto type = llvm::StringSwitch<std::optional<RopeScaling::Type>>(name)
                    .Case("default", RopeScaling::Default)
                    .Case("linear", RopeScaling::Linear)
                    .Case("llama3", RopeScaling::Llama3)
                    .Case("yarn", RopeScaling::Yarn)
                    .Cases({"longrope", "su"}, RopeScaling::Long)
                    .Case("proportional", RopeScaling::Proportional)
                    .Default(std::nullopt);
    if (!type ||
        !llvm::is_contained(keys.types, name == "su" ? "longrope" : name))
      file.fail("rope_type \"" + name +
                "\" is not supported for this model_type; supported: " +
                llvm::join(keys.types, ", "));
    return type.value_or(RopeScaling::Default);
  }

  /// Refuses keys of other types, which would have no effect here.
  void refuseOthers(RopeScaling::Type type) const {
    SmallVector<StringRef> known = {"rope_type", "type", "rope_theta",
                                    "partial_rotary_factor"};
    if (type != RopeScaling::Default)
      known.push_back("factor");
    if (type == RopeScaling::Llama3)
      known.append({"low_freq_factor", "high_freq_factor",
                    "original_max_position_embeddings"});
    if (type == RopeScaling::Yarn)
      known.append({"original_max_position_embeddings", "beta_fast",
                    "beta_slow", "attention_factor", "mscale", "mscale_all_dim",
                    "truncate"});
    if (type == RopeScaling::Long)
      known.append({"original_max_position_embeddings", "attention_factor",
                    "short_factor", "long_factor"});
    known.append(keys.others.begin(), keys.others.end());
    for (const std::string &key : file.keysOf(object))
      if (!llvm::is_contained(known, key) && file.has(in(key)))
        file.fail(in(key) + " is not supported with rope_type \"" + typeName() +
                  "\"; remove it if it says nothing");
  }

  double originalPositions() const {
    std::string key = "original_max_position_embeddings";
    if (!file.has(key))
      key = in(key);
    return double(readSize(file, key, c.positions));
  }

  void readLlama3(RopeScaling &s) const {
    s.factor = required("factor");
    s.lowFrequencyFactor = required("low_freq_factor");
    s.highFrequencyFactor = required("high_freq_factor");
    s.originalPositions = originalPositions();
    if (s.lowFrequencyFactor >= s.highFrequencyFactor)
      file.fail(in("low_freq_factor") + " " + toText(s.lowFrequencyFactor) +
                " must be less than high_freq_factor " +
                toText(s.highFrequencyFactor));
  }

  void readYarn(RopeScaling &s) const {
    s.originalPositions = originalPositions();
    s.factor =
        positive(in("factor"), double(c.positions) / s.originalPositions);
    s.betaFast = positive(in("beta_fast"), s.betaFast);
    s.betaSlow = positive(in("beta_slow"), s.betaSlow);
    s.mscale = file.number(in("mscale"), 0);
    s.mscaleAllDim = file.number(in("mscale_all_dim"), 0);
    s.truncate = file.boolean(in("truncate"), true);
    if (file.has(in("attention_factor")))
      s.attentionFactor = required("attention_factor");
    if (s.betaFast < s.betaSlow)
      file.fail(in("beta_fast") + " " + toText(s.betaFast) +
                " must not be less than beta_slow " + toText(s.betaSlow));
  }

  /// Of sequences up to the original positions, where long_factor has no
  /// effect.
  void readLong(RopeScaling &s) const {
    std::string key = "original_max_position_embeddings";
    int64_t original = file.integer(key, 2, kMaxSize, 4096);
    if (int64_t inside = readSize(file, in(key), original); inside != original)
      file.fail(
          in(key) + " is " + Twine(inside) + ", but " + key +
          (file.has(key) ? " is " : ", which phi3 reads, is by default ") +
          Twine(original) + "; make them agree");
    s.originalPositions = double(original);
    s.factor =
        positive(in("factor"), double(c.positions) / s.originalPositions);
    if (file.has(in("attention_factor")))
      s.attentionFactor = required("attention_factor");
    s.factors = file.numbers(in("short_factor"));
    if (s.factors.empty())
      file.fail(in("short_factor") + " is missing; add it");
    for (double factor : s.factors)
      if (!(factor > 0) || !std::isfinite(factor))
        file.fail(in("short_factor") + " must have positive numbers, got " +
                  toText(factor));
  }

  RopeScaling scaling() const {
    RopeScaling s;
    s.type = type();
    if (s.type == RopeScaling::Linear)
      s.factor = required("factor");
    if (s.type == RopeScaling::Llama3)
      readLlama3(s);
    if (s.type == RopeScaling::Yarn)
      readYarn(s);
    if (s.type == RopeScaling::Long)
      readLong(s);
    if (s.type == RopeScaling::Proportional)
      s.factor = positive(in("factor"), 1);
    if (!object.empty())
      refuseOthers(s.type);
    return s;
  }

  /// The rotated elements of a head.
  int64_t dims(RopeScaling &s) const {
    std::string key =
        s.type == RopeScaling::Proportional
            ? in("partial_rotary_factor")
            : find("partial_rotary_factor",
                   keys.part.empty() ? "partial_rotary_factor" : keys.part);
    double part = file.number(key, keys.partOtherwise);
    if (!(part > 0 && part <= 1)) {
      file.fail(key + " must be above 0 and at most 1, got " + toText(part));
      return 2;
    }
    if (s.type == RopeScaling::Proportional) {
      s.turning = int64_t(part * double(c.headWidth)) / 2;
      if (c.headWidth % 2)
        file.fail("heads of " + Twine(c.headWidth) +
                  " elements do not turn in pairs; their width must be even");
      return c.headWidth;
    }
    if (keys.part.empty() && part != 1)
      file.fail(key + " is not supported for this model_type, got " +
                toText(part));
    // An odd number is rounded up to whole pairs, if the head is wide enough.
    auto dims = int64_t(double(c.headWidth) * part);
    if (dims == 0 || dims + dims % 2 > c.headWidth ||
        (dims % 2 &&
         (s.type == RopeScaling::Yarn || s.type == RopeScaling::Long)))
      file.fail("heads of " + Twine(c.headWidth) + " elements, of which " +
                key + " " + toText(part) + " turns, have " + Twine(dims) +
                " that turn in pairs, which must be even and positive");
    return dims;
  }

  Rope read() const {
    std::string key = find("rope_theta", keys.base);
    double base = file.number(key, keys.baseOtherwise);
    if (!(base > 1) || !std::isfinite(base))
      file.fail(key + " must be greater than 1, got " + toText(base));
    RopeScaling s = scaling();
    int64_t turning = dims(s);
    if (s.type == RopeScaling::Long && 2 * int64_t(s.factors.size()) != turning)
      file.fail(in("short_factor") + " has " + Twine(s.factors.size()) +
                " numbers for " + Twine(turning / 2) + " pairs that turn");
    return file.failed() ? Rope() : computeRope(base, turning, s);
  }
};

} // namespace

Rope frontend::readRope(ConfigFile &file, const DecoderConfig &c,
                        const RopeKeys &keys, StringRef layers) {
  std::string object;
  if (!file.isEmpty("rope_parameters")) {
    object = "rope_parameters";
    if (!layers.empty()) {
      for (const std::string &key : file.keysOf(object))
        if (key != "full_attention" && key != "sliding_attention")
          file.fail("rope_parameters." + key +
                    " is not supported for this model_type; supported: "
                    "full_attention, sliding_attention");
      object += ("." + layers).str();
    }
    if (!file.isEmpty("rope_scaling"))
      file.fail("rope_parameters and rope_scaling say the same; keep one");
  } else if (!file.isEmpty("rope_scaling") && layers != "sliding_attention") {
    object = "rope_scaling";
  }
  return RopeReader{file, c, keys, object}.read();
}
