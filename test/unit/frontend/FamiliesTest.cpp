//===- FamiliesTest.cpp - Keys that families read or refuse ---------------===//
//
// test/e2e/test_families.py compares their results with Hugging Face's.
//
//===----------------------------------------------------------------------===//
#include "ImportTest.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include <gmock/gmock.h>

using namespace mlir;
using namespace mlir::frontend;

namespace {

struct Families : ImportTest {
  /// Returns a small config of the family, followed by `extra` keys, which
  /// replace earlier ones.
  static std::string config(const std::string &family,
                            const std::string &extra = "") {
    std::string text = R"({"model_type": ")" + family + R"(",
        "vocab_size": 32, "hidden_size": 16, "intermediate_size": 24,
        "num_hidden_layers": 4, "num_attention_heads": 4,
        "max_position_embeddings": 16)";
    if (family == "gpt_neox")
      text += R"(, "rotary_pct": 0.5)";
    else
      text += R"(, "num_key_value_heads": 2, "head_dim": 4)";
    if (!llvm::is_contained({"gpt_neox", "llama", "olmoe", "olmo2", "granite",
                             "granitemoehybrid"},
                            family))
      text += R"(, "sliding_window": 5)";
    if (family == "granitemoehybrid")
      text += R"(, "shared_intermediate_size": 20, "num_local_experts": 0,
          "layer_types": ["attention", "attention", "attention", "attention"])";
    if (family == "ministral3")
      text += R"(, "rope_parameters": {"rope_type": "yarn", "factor": 2,
          "original_max_position_embeddings": 8, "llama_4_scaling_beta": 0.1})";
    return text + (extra.empty() ? "" : ", " + extra) + "}";
  }

  std::string importWith(const std::string &family,
                         const std::string &extra = "") {
    return importText(config(family, extra));
  }

  std::vector<nn::AttentionOp> attentions() {
    std::vector<nn::AttentionOp> all;
    module->walk([&](nn::AttentionOp op) { all.push_back(op); });
    return all;
  }

  /// Returns the window of each layer, 0 for none.
  std::vector<int64_t> windows() {
    std::vector<int64_t> all;
    for (nn::AttentionOp op : attentions())
      all.push_back(op.getWindow().value_or(0));
    return all;
  }

  std::vector<std::string> parameters() {
    auto loss = module->lookupSymbol<func::FuncOp>("loss");
    std::vector<std::string> all;
    for (unsigned i = 0; i < loss.getNumArguments(); ++i)
      if (auto name = loss.getArgAttrOfType<StringAttr>(i, zero::kParamAttr))
        all.push_back(name.str());
    return all;
  }

  bool has(const std::string &name) {
    return llvm::is_contained(parameters(), name);
  }
};

const char *const kAll[] = {"llama",
                            "mistral",
                            "qwen2",
                            "qwen3",
                            "gemma2",
                            "gemma3_text",
                            "phi3",
                            "gpt_neox",
                            "smollm3",
                            "olmo2",
                            "olmo3",
                            "granite",
                            "granitemoehybrid",
                            "cohere2",
                            "starcoder2",
                            "exaone4",
                            "ministral3"};

TEST_F(Families, Import) {
  for (const char *family : kAll) {
    EXPECT_EQ(importWith(family), "") << family;
    EXPECT_TRUE(notes.empty());
    EXPECT_EQ(attentions().size(), 4u);
  }
}

TEST_F(Families, WantEverySize) {
  for (const char *family : kAll)
    for (std::string key :
         {"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
          "num_attention_heads", "max_position_embeddings"})
      EXPECT_EQ(importWith(family, "\"" + key + "\": null"),
                key + " is missing; add it")
          << family;
}

