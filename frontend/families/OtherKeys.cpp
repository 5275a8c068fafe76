//===- OtherKeys.cpp - Refuses keys of other families ---------------------===//
//
// A config may hold a key that affects only another family, which transformers
// ignores.  Its author meant something, so zeroc fails unless the value has no
// effect: null, false, 0, an empty value, or the neutral value in the table.
//
//===----------------------------------------------------------------------===//
#include "frontend/families/Keys.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {
struct OtherKey {
  StringLiteral name;
  /// A value without effect, as JSON.
  StringLiteral neutral = "null";
};
} // namespace

static constexpr OtherKey kKeys[] = {
    // Attention.
    {"attention_bias"},
    {"qkv_bias"},
    {"num_key_value_heads"},
    {"head_dim"},
    {"sliding_window"},
    {"use_sliding_window"},
    {"query_pre_attn_scalar"},
    {"attn_logit_softcapping"},
    {"attention_multiplier", "1.0"},
    {"clip_qkv"},
    {"use_qk_norm"},
    {"qk_layernorm"},
    {"alibi"},
    {"attention_dropout"},
    {"attn_pdrop"},
    {"attention_probs_dropout_prob"},
    // Positions.
    {"rope_theta"},
    {"rope_local_base_freq"},
    {"rotary_emb_base"},
    {"rotary_pct", "1.0"},
    {"partial_rotary_factor", "1.0"},
    {"no_rope_layers"},
    // MLPs and experts.
    {"hidden_act"},
    {"hidden_activation"},
    {"mlp_bias"},
    {"hidden_dropout_prob"},
    {"num_experts"},
    {"num_local_experts"},
    {"n_routed_experts"},
    {"n_shared_experts"},
    {"shared_expert_intermediate_size"},
    {"router_jitter_noise"},
    {"norm_topk_prob", "true"},
    {"decoder_sparse_step", "1"},
    {"mlp_only_layers"},
    // The residual stream, and logits.
    {"hidden_dropout"},
    {"resid_pdrop"},
    {"embd_pdrop"},
    {"use_parallel_residual"},
    {"parallel_attn"},
    {"residual_multiplier", "1.0"},
    {"embedding_multiplier", "1.0"},
    {"final_logit_softcapping"},
    {"logits_scaling", "1.0"},
    {"logit_scale", "1.0"},
    {"lm_head_bias"},
};

/// Returns true if all layers have full attention.
static bool isFullAttention(ConfigFile &file) {
  return llvm::all_of(file.strings("layer_types"), [](const std::string &type) {
    return type == "full_attention";
  });
}

void frontend::refuseOtherKeys(ConfigFile &file, StringRef modelType) {
  auto refuse = [&](StringRef name) {
    file.fail(name + " is " + file.shown(name) + ", but models of model_type " +
              modelType +
              " have no such key; remove it, or set model_type to what has it");
  };
  for (const OtherKey &key : kKeys) {
    if (file.wasRead(key.name) || file.isEmpty(key.name))
      continue;
    std::string value = file.shown(key.name);
    bool saysNothing = value == "false" || value == "0" || value == "0.0" ||
                       value == key.neutral || value + ".0" == key.neutral;
    if (!saysNothing)
      refuse(key.name);
  }
  if (!file.wasRead("layer_types") && !isFullAttention(file))
    refuse("layer_types");
}
