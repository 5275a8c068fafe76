//===- DataOptions.cpp - The data of a run --------------------------------===//
#include "runtime/main/DataOptions.h"

#include "runtime/main/DataWeights.h"
#include "runtime/main/InputOptions.h"
#include "runtime/main/OptionValues.h"
#include "runtime/main/RunLength.h"

using namespace zrt;

namespace {

constexpr Choices<TokenFormat, 5> kFormats = {{{"auto", TokenFormat::Auto},
                                               {"llmc", TokenFormat::Llmc},
                                               {"text", TokenFormat::Text},
                                               {"u16", TokenFormat::U16},
                                               {"u32", TokenFormat::U32}}};

void addText(CLI::App &app, const char *name, std::string &value,
             const char *type, const char *group, const char *description) {
  app.add_option(name, value, description)->type_name(type)->group(group);
}

} // namespace

const char *zrt::nameOf(TokenFormat format) { return nameIn(kFormats, format); }

void zrt::addLengthOptions(CLI::App &app, TypedData &typed) {
  addText(app, "--steps", typed.steps, "N", "Required",
          "Number of steps (or give --epochs)");
  addText(app, "--epochs", typed.epochs, "E", "Required",
          "Number of times to read all samples (or give --steps)");
}

void zrt::addDataOptions(CLI::App &app, TypedData &typed,
                         TrainOptions &options) {
  addFilesOption(
      app, "--data", typed.data, "Data",
      "Token files for the inputs tokens and targets; several files or "
      "patterns ('part*.bin') are read one after the other");
  addInputOption(app, "--input", typed.inputs, "Data",
                 "Samples of the input NAME: FILE.npy, or "
                 "FILE.safetensors[:TENSOR]; repeated for each input");
  addText(app, "--data-format", typed.format, "KIND", "Data",
          "llmc (with header), u16, u32, text (bytes), or auto (default: by "
          "content and name)");
  addText(app, "--data-weights", typed.weights, "W1,W2,...", "Data",
          "Mix the arguments of --data with these weights, as in 0.7,0.3");
  addText(
      app, "--document-separator", typed.separator, "ID", "Data",
      "Token id that ends a document; the loss ignores the target after it");
  app.add_flag("--shuffle", options.shuffle,
               "Read samples in random order, a different one in each epoch "
               "(see --seed)")
      ->group("Data");
}

void zrt::judgeLength(const CLI::App &app, const TypedData &typed,
                      TrainOptions &options) {
  const bool hasSteps = app.count("--steps") > 0,
             hasEpochs = app.count("--epochs") > 0;
  if (!hasSteps && !hasEpochs)
    usage("--steps is missing, or --epochs; see {} --help", options.program);
  if (hasSteps && hasEpochs)
    usage("--steps and --epochs both say when the run ends; drop one");
  options.schedule.steps = readCount("--steps", typed.steps, kMaxSteps);
  options.epochs = readCount("--epochs", typed.epochs, int64_t{1} << 40);
  if (hasEpochs && options.epochs == 0)
    usage("--epochs must be 1 or more, got 0");
}

/// With the files of each argument.
static std::vector<DataSource> readSources(const TypedData &typed,
                                           const std::vector<size_t> &files) {
  const std::vector<uint64_t> weights = readWeights(typed.weights);
  if (files.empty())
    usage("--data-weights needs --data, with as many arguments");
  if (weights.size() != files.size())
    usage("--data-weights has {} number{}, and --data {} argument{}; give one "
          "for each, and write a pattern that stands for one source in quotes",
          weights.size(), weights.size() == 1 ? "" : "s", files.size(),
          files.size() == 1 ? "" : "s");
  if (files.size() == 1)
    usage("--data-weights mixes several arguments of --data, and there is one; "
          "drop it");
  std::vector<DataSource> sources;
  sources.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i)
    sources.push_back({typed.data[i], files[i], weights[i]});
  return sources;
}

void zrt::judgeData(const CLI::App &app, const TypedData &typed,
                    TrainOptions &options) {
  options.format = choose("--data-format", typed.format, kFormats);
  if (app.count("--document-separator") > 0)
    options.separator =
        readCount("--document-separator", typed.separator, UINT32_MAX);
  std::vector<size_t> files;
  options.data = readFiles("--data", typed.data, &files);
  if (app.count("--data-weights") > 0)
    options.sources = readSources(typed, files);
  options.inputs = readInputs("--input", typed.inputs);
}