TEST_F(Families, HaveDropoutWhereTransformersHas) {
  dropout = true;
  for (const char *family : kAll) {
    ASSERT_EQ(importWith(family, "\"attention_dropout\": 0.1"), "") << family;
    for (nn::AttentionOp op : attentions())
      EXPECT_EQ(op.getRate()->convertToDouble(), 0.1) << family;
    for (auto [key, owner, count] :
         {std::tuple("hidden_dropout", "gpt_neox", 9),
          {"resid_pdrop", "phi3", 8},
          {"residual_dropout", "starcoder2", 8},
          {"embedding_dropout", "starcoder2", 1}}) {
      const std::string error =
          importWith(family, "\"" + std::string(key) + "\": 0.1");
      if (family != std::string(owner)) {
        EXPECT_THAT(error, testing::HasSubstr("have no such key")) << family;
        continue;
      }
      ASSERT_EQ(error, "");
      module->walk([&, left = &count](nn::DropoutOp) { --*left; });
      EXPECT_EQ(count, 0) << family;
    }
  }
}

TEST_F(Families, NoteDropoutThatIsOff) {
  ASSERT_EQ(importWith("llama", "\"attention_dropout\": 0.1"), "");
  EXPECT_THAT(notes, testing::ElementsAre(testing::EndsWith(
                         "is off; --dropout trains with it")));
  EXPECT_FALSE(first<nn::AttentionOp>().getKeys());
}

TEST_F(Families, RefuseOtherTasks) {
  EXPECT_EQ(
      importWith("llama",
                 R"("architectures": ["LlamaForSequenceClassification"])"),
      "architectures names LlamaForSequenceClassification, but zeroc "
      "trains LlamaForCausalLM; give the objective of its head "
      "(--objective=reward or classify)");
  EXPECT_EQ(importWith("qwen2", R"("architectures": [1])"),
            "architectures must be an array of strings, got an array");
  EXPECT_EQ(importWith("phi3", R"("quantization_config": {"bits": 4})"),
            "quantization_config is not supported; zeroc trains weights of "
            "f32, bf16 or fp16, so use the model before it was quantized");
  EXPECT_EQ(importWith("gemma2", R"("use_bidirectional_attention": true)"),
            "use_bidirectional_attention is not supported; zeroc's decoders "
            "are causal, so set it to false");
}

TEST_F(Families, SequencesFitThePositions) {
  EXPECT_EQ(importText(config("llama"), /*sequence=*/17),
            "sequences of 17 tokens are longer than max_position_embeddings "
            "16; use --seq=16 or less");
}

TEST_F(Families, DocumentsEndWithAToken) {
  EXPECT_EQ(importText(config("llama")), "");
  EXPECT_FALSE(first<mlir::nn::AttentionOp>().getStarts());
  separator = 0;
  EXPECT_EQ(importText(config("llama")), "");
  EXPECT_TRUE(first<mlir::nn::AttentionOp>().getStarts());
  EXPECT_EQ(first<mlir::nn::DocumentStartsOp>().getSeparator(), 0);
  separator = 1000;
  EXPECT_EQ(importText(config("llama")),
            "--document-separator=1000 is no token: vocab_size is 32");
}

