//===- FunctionKeys.cpp - Lists what a model computes ---------------------===//
//
// Each config is taken apart into all of its fields, so that a new field does
// not compile until it is either a key here, or said to be none: because it is
// the shape or the name of a parameter, follows from model_type, or changes no
// value of the function.
//
//===----------------------------------------------------------------------===//
#include "frontend/families/FunctionKeys.h"

#include "dialect/zero/Origin.h"
#include "dialect/zero/Zero.h"
#include "frontend/ConfigFile.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {

std::string textOf(bool value) { return value ? "true" : "false"; }
std::string textOf(int64_t value) { return std::to_string(value); }
std::string textOf(double value) { return toText(value); }
template <typename T>
std::string textOf(const std::optional<T> &value) {
  return value ? textOf(*value) : "none";
}
std::string textOf(const Activation *activation) {
  return activation->name.str();
}

void addLoss(const TextLoss &loss, FunctionKeys &keys) {
  // The samples of a sequence are a shape.
  const auto &[objective, smoothing, zLoss, weighted, samples, labels, beta,
               desirable, undesirable, margins, epsilon, epsilonHigh,
               bySequence] = loss;
  keys["--objective"] = kObjectives[int(objective)].name;
  keys["--label-smoothing"] = textOf(smoothing);
  keys["--z-loss"] = textOf(zLoss);
  keys["--token-weights"] = textOf(weighted);
  keys["--labels"] = textOf(labels);
  keys["--beta"] = textOf(beta);
  keys["--desirable-weight"] = textOf(desirable);
  keys["--undesirable-weight"] = textOf(undesirable);
  keys["--margins"] = textOf(margins);
  keys["--epsilon"] = textOf(epsilon);
  keys["--epsilon-high"] = textOf(epsilonHigh);
  keys["--importance"] = bySequence ? "sequence" : "token";
}

void addDropout(const DropoutRates &rates, FunctionKeys &keys) {
  const auto &[attention, residual, embedding] = rates;
  keys["--dropout"] = "attention " + textOf(attention) + ", residual " +
                      textOf(residual) + ", embedding " + textOf(embedding);
}

std::string listOf(ArrayRef<double> values) {
  SmallVector<std::string> texts;
  for (double value : values)
    texts.push_back(textOf(value));
  return llvm::join(texts, " ");
}

/// "rope_theta", and how frequencies are scaled.
void addRope(const Rope &rope, const std::string &prefix, FunctionKeys &keys) {
  const auto &[frequencies, ofCosAndSin, base, scaling] = rope;
  const auto &[type, factor, positions, low, high, fast, slow, attention,
               mscale, mscaleAllDim, truncate, factors, turning] = scaling;
  const std::string by = "factor " + textOf(factor),
                    of = ", original_max_position_embeddings " +
                         textOf(positions);
  keys[prefix + "rope_theta"] = textOf(base);
  keys[prefix + "rotary elements of a head"] =
      textOf(int64_t(2 * frequencies.size()));
  keys[prefix + "rope_scaling"] =
      type == RopeScaling::Default  ? "default"
      : type == RopeScaling::Linear ? "linear, " + by
      : type == RopeScaling::Proportional
          ? "proportional, " + by + ", " + textOf(2 * turning) + " turn"
      : type == RopeScaling::Llama3
          ? "llama3, " + by + of + ", low_freq_factor " + textOf(low) +
                ", high_freq_factor " + textOf(high)
      : type == RopeScaling::Yarn
          ? "yarn, " + by + of + ", beta_fast " + textOf(fast) +
                ", beta_slow " + textOf(slow) + ", attention_factor " +
                textOf(ofCosAndSin) + ", truncate " + textOf(truncate)
          : "longrope, attention_factor " + textOf(ofCosAndSin) +
                ", short_factor " + listOf(factors);
}

/// The layers of which `does` says `value`.
std::string listLayers(const std::vector<bool> &does, bool value) {
  SmallVector<std::string> layers;
  for (auto [layer, each] : llvm::enumerate(does))
    if (each == value)
      layers.push_back(std::to_string(layer));
  return llvm::join(layers, " ");
}

} // namespace

