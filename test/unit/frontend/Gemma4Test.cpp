//===- Gemma4Test.cpp - Keys of Gemma 4 -----------------------------------===//
//
// test/e2e/test_families.py compares results with Hugging Face's.
//
//===----------------------------------------------------------------------===//
#include "ImportTest.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {

struct Gemma4 : ImportTest {
  /// Six layers, of which the last has no window; `extra` keys replace others.
  std::string importWith(const std::string &extra = "") {
    return importText(R"({"model_type": "gemma4_text", "vocab_size": 32,
        "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 6,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
        "global_head_dim": 8, "sliding_window": 5,
        "vocab_size_per_layer_input": 32, "hidden_size_per_layer_input": 3,
        "max_position_embeddings": 16)" +
                      (extra.empty() ? "" : ", " + extra) + "}");
  }

  std::vector<nn::AttentionOp> attentions() {
    std::vector<nn::AttentionOp> all;
    module->walk([&](nn::AttentionOp op) { all.push_back(op); });
    return all;
  }

  /// The shape of a parameter as "8x16", "" if there is none.
  std::string shapeOf(StringRef name) {
    auto loss = module->lookupSymbol<func::FuncOp>("loss");
    for (unsigned i = 0; i < loss.getNumArguments(); ++i)
      if (auto own = loss.getArgAttrOfType<StringAttr>(i, zero::kParamAttr);
          own && own.getValue() == name) {
        std::string text;
        llvm::raw_string_ostream out(text);
        auto type = cast<RankedTensorType>(loss.getArgument(i).getType());
        llvm::interleave(type.getShape(), out, "x");
        return text;
      }
    return "";
  }
};

TEST_F(Gemma4, LayersWithoutAWindowHaveOtherHeads) {
  ASSERT_EQ(importWith(), "");
  EXPECT_EQ(shapeOf("model.layers.4.self_attn.k_proj.weight"), "8x16");
  EXPECT_EQ(shapeOf("model.layers.5.self_attn.q_proj.weight"), "32x16");
  EXPECT_EQ(shapeOf("model.layers.5.self_attn.k_proj.weight"), "16x16");
  EXPECT_EQ(attentions()[4].getWindow(), 5);
  EXPECT_EQ(attentions()[5].getWindow(), std::nullopt);
  EXPECT_EQ(attentions()[5].getScale().convertToDouble(), 1);
  // The number of heads needs attention_k_eq_v.
  ASSERT_EQ(importWith(R"("num_global_key_value_heads": 1)"), "");
  EXPECT_EQ(shapeOf("model.layers.5.self_attn.k_proj.weight"), "16x16");
  ASSERT_EQ(importWith(R"("num_global_key_value_heads": 1,
                          "attention_k_eq_v": true)"),
            "");
  EXPECT_EQ(shapeOf("model.layers.5.self_attn.k_proj.weight"), "8x16");
  EXPECT_EQ(shapeOf("model.layers.5.self_attn.v_proj.weight"), "");
  EXPECT_EQ(shapeOf("model.layers.4.self_attn.v_proj.weight"), "8x16");
  EXPECT_EQ(importWith(R"("num_global_key_value_heads": 3,
                          "attention_k_eq_v": true)"),
            "num_attention_heads 4 is not a multiple of the 3 heads of keys "
            "and values of layers without a window");
}

TEST_F(Gemma4, WidthsOfEachLayer) {
  ASSERT_EQ(importWith(R"("global_head_dim": null,
                          "per_layer_config": {"5": {"head_dim": 6}})"),
            "");
  EXPECT_EQ(shapeOf("model.layers.5.self_attn.q_proj.weight"), "24x16");
  EXPECT_EQ(importWith(R"("per_layer_config": {"5": {"head_dim": 6}})"),
            "global_head_dim and per_layer_config say the same; keep one");
  EXPECT_EQ(importWith(R"("global_head_dim": null,
                          "per_layer_config": {"4": {"head_dim": 6}})"),
            "per_layer_config.4 says 2 heads of 6, and layers of its kind have "
            "2 of 4; zeroc has one for each kind");
  EXPECT_EQ(importWith(R"("global_head_dim": null,
                          "per_layer_config": {"5": {"hidden_size": 6}})"),
            "per_layer_config.5.hidden_size is not supported; supported: "
            "head_dim, num_key_value_heads");
}