TEST_F(Families, Activations) {
  EXPECT_EQ(importWith("llama", R"("hidden_act": "relu")"), "");
  EXPECT_EQ(importWith("gemma2", R"("hidden_activation": "mish")"),
            "hidden_activation \"mish\" is not supported; supported: "
            "gelu_new, gelu_pytorch_tanh, gelu, relu, silu, swish");
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

TEST_F(Families, HeadsOfKeysAndValues) {
  ASSERT_EQ(importWith("llama"), "");
  auto attention = first<nn::AttentionOp>();
  EXPECT_EQ(attention.getQ().getType().getDimSize(2), 4);
  EXPECT_EQ(attention.getK().getType().getDimSize(2), 2);
  ASSERT_EQ(importWith("llama", R"("num_key_value_heads": null)"), "");
  EXPECT_EQ(first<nn::AttentionOp>().getK().getType().getDimSize(2), 4);
  EXPECT_EQ(importWith("llama", R"("num_key_value_heads": 3)"),
            "num_attention_heads 4 is not a multiple of num_key_value_heads 3");
}

TEST_F(Families, WidthOfHeads) {
  ASSERT_EQ(importWith("mistral", R"("head_dim": 6)"), "");
  EXPECT_EQ(first<nn::AttentionOp>().getQ().getType().getDimSize(3), 6);
  ASSERT_EQ(importWith("mistral", R"("head_dim": null)"), "");
  EXPECT_EQ(first<nn::AttentionOp>().getQ().getType().getDimSize(3), 4);
  EXPECT_EQ(importWith("llama", R"("head_dim": null, "hidden_size": 18)"),
            "hidden_size 18 is not a multiple of num_attention_heads 4");
  EXPECT_EQ(importWith("gpt_neox", R"("hidden_size": 18)"),
            "hidden_size 18 is not a multiple of num_attention_heads 4");
  for (const char *family : {"qwen3", "gemma2", "gemma3_text"})
    EXPECT_EQ(importWith(family, R"("head_dim": null)"),
              "head_dim is missing; add it");
}

TEST_F(Families, ScaleOfScores) {
  ASSERT_EQ(importWith("llama"), "");
  EXPECT_EQ(first<nn::AttentionOp>().getScale().convertToDouble(), 0.5);
  ASSERT_EQ(importWith("gemma2", R"("query_pre_attn_scalar": 64)"), "");
  EXPECT_EQ(first<nn::AttentionOp>().getScale().convertToDouble(), 0.125);
  ASSERT_EQ(importWith("granite"), "");
  EXPECT_EQ(first<nn::AttentionOp>().getScale().convertToDouble(), 1);
  ASSERT_EQ(importWith("granite", R"("attention_multiplier": 0.25)"), "");
  EXPECT_EQ(first<nn::AttentionOp>().getScale().convertToDouble(), 0.25);
  EXPECT_EQ(importWith("granite", R"("attention_multiplier": 0)"),
            "attention_multiplier must be positive and finite in f32, got 0.0");
}

TEST_F(Families, CapsOfScoresAndLogits) {
  auto capOf = [&] {
    auto cap = first<nn::AttentionOp>().getSoftCap();
    return cap ? cap->convertToDouble() : 0;
  };
  ASSERT_EQ(importWith("gemma2"), "");
  EXPECT_EQ(capOf(), 50);
  ASSERT_EQ(importWith("gemma2", R"("attn_logit_softcapping": null)"), "");
  EXPECT_EQ(capOf(), 0);
  EXPECT_EQ(importWith("gemma2", R"("final_logit_softcapping": 0)"),
            "final_logit_softcapping must be positive and finite in f32, got "
            "0.0; null for none");
  EXPECT_EQ(importWith("gemma3_text", R"("attn_logit_softcapping": 50)"),
            "attn_logit_softcapping is no part of gemma3_text, whose "
            "attention leaves it out; set it to null");
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

using Windows = std::vector<int64_t>;

TEST_F(Families, WindowOfAllLayers) {
  ASSERT_EQ(importWith("mistral"), "");
  EXPECT_EQ(windows(), Windows({5, 5, 5, 5}));
  ASSERT_EQ(importWith("mistral", R"("sliding_window": null)"), "");
  EXPECT_EQ(windows(), Windows({0, 0, 0, 0}));
  // A window that masks nothing in 8 tokens.
  ASSERT_EQ(importWith("phi3", R"("sliding_window": 8)"), "");
  EXPECT_EQ(windows(), Windows({0, 0, 0, 0}));
  EXPECT_EQ(importWith("mistral", R"("layer_types": ["full_attention"])"),
            "layer_types is not supported for this model_type, whose layers "
            "are all alike; remove it");
}

TEST_F(Families, AMissingWindowIsHuggingFaces) {
  std::string text = config("mistral", R"("max_position_embeddings": 8192)");
  text.replace(text.find("\"sliding_window\""), 16, "\"other\"");
  ASSERT_EQ(importText(text, /*sequence=*/4100), "");
  EXPECT_EQ(windows(), Windows({4096, 4096, 4096, 4096}));
}

TEST_F(Families, WindowOfSomeLayers) {
  ASSERT_EQ(importWith("qwen2"), "");
  EXPECT_EQ(windows(), Windows({0, 0, 0, 0}));
  ASSERT_EQ(importWith("qwen3",
                       R"("use_sliding_window": true, "max_window_layers": 3)"),
            "");
  EXPECT_EQ(windows(), Windows({0, 0, 0, 5}));
  ASSERT_EQ(importWith("gemma2"), "");
  EXPECT_EQ(windows(), Windows({5, 0, 5, 0}));
  ASSERT_EQ(importWith("gemma3_text", R"("sliding_window_pattern": 3)"), "");
  EXPECT_EQ(windows(), Windows({5, 5, 0, 5}));
  ASSERT_EQ(importWith("gemma3_text",
                       R"("layer_types": ["full_attention", "full_attention",
                           "sliding_attention", "full_attention"])"),
            "");
  EXPECT_EQ(windows(), Windows({0, 0, 5, 0}));
}

TEST_F(Families, WindowOfLayersByDefault) {
  for (const char *family : {"olmo3", "cohere2", "exaone4"}) {
    ASSERT_EQ(importWith(family), "");
    EXPECT_EQ(windows(), Windows({5, 5, 5, 0})) << family;
  }
  ASSERT_EQ(importWith("cohere2", R"("sliding_window_pattern": 2)"), "");
  EXPECT_EQ(windows(), Windows({5, 0, 5, 0}));
  ASSERT_EQ(importWith("smollm3"), "");
  EXPECT_EQ(windows(), Windows({0, 0, 0, 0}));
  ASSERT_EQ(importWith("smollm3", R"("use_sliding_window": true,
                           "no_rope_layers": [0, 1, 1, 0])"),
            "");
  EXPECT_EQ(windows(), Windows({5, 0, 0, 5}));
  // As the files of models have both.
  ASSERT_EQ(importWith("exaone4", R"("sliding_window_pattern": "LG",
                "layer_types": ["sliding_attention", "full_attention",
                                "sliding_attention", "full_attention"])"),
            "");
  EXPECT_EQ(windows(), Windows({5, 0, 5, 0}));
}

TEST_F(Families, LayerTypesFit) {
  EXPECT_EQ(importWith("gemma2", R"("layer_types": ["full_attention"])"),
            "layer_types has 1 entries for num_hidden_layers 4");
  EXPECT_EQ(importWith("gemma2", R"("layer_types": ["chunked_attention"])"),
            "layer_types has \"chunked_attention\", which is not supported; "
            "supported: full_attention, sliding_attention");
  EXPECT_EQ(importWith("qwen2", R"("layer_types": ["sliding_attention",
                "full_attention", "full_attention", "full_attention"])"),
            "layer_types has sliding_attention, but use_sliding_window is "
            "false; make them agree");
  EXPECT_EQ(importWith("gemma2", R"("sliding_window": null)"),
            "sliding_window is missing; add it");
  EXPECT_EQ(importWith("granitemoehybrid", R"("layer_types": ["attention",
                "mamba", "attention", "attention"])"),
            "layer_types has \"mamba\", but zeroc has no Mamba layers; use a "
            "model whose layers all have attention");
  EXPECT_EQ(importWith("granitemoehybrid", R"("layer_types": null)"),
            "layer_types is missing, so all layers are Mamba's, which zeroc "
            "does not have; use a model whose layers all have attention");
  EXPECT_EQ(importWith("granitemoehybrid", R"("layer_types": null,
                "layers_block_type": ["attention"])"),
            "layers_block_type has 1 entries for num_hidden_layers 4");
}