FunctionKeys frontend::functionKeys(const GPT2Config &config) {
  FunctionKeys keys;
  // Sizes are shapes, and a head of its own is a parameter.
  const auto &[layers, heads, width, vocabulary, positions, innerWidth, normEps,
               initStd, activation, tied, scaleAttention, scaleByLayer, packed,
               loss, dropout] = config;
  keys["model_type"] = "gpt2";
  keys["n_head"] = textOf(heads);
  keys["layer_norm_epsilon"] = textOf(normEps);
  keys["activation_function"] = textOf(activation);
  keys["scale_attn_weights"] = textOf(scaleAttention);
  keys["scale_attn_by_inverse_layer_idx"] = textOf(scaleByLayer);
  keys["--packed"] = textOf(packed);
  addLoss(loss, keys);
  addDropout(dropout, keys);
  return keys;
}

FunctionKeys frontend::functionKeys(const DecoderConfig &config,
                                    StringRef modelType) {
  FunctionKeys keys;
  // Names, sizes and biases are those of parameters, as are norms of queries
  // and keys, and layers that share keys and values; the kind of norm, that of
  // values, gates, the order in query_key_value and that of rotary pairs are
  // those of the model_type.  Within the limit of positions
  // the function is one.
  const auto &[names, layers, width, vocabulary, positions, heads,
               keyValueHeads, headWidth, innerWidth, fullHeads, keysAreValues,
               sharingLayers, widensSharing, initStd, tied, padding, norm,
               normEps, parallel, queryKeyNorm, queryKeyNormOfAll, valueNorm,
               qkvByHead, biasOfQkv, biasOfOut, biasOfMlp, gatesAttention,
               scoreScale, scoreCap, logitCap, separator, packed, window,
               slides, rope, slidingRope, turns, interleavedRope, limit,
               experts, mixers, delta, convTaps, layerEmbedding, scalesLayers,
               loss, dropout, activation, embeddingScale, residualScale,
               logitScale] = config;
  const auto &[count, chosen, expertWidth, normalize, mixtures, balance, scope,
               gate, up, down] = experts;
  keys["model_type"] = modelType;
  keys["num_attention_heads"] = textOf(heads);
  keys["num_key_value_heads"] = textOf(keyValueHeads);
  keys["head_dim"] = textOf(headWidth);
  keys["pad_token_id"] = textOf(padding);
  keys["norm_eps"] = textOf(normEps);
  keys["hidden_act"] = textOf(activation);
  keys["use_parallel_residual"] = textOf(parallel);
  keys["attention scale"] =
      scoreScale == 0 ? "1 / sqrt(head_dim)" : textOf(scoreScale);
  keys["attn_logit_softcapping"] = textOf(scoreCap);
  keys["final_logit_softcapping"] = textOf(logitCap);
  const std::string sliding = window > 0 ? listLayers(slides, true) : "";
  keys["sliding_window"] = sliding.empty() ? "none" : textOf(window);
  keys["layers with a sliding_window"] = sliding;
  addRope(rope, "", keys);
  if (slidingRope)
    addRope(*slidingRope, "sliding_attention.", keys);
  keys["layers without rotary positions"] = listLayers(turns, false);
  keys["embedding_multiplier"] = textOf(embeddingScale);
  keys["residual_multiplier"] = textOf(residualScale);
  keys["logit_scale"] = textOf(logitScale);
  if (count > 0) {
    keys["num_experts_per_tok"] = textOf(chosen);
    keys["norm_topk_prob"] = textOf(normalize);
    keys["router_aux_loss_coef with output_router_logits"] = textOf(balance);
  }
  if (delta.keyHeads > 0) {
    // Other sizes are shapes, and layers are of the names of parameters.
    const auto &[keyHeads, valueHeads, keyWidth, valueWidth, taps, deltaEps,
                 deltaStd, deltaActivation] = delta;
    keys["linear_num_key_heads"] = textOf(keyHeads);
    keys["linear_num_value_heads"] = textOf(valueHeads);
  }
  keys["--document-separator"] = textOf(separator);
  keys["--packed"] = textOf(packed);
  addLoss(loss, keys);
  addDropout(dropout, keys);
  return keys;
}

void frontend::setFunction(ModuleOp module, const FunctionKeys &keys) {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> entries;
  for (const auto &[key, value] : keys)
    entries.push_back(b.getNamedAttr(key, b.getStringAttr(value)));
  module->setAttr(zero::kFunctionAttr, b.getDictionaryAttr(entries));
}
