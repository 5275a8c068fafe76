//===- HuggingFaceTest.cpp - Valid and invalid config.json files ----------===//
#include "ImportTest.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {

struct HuggingFace : ImportTest {
  /// Returns a valid config with `extra` keys, and without those in `without`.
  std::string config(const std::string &extra = "",
                     const std::string &without = "") {
    std::string text = "{\"model_type\": \"gpt2\"";
    for (std::pair<std::string, int> key : {std::pair("n_layer", 2),
                                            {"n_head", 2},
                                            {"n_embd", 16},
                                            {"vocab_size", 32},
                                            {"n_positions", 8}})
      if (key.first != without)
        text += ", \"" + key.first + "\": " + std::to_string(key.second);
    for (const char *key : {"resid_pdrop", "embd_pdrop", "attn_pdrop"})
      if (extra.find(key) == std::string::npos && key != without)
        text += ", \"" + std::string(key) + "\": 0";
    return text + (extra.empty() ? "" : ", " + extra) + "}";
  }
};

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST_F(HuggingFace, ReadsAConfig) {
  EXPECT_EQ(importText(config()), "");
  EXPECT_TRUE(notes.empty());
  auto function = module->lookupSymbol<func::FuncOp>("loss");
  ASSERT_TRUE(function);
  EXPECT_EQ(function.getNumArguments(), 30u);
}