TEST_F(Families, NoExpertsBesideAnMlp) {
  std::string why = ", but zeroc has no experts beside an MLP that all tokens "
                    "pass (shared_mlp); use a model with num_local_experts 0";
  EXPECT_EQ(importWith("granitemoehybrid", R"("num_local_experts": 4)"),
            "num_local_experts is 4" + why);
  EXPECT_EQ(importWith("granitemoehybrid", R"("num_local_experts": null)"),
            "num_local_experts is 8 by default" + why);
}

//===----------------------------------------------------------------------===//
// Rotary positions
//===----------------------------------------------------------------------===//

TEST_F(Families, LayersWithoutRope) {
  auto turning = [&] {
    std::vector<bool> layers;
    bool turned = false;
    module->walk([&](Operation *op) {
      turned |= isa<nn::RopeOp>(op);
      if (isa<nn::AttentionOp>(op))
        layers.push_back(std::exchange(turned, false));
    });
    return layers;
  };
  using Layers = std::vector<bool>;
  auto with = [&](const char *family, const std::string &keys) {
    EXPECT_EQ(importWith(family, keys), "");
    return turning();
  };
  for (const char *family : {"smollm3", "cohere2", "exaone4"})
    EXPECT_EQ(with(family, ""), Layers({true, true, true, false})) << family;
  EXPECT_EQ(with("smollm3", R"("no_rope_layer_interval": 2)"),
            Layers({true, false, true, false}));
  EXPECT_EQ(with("smollm3", R"("no_rope_layers": [0, 0, 1, 1, 0])"),
            Layers({false, false, true, true}));
  EXPECT_EQ(importWith("smollm3", R"("no_rope_layers": [0, 1])"),
            "no_rope_layers has 2 entries for num_hidden_layers 4");
  EXPECT_EQ(importWith("smollm3", R"("no_rope_layers": [0, 1, 2, 0])"),
            "no_rope_layers has 2; give 1 for layers with rotary positions and "
            "0 for others");
  std::string full = R"("layer_types": ["full_attention", "full_attention",
                            "full_attention", "full_attention"])";
  EXPECT_EQ(with("exaone4", R"("sliding_window": null, )" + full),
            Layers(4, true));
  EXPECT_EQ(with("exaone4", full), Layers(4, false));
  EXPECT_EQ(with("granitemoehybrid", ""), Layers(4, false));
  EXPECT_EQ(with("granitemoehybrid", R"("position_embedding_type": "rope")"),
            Layers(4, true));
  EXPECT_EQ(
      importWith("granitemoehybrid", R"("position_embedding_type": "alibi")"),
      "position_embedding_type \"alibi\" is not supported; supported: rope, "
      "nope");
  EXPECT_EQ(importWith("cohere2", R"("position_embedding_type": "alibi")"),
            "position_embedding_type \"alibi\" is not supported; supported: "
            "rope_gptj");
}