TEST_F(Gemma4, LastLayersShareKeysAndValues) {
  const std::string kinds = R"("layer_types": ["sliding_attention",
      "full_attention", "sliding_attention", "sliding_attention",
      "full_attention", "full_attention"], "num_kv_shared_layers": )";
  ASSERT_EQ(importWith(kinds + "3"), "");
  auto all = attentions();
  EXPECT_NE(all[2].getK(), all[0].getK());
  EXPECT_EQ(all[3].getK(), all[2].getK());
  EXPECT_NE(all[2].getK(), all[0].getK());
  EXPECT_EQ(all[3].getK(), all[2].getK());
  EXPECT_EQ(all[4].getK(), all[1].getK());
  EXPECT_EQ(all[5].getV(), all[1].getV());
  EXPECT_EQ(shapeOf("model.layers.4.self_attn.k_proj.weight"), "");
  EXPECT_EQ(shapeOf("model.layers.4.self_attn.k_norm.weight"), "");
  EXPECT_EQ(shapeOf("model.layers.4.mlp.up_proj.weight"), "24x16");
  ASSERT_EQ(importWith(kinds + R"(3, "use_double_wide_mlp": true)"), "");
  EXPECT_EQ(shapeOf("model.layers.4.mlp.up_proj.weight"), "48x16");
  EXPECT_EQ(shapeOf("model.layers.2.mlp.up_proj.weight"), "24x16");
  EXPECT_EQ(importWith(R"("num_kv_shared_layers": 1)"),
            "num_kv_shared_layers 1 leaves no layer with keys and values of "
            "its own of the kind of layer 5");
  EXPECT_EQ(importWith(R"("num_kv_shared_layers": 6)"),
            "num_kv_shared_layers must be an integer from 0 to 5, got 6");
}

TEST_F(Gemma4, LayersHaveAnEmbedding) {
  ASSERT_EQ(importWith(), "");
  EXPECT_EQ(shapeOf("model.embed_tokens_per_layer.weight"), "32x18");
  EXPECT_EQ(shapeOf("model.per_layer_model_projection.weight"), "18x16");
  EXPECT_EQ(shapeOf("model.layers.0.per_layer_input_gate.weight"), "3x16");
  EXPECT_EQ(shapeOf("model.layers.0.layer_scalar"), "1");
  ASSERT_EQ(importWith(R"("hidden_size_per_layer_input": 0)"), "");
  EXPECT_EQ(shapeOf("model.embed_tokens_per_layer.weight"), "");
  EXPECT_EQ(importWith(R"("vocab_size_per_layer_input": 31)"),
            "vocab_size_per_layer_input 31 is less than vocab_size 32, so that "
            "some tokens have no row");
}

TEST_F(Gemma4, TheNumberOfALayerIsNotTrained) {
  ASSERT_EQ(importWith(), "");
  std::vector<std::string> detached;
  module->walk([&](nn::DetachOp op) {
    auto argument = cast<BlockArgument>(op.getX());
    auto loss = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    detached.push_back(loss.getArgAttrOfType<StringAttr>(
                               argument.getArgNumber(), zero::kParamAttr)
                           .str());
  });
  EXPECT_EQ(detached.size(), 6u);
  EXPECT_EQ(detached.front(), "model.layers.0.layer_scalar");
}

TEST_F(Gemma4, RopeTurnsAPartOfThePairs) {
  auto frequencies = [&] {
    std::vector<std::vector<double>> all;
    module->walk([&](nn::RopeOp op) { all.emplace_back(op.getFrequencies()); });
    return all;
  };
  ASSERT_EQ(importWith(), "");
  EXPECT_EQ(frequencies().front(), (std::vector<double>{1, 0.01}));
  EXPECT_EQ(frequencies().back(), (std::vector<double>{1, 0, 0, 0}));
  ASSERT_EQ(importWith(R"("rope_parameters": {"full_attention": {
      "rope_type": "proportional", "rope_theta": 16, "factor": 4,
      "partial_rotary_factor": 0.5}})"),
            "");
  EXPECT_EQ(frequencies().back(), (std::vector<double>{0.25, 0.125, 0, 0}));
  EXPECT_EQ(importWith(R"("rope_parameters": {"sliding_attention": {
      "rope_type": "proportional"}})"),
            "rope_type \"proportional\" is not supported for this model_type; "
            "supported: default");
}

TEST_F(Gemma4, RefusesWhatItLacks) {
  EXPECT_EQ(importWith(R"("enable_moe_block": true)"),
            "enable_moe_block is not supported; zeroc has Gemma 4 without "
            "experts (E2B, E4B, 12B, 31B), so set it to false");
  EXPECT_EQ(importWith(R"("use_bidirectional_attention": "all")"),
            "use_bidirectional_attention \"all\" is not supported; zeroc's "
            "decoders are causal");
  EXPECT_EQ(importWith(R"("use_bidirectional_attention": "vision")"), "");
  EXPECT_EQ(importWith(R"("num_hidden_layers": 1,
                          "layer_types": ["sliding_attention"])"),
            "layer_types ends with sliding_attention, which transformers takes "
            "for full_attention; write that");
}

} // namespace