TEST_F(HuggingFace, PassesOverKeysThatChangeNothing) {
  EXPECT_EQ(importText(config(R"("architectures": ["GPT2LMHeadModel"],
      "bos_token_id": 50256, "reorder_and_upcast_attn": true,
      "task_specific_params": {"a": [1, {"b": null}]}, "n_inner": null,
      "pruned_heads": {}, "layer_norm_epsilon": null)")),
            "");
}

TEST_F(HuggingFace, NamesAMissingFile) {
  EXPECT_EQ(importFile(path.string()),
            "cannot be read: No such file or directory");
}

TEST_F(HuggingFace, TakesTheFolderOfAModel) {
  namespace fs = std::filesystem;
  fs::path folder =
      fs::path(testing::TempDir()) / ("model-" + std::to_string(getpid()));
  fs::create_directories(folder);
  EXPECT_EQ(importFile(folder.string()),
            "/config.json: cannot be read: No such file or directory");
  std::ofstream(folder / "config.json") << config();
  EXPECT_EQ(importFile(folder.string()), "");
  fs::remove_all(folder);
}

TEST_F(HuggingFace, SaysWhereJsonIsBroken) {
  std::string error = importText("{\"model_type\": gpt2}");
  EXPECT_EQ(error.find("is not valid JSON at byte 16: "), 0u) << error;
  error = importText("");
  EXPECT_EQ(error.find("is not valid JSON at byte 1: "), 0u) << error;
  error = importText("{} {}");
  EXPECT_EQ(error.find("is not valid JSON at byte 4: "), 0u) << error;
  error = importText("{\"a\": \"\xff\"}");
  EXPECT_EQ(error.find("is not valid JSON at byte 8: "), 0u) << error;
  error = importText("{\"a\": 1e999}");
  EXPECT_EQ(error.find("is not valid JSON at byte 11"), 0u) << error;
}

TEST_F(HuggingFace, WantsAnObject) {
  EXPECT_EQ(importText("[1, 2]"), "must hold a JSON object, got an array");
  EXPECT_EQ(importText("null"), "must hold a JSON object, got null");
}

TEST_F(HuggingFace, DeepNestingIsNoCrash) {
  std::string deep(200000, '[');
  EXPECT_NE(importText(deep), "");
  EXPECT_NE(importText(deep + std::string(200000, ']')), "");
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

TEST_F(HuggingFace, NamesOtherFamilies) {
  EXPECT_EQ(
      importText(R"({"model_type": "bert"})"),
      "model_type \"bert\" is not supported; supported: gpt2, llama, "
      "mistral, mixtral, qwen2, qwen3, qwen3_moe, olmoe, gemma2, "
      "gemma3_text, phi3, gpt_neox, qwen3_5_text, lfm2, smollm3, olmo2, olmo3, "
      "granite, granitemoehybrid, cohere2, starcoder2, exaone4, "
      "ministral3, gemma4_text, gemma3, mistral3, qwen3_vl, qwen3_5, gemma4");
  EXPECT_EQ(importText("{}"), "model_type is missing; add it");
  EXPECT_EQ(importText(R"({"model_type": 2})"),
            "model_type must be a string, got 2");
}

TEST_F(HuggingFace, WantsEverySize) {
  for (std::string key :
       {"n_layer", "n_head", "n_embd", "vocab_size", "n_positions"})
    EXPECT_EQ(importText(config("", key)), key + " is missing; add it");
}

TEST_F(HuggingFace, WantsPositiveIntegersAsSizes) {
  std::string range = " must be an integer from 1 to 2147483647, got ";
  auto with = [&](const std::string &key, const std::string &value) {
    return importText(config("\"" + key + "\": " + value, key));
  };
  for (std::string key : {"n_head", "n_embd", "vocab_size", "n_positions"})
    for (std::string value : {"0", "-4", "2.5", "16.0", "\"16\"", "true",
                              "2147483648", "18446744073709551615"})
      EXPECT_EQ(with(key, value), key + range + value);
  EXPECT_EQ(with("n_embd", "[16]"), "n_embd" + range + "an array");
  EXPECT_EQ(with("n_layer", "10001"),
            "n_layer must be an integer from 1 to 10000, got 10001");
  EXPECT_EQ(with("n_embd", "123456789012345678901234567890"),
            "n_embd" + range + "1.2345678901234568e+29");
  EXPECT_EQ(with("n_inner", "-1"), "n_inner" + range + "-1");
  EXPECT_EQ(with("n_embd", "null"), "n_embd is missing; add it");
  EXPECT_EQ(with("n_embd", "\"" + std::string(100, 'x') + "\""),
            "n_embd" + range + "\"" + std::string(39, 'x') + "...");
}

TEST_F(HuggingFace, TakesTheOldNameOfPositions) {
  EXPECT_EQ(importText(config("\"n_ctx\": 8", "n_positions")), "");
  EXPECT_EQ(importText(config("\"n_ctx\": 8")), "");
  EXPECT_EQ(importText(config("\"n_ctx\": 16")),
            "n_positions 8 and n_ctx 16 name the same size; keep one");
}

TEST_F(HuggingFace, HeadsDivideTheWidth) {
  EXPECT_EQ(importText(config("\"n_head\": 3", "n_head")),
            "n_embd 16 is not a multiple of n_head 3");
}

TEST_F(HuggingFace, SequencesFitThePositions) {
  EXPECT_EQ(importText(config(), /*sequence=*/9),
            "sequences of 9 tokens are longer than n_positions 8; use --seq=8 "
            "or less");
}

TEST_F(HuggingFace, ChecksNumbers) {
  EXPECT_EQ(importText(config("\"layer_norm_epsilon\": 0")),
            "layer_norm_epsilon must be positive and finite in f32, got 0.0");
  EXPECT_EQ(importText(config("\"layer_norm_epsilon\": \"1e-5\"")),
            "layer_norm_epsilon must be a number, got \"1e-5\"");
  EXPECT_EQ(
      importText(config("\"initializer_range\": -0.02")),
      "initializer_range must not be negative, and finite in f32, got -0.02");
  EXPECT_EQ(importText(config("\"resid_pdrop\": 1.5")),
            "resid_pdrop must be at least 0 and below 1, got 1.5");
  EXPECT_EQ(importText(config("\"tie_word_embeddings\": 1")),
            "tie_word_embeddings must be true or false, got 1");
}

TEST_F(HuggingFace, BeginsAtZero) {
  ASSERT_EQ(importText(config("\"initializer_range\": -0.0")), "");
  auto function = module->lookupSymbol<func::FuncOp>("loss");
  EXPECT_FALSE(cast<zero::NormalAttr>(function.getArgAttr(0, zero::kInitAttr))
                   .getStd()
                   .isNegative());
}

TEST_F(HuggingFace, KeepsNumbers) {
  ASSERT_EQ(importText(config("\"layer_norm_epsilon\": 1e-6, "
                              "\"initializer_range\": 0.5, \"n_inner\": 24, "
                              "\"scale_attn_weights\": false")),
            "");
  EXPECT_EQ(first<nn::LayerNormOp>().getEps().convertToDouble(), 1e-6);
  EXPECT_EQ(first<nn::AttentionOp>().getScale().convertToDouble(), 1);
  EXPECT_EQ(first<nn::GeluOp>().getX().getType().getShape().back(), 24);
  auto function = module->lookupSymbol<func::FuncOp>("loss");
  EXPECT_EQ(function.getArgAttr(0, zero::kInitAttr),
            zero::NormalAttr::get(&context, APFloat(0.5)));
}

TEST_F(HuggingFace, ListsActivations) {
  for (StringRef name :
       {"gelu_new", "gelu_pytorch_tanh", "gelu", "relu", "silu"})
    EXPECT_EQ(
        importText(config("\"activation_function\": \"" + name.str() + "\"")),
        "");
  EXPECT_EQ(importText(config("\"activation_function\": \"mish\"")),
            "activation_function \"mish\" is not supported; supported: "
            "gelu_new, gelu_pytorch_tanh, gelu, relu, silu, swish");
}

TEST_F(HuggingFace, RefusesWhatItDoesNotDo) {
  EXPECT_EQ(importText(config("\"add_cross_attention\": true")),
            "add_cross_attention is not supported; zeroc trains decoders "
            "alone, so set it to false");
  EXPECT_EQ(importText(config("\"pruned_heads\": {\"0\": [1]}")),
            "pruned_heads is not supported; remove it to train all heads");
}

TEST_F(HuggingFace, SizesThatOverflowTogetherAreAnError) {
  std::string error = importText(
      R"({"model_type": "gpt2", "n_layer": 1, "n_head": 1,
          "n_embd": 2147483647, "vocab_size": 2147483647, "n_positions": 8})");
  EXPECT_EQ(error, "parameter \"transformer.wte.weight\": a tensor of "
                   "2147483647x2147483647 has more than 2^63 bytes");
}

//===----------------------------------------------------------------------===//
// Dropout is never dropped silently
//===----------------------------------------------------------------------===//

TEST_F(HuggingFace, NotesDropout) {
  std::string off = " is off; --dropout trains with it";
  std::string of = " of " + path.filename().string();
  ASSERT_EQ(importText(config("\"resid_pdrop\": 0.1")), "");
  EXPECT_EQ(notes, std::vector<std::string>({"dropout 0.1" + of + off}));
  ASSERT_EQ(importText(config("\"resid_pdrop\": 0.1, \"embd_pdrop\": 0.1, "
                              "\"attn_pdrop\": 0.1")),
            "");
  EXPECT_EQ(notes, std::vector<std::string>({"dropout 0.1" + of + off}));
  ASSERT_EQ(importText(config("\"resid_pdrop\": 0.1, \"attn_pdrop\": 0.25")),
            "");
  EXPECT_EQ(notes, std::vector<std::string>({"dropout 0.1, 0.25" + of + off}));
}

TEST_F(HuggingFace, NotesTheDefaultDropout) {
  ASSERT_EQ(importText(config("", "embd_pdrop")), "");
  EXPECT_EQ(notes, std::vector<std::string>(
                       {"dropout 0.1 of " + path.filename().string() +
                        " (Hugging Face's default where a key is missing) is "
                        "off; --dropout trains with it"}));
}

TEST_F(HuggingFace, HasDropoutWhereGPT2Has) {
  dropout = true;
  ASSERT_EQ(importText(config("\"resid_pdrop\": 0.2, \"embd_pdrop\": 0.1")),
            "");
  EXPECT_TRUE(notes.empty());
  std::vector<double> rates;
  module->walk([&](nn::DropoutOp op) {
    EXPECT_EQ(op.getPlace(), rates.size());
    rates.push_back(op.getRate().convertToDouble());
  });
  EXPECT_EQ(rates, std::vector<double>({0.1, 0.2, 0.2, 0.2, 0.2}));
  EXPECT_FALSE(first<nn::AttentionOp>().getKeys());
  ASSERT_EQ(importText(config("\"attn_pdrop\": 0.3")), "");
  EXPECT_EQ(first<nn::AttentionOp>().getRate()->convertToDouble(), 0.3);
  EXPECT_EQ(first<nn::AttentionOp>().getPlace(), 0);
}

} // namespace