TEST_F(Families, LongRope) {
  const std::string factors =
                        R"("short_factor": [2, 4], "long_factor": [9, 9])",
                    original = R"("original_max_position_embeddings": 8, )";
  auto scaled = [&](const std::string &keys, const std::string &others = "",
                    int64_t sequence = 8) {
    return importText(config("phi3", others + R"("rope_theta": 100,
        "rope_scaling": {"type": "longrope", )" +
                                         keys + "}"),
                      sequence);
  };
  ASSERT_EQ(scaled(factors, original), "");
  auto rope = first<nn::RopeOp>();
  EXPECT_EQ(rope.getFrequencies(), ArrayRef<double>({0.5, 0.025}));
  EXPECT_NEAR(rope.getFactor().convertToDouble(),
              std::sqrt(1 + std::log(2) / std::log(8)), 1e-15);
  ASSERT_EQ(scaled(factors, original, /*sequence=*/0), "");
  EXPECT_EQ(first<nn::AttentionOp>().getQ().getType().getDimSize(1), 8);
  EXPECT_EQ(
      scaled(factors, original, /*sequence=*/9),
      "sequences of 9 tokens are longer than "
      "original_max_position_embeddings 8, beyond which all positions "
      "turn by long_factor, which zeroc does not do; use --seq=8 or less");
  EXPECT_EQ(scaled(factors + R"(, "original_max_position_embeddings": 8)"),
            "rope_scaling.original_max_position_embeddings is 8, but "
            "original_max_position_embeddings, which phi3 reads, is by default "
            "4096; make them agree");
  EXPECT_EQ(scaled(R"("long_factor": [2, 4])"),
            "rope_scaling.short_factor is missing; add it");
  EXPECT_EQ(scaled(R"("short_factor": [2])"),
            "rope_scaling.short_factor has 1 numbers for 2 pairs that turn");
  EXPECT_EQ(scaled(R"("short_factor": [2, -1])"),
            "rope_scaling.short_factor must have positive numbers, got -1.0");
}

