//===- HuggingFace.cpp - Models from config.json --------------------------===//
//
// 1. Reads the keys that affect the computation, each with its type, range and
//    Hugging Face's default (frontend/families).  Other keys (names of tokens,
//    versions) are ignored.
// 2. Refuses what zeroc does not support; notes what it leaves out.
// 3. Build the model by its family.
//
//===----------------------------------------------------------------------===//
#include "frontend/families/HuggingFace.h"

#include "frontend/families/Families.h"
#include "frontend/families/FunctionKeys.h"
#include "frontend/families/Keys.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {

/// The arguments of an import.
struct Request {
  MLIRContext &context;
  ConfigFile &file;
  const ImportedBatch &batch;
  llvm::function_ref<void(StringRef)> note;

  /// Checks that the sequence fits the positions that `key` gives; `why` says
  /// what longer ones would need.
  void checkSequence(StringRef key, int64_t positions,
                     StringRef why = "") const {
    if (!file.failed() && batch.sequence > positions)
      file.fail("sequences of " + Twine(batch.sequence) +
                " tokens are longer than " + key + " " + Twine(positions) +
                (why.empty() ? "" : ", ") + why +
                "; use --seq=" + Twine(positions) + " or less");
  }

  int64_t chooseSequence(int64_t positions) const {
    return batch.sequence ? batch.sequence : std::min<int64_t>(2048, positions);
  }

  void checkSeparator(int64_t vocabulary) const {
    if (!file.failed() && batch.separator && *batch.separator >= vocabulary)
      file.fail("--document-separator=" + Twine(*batch.separator) +
                " is no token: vocab_size is " + Twine(vocabulary));
  }

  /// Leaves out dropout, with a note, unless the import asks for it.  `given`
  /// says whether the file has all rates.
  void chooseDropout(DropoutRates &rates, bool given = true) const {
    if (batch.dropout && !rates.any())
      note(("--dropout changes nothing: all rates of " + file.getName() +
            " are 0")
               .str());
    if (batch.dropout || !rates.any())
      return;
    SmallVector<std::string> texts;
    for (double rate : {rates.residual, rates.embedding, rates.attention})
      if (rate != 0 && !llvm::is_contained(texts, toText(rate)))
        texts.push_back(toText(rate));
    note(("dropout " + llvm::join(texts, ", ") + " of " + file.getName() +
          (given ? "" : " (Hugging Face's default where a key is missing)") +
          " is off; --dropout trains with it")
             .str());
    rates = {};
  }
};

/// Gives a module, which is null after an error, the keys of its function.
OwningOpRef<ModuleOp> withKeys(OwningOpRef<ModuleOp> module,
                               const FunctionKeys &keys) {
  if (module)
    setFunction(*module, keys);
  return module;
}

/// Builds the model of a file; null if that failed.
using Import = OwningOpRef<ModuleOp> (*)(const Request &request);

OwningOpRef<ModuleOp> importGPT2(const Request &r) {
  GPT2Config config = readGPT2(r.file);
  r.checkSequence("n_positions", config.positions);
  if (r.batch.separator)
    r.file.fail(
        "--document-separator needs positions that begin anew with each "
        "document, and those of gpt2 are learned; leave it out, or pack the "
        "documents (--packed)");
  refuseOtherKeys(r.file, "gpt2");
  if (r.file.failed())
    return nullptr;
  r.chooseDropout(config.dropout, r.file.has("resid_pdrop") &&
                                      r.file.has("embd_pdrop") &&
                                      r.file.has("attn_pdrop"));
  config.packed = r.batch.packed;
  config.loss = r.batch.loss;
  return withKeys(buildGPT2(r.context, config, r.batch.batch,
                            r.chooseSequence(config.positions)),
                  functionKeys(config));
}

template <DecoderConfig (*Read)(ConfigFile &)>
OwningOpRef<ModuleOp> importDecoder(const Request &r) {
  DecoderConfig config = Read(r.file);
  refuseOtherKeys(r.file, r.file.string("model_type"));
  r.checkSequence("max_position_embeddings", config.positions);
  int64_t longest = config.positions;
  if (const auto &limit = config.limit) {
    r.checkSequence(limit->key, limit->positions, limit->why);
    longest = std::min(longest, limit->positions);
  }
  r.checkSeparator(config.vocabulary);
  if (r.file.failed())
    return nullptr;
  r.chooseDropout(config.dropout);
  if (r.file.isInside())
    config.names.model = "model.language_model";
  config.separator = r.batch.separator;
  config.packed = r.batch.packed;
  config.loss = r.batch.loss;
  return withKeys(
      buildDecoder(r.context, config, r.batch.batch, r.chooseSequence(longest)),
      functionKeys(config, r.file.string("model_type")));
}

/// Model families by model_type.
constexpr std::pair<StringLiteral, Import> kFamilies[] = {
    {"gpt2", importGPT2},
#define DECODER_FAMILY(MODEL_TYPE, NAME)                                       \
  {MODEL_TYPE, importDecoder<read##NAME>},
#include "frontend/families/Families.def"
};

} // namespace

/// Models of images and text, with the model_type of the text by default.
static constexpr std::pair<StringLiteral, StringLiteral> kWrappers[] = {
#define WRAPPER(MODEL_TYPE, INNER) {MODEL_TYPE, INNER},
#include "frontend/families/Families.def"
};

static Import findFamily(ConfigFile &file,
                         llvm::function_ref<void(StringRef)> note) {
  std::string type = file.string("model_type");
  for (auto [name, inner] : kWrappers)
    if (type == name) {
      file.enter("text_config");
      file.assume("model_type", inner);
      note(("of " + name +
            " the model of text is trained, and nothing on "
            "images; what else the folder has stays as it is, and zeroc export "
            "writes it, too")
               .str());
      type = file.string("model_type");
    }
  for (auto [name, import] : kFamilies)
    if (type == name)
      return import;
  static constexpr StringLiteral kSupported[] = {
      "gpt2",
#define DECODER_FAMILY(MODEL_TYPE, NAME) MODEL_TYPE,
#define INNER_FAMILY(MODEL_TYPE, NAME)
#define WRAPPER(MODEL_TYPE, INNER) MODEL_TYPE,
#include "frontend/families/Families.def"
  };
  if (!file.failed())
    file.fail("model_type \"" + type + "\" is not supported; supported: " +
              llvm::join(ArrayRef(kSupported), ", "));
  return nullptr;
}

std::string frontend::findConfig(StringRef path) {
  SmallString<128> config(path);
  if (llvm::sys::fs::is_directory(path))
    llvm::sys::path::append(config, "config.json");
  return config.str().str();
}

llvm::Expected<OwningOpRef<ModuleOp>>
frontend::importHuggingFace(MLIRContext &context, StringRef path,
                            const ImportedBatch &batch,
                            llvm::function_ref<void(StringRef)> note) {
  std::string config = findConfig(path);
  ConfigFile file(config);
  file.mayScore = batch.loss.scores() > 0;
  Import import = findFamily(file, note);

  // After the file has been read, only sizes that overflow together can fail.
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message.empty() &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
  });
  OwningOpRef<ModuleOp> module;
  if (import && !file.failed())
    module = import({context, file, batch, note});
  if (llvm::Error error = file.takeError())
    return std::move(error);
  if (!module)
    return llvm::createStringError(config + ": " + message);
  return std::move(module);
}
