//===- AdaptersTest.cpp - What LoRA adapts of families and objectives -----===//
//
// By default all linear layers but the head; whether the head is tied to the
// embedding or not, whatever the loss makes of its result.
//
//===----------------------------------------------------------------------===//

#include "frontend/families/HuggingFace.h"
#include "passes/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

using namespace mlir;
using namespace mlir::zero;
using frontend::Objective;

namespace {

using Names = std::set<std::string>;

struct Family {
  StringRef type, folder; ///< of its config.json in test/golden
  Names adapted;          ///< the last components of names
};

const Names kSeparate = {"q_proj",  "k_proj",    "v_proj",   "o_proj",
                         "up_proj", "gate_proj", "down_proj"},
            kOfExperts = {"q_proj", "k_proj", "v_proj", "o_proj", "gate"},
            kWithState = {"q_proj",    "k_proj",      "v_proj",    "o_proj",
                          "up_proj",   "gate_proj",   "down_proj", "in_proj_a",
                          "in_proj_b", "in_proj_qkv", "in_proj_z", "out_proj"},
            kPerLayer = {"q_proj",
                         "k_proj",
                         "v_proj",
                         "o_proj",
                         "up_proj",
                         "gate_proj",
                         "down_proj",
                         "per_layer_input_gate",
                         "per_layer_projection",
                         "per_layer_model_projection"};

const Family kFamilies[] = {
    {"gpt2", "gpt2-tiny", {"c_attn", "c_proj", "c_fc"}},
    {"llama", "llama", kSeparate},
    {"llama", "llama-biases", kSeparate},
    {"mistral", "mistral", kSeparate},
    {"mixtral", "mixtral", kOfExperts},
    {"qwen2", "qwen2", kSeparate},
    {"qwen3", "qwen3", kSeparate},
    // One layer of three has no experts.
    {"qwen3_moe",
     "qwen3_moe",
     {"q_proj", "k_proj", "v_proj", "o_proj", "gate", "up_proj", "gate_proj",
      "down_proj"}},
    {"olmoe", "olmoe", kOfExperts},
    {"gemma2", "gemma2", kSeparate},
    {"gemma3_text", "gemma3", kSeparate},
    {"gemma3", "images/gemma3", kSeparate},
    {"mistral3", "images/mistral3", kSeparate},
    {"qwen3_vl", "images/qwen3_vl", kSeparate},
    {"qwen3_5", "images/qwen3_5", kWithState},
    {"qwen3_5_text", "qwen3_5", kWithState},
    {"lfm2",
     "lfm2",
     {"q_proj", "k_proj", "v_proj", "out_proj", "in_proj", "w1", "w2", "w3"}},
    {"phi3", "phi3", {"qkv_proj", "o_proj", "gate_up_proj", "down_proj"}},
    {"smollm3", "smollm3", kSeparate},
    {"olmo2", "olmo2", kSeparate},
    {"olmo3", "olmo3", kSeparate},
    {"granite", "granite", kSeparate},
    {"granitemoehybrid",
     "granite4",
     {"q_proj", "k_proj", "v_proj", "o_proj", "input_linear", "output_linear"}},
    {"cohere2", "cohere2", kSeparate},
    {"starcoder2",
     "starcoder2",
     {"q_proj", "k_proj", "v_proj", "o_proj", "c_fc", "c_proj"}},
    {"exaone4", "exaone4", kSeparate},
    {"ministral3", "ministral3", kSeparate},
    {"gemma4_text", "gemma4-keys-are-values", kSeparate},
    {"gemma4_text", "gemma4", kPerLayer},
    {"gemma4", "images/gemma4", kPerLayer},
    {"gpt_neox",
     "gpt_neox",
     {"query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"}}};

struct Adapters : testing::Test {
  MLIRContext context{[] {
                        DialectRegistry registry;
                        registerPipelineDialects(registry);
                        return registry;
                      }(),
                      MLIRContext::Threading::DISABLED};
  std::string path = testing::TempDir() + "adapters-config-" +
                     std::to_string(getpid()) + ".json";

  void SetUp() override { registerPipelinePasses(); }
  void TearDown() override { llvm::sys::fs::remove(path); }

  void write(const llvm::json::Value &config) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << config;
    ASSERT_FALSE(error);
  }

  /// The last components of the modules of adapters, and of packed weights
  /// that are not of experts.
  std::pair<Names, Names> compile(const frontend::TextLoss &loss) {
    auto module = frontend::importHuggingFace(
        context, path,
        {.batch = 1, .sequence = 4, .packed = true, .loss = loss},
        [](StringRef) {});
    std::pair<Names, Names> found;
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return found;
    }
    PipelineOptions options;
    options.loraRank = 1;
    options.loraAlpha = 1;
    options.baseStorage = "nf4";
    EXPECT_TRUE(succeeded(runPipeline(**module, Level::Step, options)));
    (*module)->walk([&](func::FuncOp function) {
      for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
        auto name = function.getArgAttrOfType<StringAttr>(i, kParamAttr);
        StringRef of = name ? name.getValue() : "";
        if (of.consume_back(".lora_A.weight"))
          found.first.insert(of.rsplit('.').second.str());
        else if (of.consume_back(".weight") && !of.contains(".experts.") &&
                 function.getArgAttr(i, kPackingAttr))
          found.second.insert(of.rsplit('.').second.str());
      }
    });
    return found;
  }
};

TEST_F(Adapters, OfAllButTheHead) {
  for (const Family &family : kFamilies) {
    auto text = llvm::MemoryBuffer::getFile(Twine(ZERO_CONFIGS "/") +
                                            family.folder + "/config.json");
    ASSERT_TRUE(text);
    llvm::json::Object config =
        *llvm::cantFail(llvm::json::parse((*text)->getBuffer())).getAsObject();
    EXPECT_EQ(config.getString("model_type"), family.type);
    for (bool tied : {false, true}) {
      config["tie_word_embeddings"] = tied;
      if (llvm::json::Object *text = config.getObject("text_config"))
        (*text)["tie_word_embeddings"] = tied;
      write(llvm::json::Object(config));
      for (auto [i, facts] : llvm::enumerate(frontend::kObjectives)) {
        auto [adapted, packed] =
            compile({.objective = Objective(i), .samples = 2, .labels = 3});
        std::string of =
            (family.folder + " " + facts.name + (tied ? " tied" : " untied"))
                .str();
        EXPECT_EQ(adapted, family.adapted) << of;
        EXPECT_EQ(packed, family.adapted) << of;
      }
    }
  }
}

TEST_F(Adapters, OfEveryFamily) {
  write(llvm::json::Object{{"model_type", "none"}});
  auto module =
      frontend::importHuggingFace(context, path, {1, 4}, [](StringRef) {});
  ASSERT_FALSE(module);
  std::string error = llvm::toString(module.takeError());
  SmallVector<StringRef> types;
  StringRef(error).split("supported: ").second.split(types, ", ");
  Names known, named;
  for (StringRef type : types)
    named.insert(type.str());
  for (const Family &family : kFamilies)
    known.insert(family.type.str());
  EXPECT_EQ(known, named) << error;
}

} // namespace