TEST_F(Families, QueriesThatGrow) {
  EXPECT_EQ(
      importText(config("ministral3"), /*sequence=*/9),
      "sequences of 9 tokens are longer than "
      "original_max_position_embeddings 8, beyond which queries grow with "
      "their positions, which zeroc does not do; use --seq=8 or less");
  EXPECT_EQ(importWith("ministral3", R"("rope_parameters": null)"),
            "rope_parameters is missing; add it");
  EXPECT_EQ(
      importWith("ministral3", R"("rope_parameters": {"rope_theta": 10})"),
      "rope_parameters.llama_4_scaling_beta is missing; add it");
  ASSERT_EQ(importText(config("ministral3", R"("rope_parameters": {
                "rope_theta": 10, "llama_4_scaling_beta": 0})"),
                       /*sequence=*/16),
            "");
  // As the files of models are.
  ASSERT_EQ(importText(R"({"model_type": "mistral3", "text_config": )" +
                       config("ministral3") + "}"),
            "");
  EXPECT_TRUE(has("model.language_model.layers.3.self_attn.q_proj.weight"));
}

TEST_F(Families, RopeOfEitherVersion) {
  for (const char *keys :
       {R"("rope_theta": 100, "rope_scaling": {"type": "linear", "factor": 2})",
        R"("rope_parameters": {"rope_type": "linear", "factor": 2,
            "rope_theta": 100})"}) {
    ASSERT_EQ(importWith("llama", keys), "");
    EXPECT_EQ(first<nn::RopeOp>().getFrequencies(),
              ArrayRef<double>({0.5, 0.05}));
  }
  EXPECT_EQ(importWith("llama", R"("rope_scaling": {"type": "default"},
                       "rope_parameters": {"rope_type": "default"})"),
            "rope_parameters and rope_scaling say the same; keep one");
}

TEST_F(Families, RopeOfPartOfAHead) {
  ASSERT_EQ(importWith("phi3", R"("partial_rotary_factor": 0.5)"), "");
  EXPECT_EQ(first<nn::RopeOp>().getFrequencies(), ArrayRef<double>({1.0}));
  EXPECT_EQ(importWith("llama", R"("partial_rotary_factor": 0.5)"),
            "partial_rotary_factor is not supported for this model_type, got "
            "0.5");
  ASSERT_EQ(importWith("gpt_neox", R"("rotary_pct": 0.25)"), "");
  EXPECT_EQ(first<nn::RopeOp>().getFrequencies(), ArrayRef<double>({1.0}));
  EXPECT_THAT(importWith("gpt_neox", R"("rotary_pct": 0.1)"),
              testing::StartsWith("heads of 4 elements, of which rotary_pct "
                                  "0.1 turns, have 0 "));
  EXPECT_EQ(importWith("gpt_neox", R"("rotary_pct": 1.5)"),
            "rotary_pct must be above 0 and at most 1, got 1.5");
}

