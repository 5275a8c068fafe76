//===- DataOptions.cpp - The data of a run --------------------------------===//
#include "train/options/DataOptions.h"

#include "train/options/DataWeights.h"
#include "train/options/InputOptions.h"
#include "train/options/OptionValues.h"
#include "train/options/RunLength.h"

using namespace zrt;

namespace {

constexpr Choices<TokenFormat, 5> kFormats = {{{"auto", TokenFormat::Auto},
                                               {"llmc", TokenFormat::Llmc},
                                               {"text", TokenFormat::Text},
                                               {"u16", TokenFormat::U16},
                                               {"u32", TokenFormat::U32}}};

} // namespace

const char *zrt::nameOf(TokenFormat format) { return nameIn(kFormats, format); }

void zrt::addDataOptions(CLI::App &app, TypedData &typed,
                         TrainOptions &options) {
  addFilesOption(app, "--data", typed.data);
  addInputOption(app, "--input", typed.inputs);
  app.add_option("--data-format", typed.format);
  app.add_option("--data-weights", typed.weights);
  app.add_option("--document-separator", typed.separator);
  app.add_flag("--shuffle", options.shuffle);
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
