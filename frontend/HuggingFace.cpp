//===- HuggingFace.cpp - Models from config.json --------------------------===//
//
// 1. Read the keys that change what is computed, each with its type, range and
//    Hugging Face's default.  Keys that don't (names of tokens, versions) are
//    passed over.
// 2. Refuse what this compiler does not do; note what it leaves out.
// 3. Build the model by its family.
//
// Defaults are those of transformers' GPT2Config, but sizes must be there: a
// model of the wrong size is no model at all.
//
//===----------------------------------------------------------------------===//
#include "frontend/HuggingFace.h"

#include "frontend/ConfigFile.h"
#include "frontend/GPT2.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::frontend;

/// Ids are 32 bits wide, and so are the other sizes for good measure.
static constexpr int64_t kMaxSize = INT32_MAX;
/// More is a slip of the finger, and would fill memory before it failed.
static constexpr int64_t kMaxLayers = 10000;

/// n_positions, which old files call n_ctx.
static int64_t readPositions(ConfigFile &file) {
  if (!file.has("n_ctx"))
    return file.integer("n_positions", 1, kMaxSize);
  int64_t context = file.integer("n_ctx", 1, kMaxSize);
  int64_t positions = file.integer("n_positions", 1, kMaxSize, context);
  if (positions != context)
    file.fail("n_positions " + Twine(positions) + " and n_ctx " +
              Twine(context) + " name the same size; keep one");
  return positions;
}

static Activation readActivation(ConfigFile &file) {
  std::string name = file.string("activation_function", "gelu_new");
  auto activation =
      llvm::StringSwitch<std::optional<Activation>>(name)
          .Cases({"gelu_new", "gelu_pytorch_tanh"}, Activation::GeluTanh)
          .Case("gelu", Activation::GeluErf)
          .Case("relu", Activation::Relu)
          .Default(std::nullopt);
  if (!activation)
    file.fail("activation_function \"" + name +
              "\" is not supported; supported: gelu_new, gelu_pytorch_tanh, "
              "gelu, relu");
  return activation.value_or(Activation::GeluTanh);
}

/// Hugging Face trains with dropout, and by default: never drop it silently.
static void noteDropout(ConfigFile &file,
                        llvm::function_ref<void(StringRef)> note) {
  SmallVector<std::string> rates;
  bool given = true;
  for (StringRef key : {"resid_pdrop", "embd_pdrop", "attn_pdrop"}) {
    double rate = file.number(key, /*otherwise=*/0.1);
    if (!(rate >= 0 && rate <= 1))
      file.fail(key + " must lie between 0 and 1, got " + toText(rate));
    given &= file.has(key);
    rates.push_back(toText(rate));
    if (rate == 0)
      rates.pop_back();
  }
  if (rates.empty() || file.failed())
    return;
  rates.erase(llvm::unique(rates), rates.end());
  note(("dropout " + llvm::join(rates, ", ") + " of " + file.getName() +
        (given ? "" : " (Hugging Face's default where a key is missing)") +
        " is off: zeroc trains without dropout")
           .str());
}

static GPT2Config readGPT2(ConfigFile &file) {
  GPT2Config c;
  c.layers = file.integer("n_layer", 1, kMaxLayers);
  c.heads = file.integer("n_head", 1, kMaxSize);
  c.width = file.integer("n_embd", 1, kMaxSize);
  c.vocabulary = file.integer("vocab_size", 1, kMaxSize);
  c.positions = readPositions(file);
  c.innerWidth = file.integer("n_inner", 1, kMaxSize, 4 * c.width);
  c.normEps = file.number("layer_norm_epsilon", c.normEps);
  c.initStd = file.number("initializer_range", c.initStd);
  c.activation = readActivation(file);
  c.tied = file.boolean("tie_word_embeddings", true);
  c.scaleAttention = file.boolean("scale_attn_weights", true);
  c.scaleByLayer = file.boolean("scale_attn_by_inverse_layer_idx", false);

  if (c.width % c.heads)
    file.fail("n_embd " + Twine(c.width) + " is not a multiple of n_head " +
              Twine(c.heads));
  // What is computed is f32: what is infinite or 0 there is not what was meant.
  if (!(float(c.normEps) > 0) || !std::isfinite(float(c.normEps)))
    file.fail("layer_norm_epsilon must be positive and finite in f32, got " +
              toText(c.normEps));
  if (!(c.initStd >= 0) || !std::isfinite(float(c.initStd)) ||
      (c.initStd > 0 && float(c.initStd) == 0))
    file.fail(
        "initializer_range must not be negative, and finite in f32, got " +
        toText(c.initStd));
  if (file.boolean("add_cross_attention", false))
    file.fail("add_cross_attention is not supported; zeroc trains decoders "
              "alone, so set it to false");
  if (!file.isEmpty("pruned_heads"))
    file.fail("pruned_heads is not supported; remove it to train all heads");
  return c;
}

llvm::Expected<OwningOpRef<ModuleOp>>
frontend::importHuggingFace(MLIRContext &context, StringRef path, int64_t batch,
                            int64_t sequence,
                            llvm::function_ref<void(StringRef)> note) {
  ConfigFile file(path);
  std::string family = file.string("model_type");
  if (family != "gpt2")
    file.fail("model_type \"" + family +
              "\" is not supported yet; supported: gpt2");
  GPT2Config config = file.failed() ? GPT2Config() : readGPT2(file);
  if (!file.failed() && sequence > config.positions)
    file.fail("sequences of " + Twine(sequence) +
              " tokens are longer than n_positions " + Twine(config.positions) +
              "; use --seq=" + Twine(config.positions) + " or less");
  if (!file.failed())
    noteDropout(file, note);
  if (llvm::Error error = file.takeError())
    return std::move(error);

  // What is left to go wrong are sizes that overflow together.
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty() &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
  });
  OwningOpRef<ModuleOp> module = buildGPT2(context, config, batch, sequence);
  if (!module)
    return llvm::createStringError(path + ": " + message);
  return std::move(module);
}