TEST_F(Families, RopeOfLayersThatSlide) {
  auto bases = [&] {
    std::vector<double> all;
    module->walk([&](nn::RopeOp op) {
      all.push_back(std::round(1 / op.getFrequencies()[1]));
    });
    return all;
  };
  std::vector<double> expected = {20, 20, 100, 100, 20, 20, 100, 100};
  for (const char *keys :
       {R"("rope_theta": 10000, "rope_local_base_freq": 400)",
        R"("rope_parameters": {"full_attention": {"rope_theta": 10000},
            "sliding_attention": {"rope_theta": 400}})"}) {
    ASSERT_EQ(importWith("gemma3_text",
                         std::string(keys) + ", \"sliding_window_pattern\": 2"),
              "");
    EXPECT_EQ(bases(), expected);
  }
  EXPECT_EQ(
      importWith("gemma3_text", R"("rope_parameters": {"rope_theta": 400})"),
      "rope_parameters.rope_theta is not supported for this model_type; "
      "supported: full_attention, sliding_attention");
  ASSERT_EQ(importWith("olmo3", R"("rope_theta": 500000,
                           "rope_scaling": {"type": "linear", "factor": 4})"),
            "");
  expected = {707, 707, 707, 707, 707, 707, 2828, 2828};
  EXPECT_EQ(bases(), expected);
  EXPECT_EQ(importWith("olmo3", R"("rope_theta": 10000)"),
            "rope_theta is 10000.0, which transformers uses only in layers "
            "without a window; give rope_parameters, which has one for each "
            "kind of layers");
}

TEST_F(Families, RopeTypes) {
  auto scaled = [&](const std::string &keys,
                    const std::string &family = "llama") {
    return importWith(family, "\"rope_scaling\": {" + keys + "}");
  };
  for (std::string type : {"dynamic", "longrope", "su", "proportional"})
    EXPECT_EQ(scaled("\"rope_type\": \"" + type + "\", \"factor\": 2"),
              "rope_type \"" + type +
                  "\" is not supported for this model_type; supported: "
                  "default, linear, llama3, yarn");
  EXPECT_EQ(scaled(R"("type": "linear", "factor": 2)", "phi3"),
            "rope_type \"linear\" is not supported for this model_type; "
            "supported: default, longrope");
  EXPECT_EQ(scaled(R"("rope_type": "linear")"),
            "rope_scaling.factor is missing; add it");
  EXPECT_EQ(scaled(R"("rope_type": "linear", "factor": -1)"),
            "rope_scaling.factor must be positive, got -1.0");
  EXPECT_EQ(scaled(R"("rope_type": "llama3", "factor": 8)"),
            "rope_scaling.low_freq_factor is missing; add it");
  EXPECT_EQ(scaled(R"("rope_type": "llama3", "factor": 8, "low_freq_factor": 4,
                      "high_freq_factor": 4)"),
            "rope_scaling.low_freq_factor 4.0 must be less than "
            "high_freq_factor 4.0");
  EXPECT_EQ(scaled(R"("rope_type": "yarn", "factor": 8, "beta_fast": 0.5)"),
            "rope_scaling.beta_fast 0.5 must not be less than beta_slow 1.0");
  EXPECT_EQ(scaled(R"("rope_type": "linear", "factor": 2, "beta_fast": 1)"),
            "rope_scaling.beta_fast is not supported with rope_type "
            "\"linear\"; remove it if it says nothing");
  EXPECT_EQ(importWith("llama", R"("rope_scaling": 2)"),
            "rope_scaling must be an object, got 2");
  EXPECT_EQ(importWith("llama", R"("rope_theta": 1)"),
            "rope_theta must be greater than 1, got 1.0");
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

TEST_F(Families, Tying) {
  ASSERT_EQ(importWith("llama"), "");
  EXPECT_TRUE(has("lm_head.weight"));
  ASSERT_EQ(importWith("llama", R"("tie_word_embeddings": true)"), "");
  EXPECT_FALSE(has("lm_head.weight"));
  ASSERT_EQ(importWith("gemma2"), "");
  EXPECT_FALSE(has("lm_head.weight"));
  ASSERT_EQ(importWith("gpt_neox"), "");
  EXPECT_TRUE(has("embed_out.weight"));
  for (const char *family : {"smollm3", "cohere2", "starcoder2"}) {
    ASSERT_EQ(importWith(family), "");
    EXPECT_FALSE(has("lm_head.weight")) << family;
  }
}

TEST_F(Families, Biases) {
  std::string attention = "model.layers.0.self_attn.";
  ASSERT_EQ(importWith("llama"), "");
  EXPECT_FALSE(has(attention + "q_proj.bias"));
  ASSERT_EQ(importWith("llama", R"("attention_bias": true, "mlp_bias": true)"),
            "");
  EXPECT_TRUE(has(attention + "o_proj.bias"));
  EXPECT_TRUE(has("model.layers.3.mlp.down_proj.bias"));
  ASSERT_EQ(importWith("qwen2"), "");
  EXPECT_TRUE(has(attention + "v_proj.bias"));
  EXPECT_FALSE(has(attention + "o_proj.bias"));
  ASSERT_EQ(importWith("gpt_neox", R"("attention_bias": false)"), "");
  EXPECT_FALSE(has("gpt_neox.layers.0.attention.dense.bias"));
  EXPECT_TRUE(has("gpt_neox.layers.0.mlp.dense_h_to_4h.bias"));
  ASSERT_EQ(importWith("starcoder2"), "");
  EXPECT_TRUE(has(attention + "o_proj.bias"));
  EXPECT_TRUE(has("model.layers.0.mlp.c_fc.bias"));
  ASSERT_EQ(importWith("starcoder2", R"("use_bias": false)"), "");
  EXPECT_FALSE(has(attention + "q_proj.bias"));
  EXPECT_FALSE(has("model.layers.0.mlp.c_proj.bias"));
  EXPECT_TRUE(has("model.layers.0.input_layernorm.bias"));
  ASSERT_EQ(importWith("cohere2", R"("attention_bias": true)"), "");
  EXPECT_TRUE(has(attention + "o_proj.bias"));
  EXPECT_FALSE(has("model.layers.0.input_layernorm.bias"));
}

TEST_F(Families, InitialValues) {
  auto initOf = [&](const std::string &name) {
    auto loss = module->lookupSymbol<func::FuncOp>("loss");
    for (unsigned i = 0; i < loss.getNumArguments(); ++i)
      if (loss.getArgAttr(i, zero::kParamAttr) ==
          StringAttr::get(&context, name))
        return loss.getArgAttr(i, zero::kInitAttr);
    return Attribute();
  };
  auto constant = [&](double value) -> Attribute {
    return zero::ConstantAttr::get(&context, APFloat(value));
  };
  ASSERT_EQ(importWith("qwen3", R"("initializer_range": 0.5)"), "");
  EXPECT_EQ(initOf("model.layers.1.mlp.up_proj.weight"),
            zero::NormalAttr::get(&context, APFloat(0.5)));
  EXPECT_EQ(initOf("model.layers.1.self_attn.q_norm.weight"), constant(1));
  ASSERT_EQ(importWith("gemma3_text"), "");
  EXPECT_EQ(initOf("model.layers.1.self_attn.q_norm.weight"), constant(0));
  EXPECT_EQ(initOf("model.norm.weight"), constant(0));
  ASSERT_EQ(importWith("qwen2"), "");
  EXPECT_EQ(initOf("model.layers.1.self_attn.q_proj.bias"), constant(0));
}

TEST_F(Families, SizesThatOverflowTogetherAreAnError) {
  EXPECT_EQ(importWith("llama", R"("hidden_size": 2147483644,
                           "vocab_size": 2147483647)"),
            "parameter \"model.embed_tokens.weight\": a tensor of "
            "2147483647x2147483644 has more than 2^63 bytes");
}

} // namespace
