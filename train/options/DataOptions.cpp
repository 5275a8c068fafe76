//===- DataOptions.cpp - The data of a run, and its length ----------------===//
#include "abi/Counts.h"
#include "train/options/CommandLine.h"
#include "train/options/Options.h"
#include "train/options/RunLength.h"
#include "train/state/io/TokenFiles.h"

#include <algorithm>

using namespace zrt;

namespace {

/// Of counts that only have to be free of overflow.
constexpr int64_t kManyTimes = int64_t{1} << 40;

constexpr Choices<TokenFormat, 5> kFormats = {{{"auto", TokenFormat::Auto},
                                               {"llmc", TokenFormat::Llmc},
                                               {"text", TokenFormat::Text},
                                               {"u16", TokenFormat::U16},
                                               {"u32", TokenFormat::U32}}};

/// The files that the patterns of `option` name, each once, in their order; how
/// many each of them names goes to `counts`.
std::vector<std::string> readFiles(const CommandLine &line, const char *option,
                                   std::vector<size_t> *counts = nullptr) {
  std::vector<std::string> files;
  for (const std::string &pattern : line.texts(option)) {
    if (pattern.empty())
      usage("{} needs a file name", option);
    const size_t before = files.size();
    try {
      for (std::string &file : expandPattern(pattern)) {
        if (std::find(files.begin(), files.end(), file) != files.end())
          usage("{} names {} twice", option, file);
        files.push_back(std::move(file));
      }
    } catch (const UsageError &) {
      throw;
    } catch (const Error &error) {
      usage("{}: {}", option, error.what());
    }
    if (counts)
      counts->push_back(files.size() - before);
  }
  return files;
}

/// Names and places of NAME=FILE.
std::vector<std::pair<std::string, std::string>>
readInputs(const CommandLine &line, const char *option) {
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const std::string &text : line.texts(option)) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      usage("{} must be NAME=FILE, got {}", option, text);
    std::string name = text.substr(0, equals);
    for (const auto &[known, place] : inputs)
      if (known == name)
        usage("{} {} is given twice", option, name);
    inputs.emplace_back(std::move(name), text.substr(equals + 1));
  }
  return inputs;
}

/// The arguments of --data, with the number of files of each.
std::vector<DataSource> readSources(const CommandLine &line,
                                    const std::vector<size_t> &files) {
  const std::vector<uint64_t> weights =
      readWeights(line.text("--data-weights"));
  if (files.empty())
    usage("--data-weights needs --data, with as many arguments");
  if (weights.size() != files.size())
    usage("--data-weights has {}, and --data {}; give one for each, and write "
          "a pattern that stands for one source in quotes",
          plural(weights.size(), "number"), plural(files.size(), "argument"));
  if (files.size() == 1)
    usage("--data-weights mixes several arguments of --data, and there is one; "
          "drop it");
  std::vector<DataSource> sources;
  sources.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i)
    sources.push_back({line.texts("--data")[i], files[i], weights[i]});
  return sources;
}

} // namespace

void zrt::readLength(const CommandLine &line, TrainOptions &options) {
  const bool hasSteps = line.given("--steps"),
             hasEpochs = line.given("--epochs");
  if (!hasSteps && !hasEpochs)
    usage("--steps is missing, or --epochs; see {} --help", options.program);
  if (hasSteps && hasEpochs)
    usage("--steps and --epochs both say when the run ends; drop one");
  options.schedule.steps = line.count("--steps", kMaxSteps);
  options.epochs = line.countFrom1("--epochs", kManyTimes, 0);
}

void zrt::readData(const CommandLine &line, TrainOptions &options) {
  options.format = line.choose("--data-format", kFormats, TokenFormat::Auto);
  if (line.given("--document-separator"))
    options.separator = line.count("--document-separator", UINT32_MAX);
  std::vector<size_t> files;
  options.data = readFiles(line, "--data", &files);
  if (line.given("--data-weights"))
    options.sources = readSources(line, files);
  options.inputs = readInputs(line, "--input");
}

void zrt::readEvaluation(const CommandLine &line, EvalOptions &eval) {
  eval.data = readFiles(line, "--eval-data");
  eval.inputs = readInputs(line, "--eval-input");
  for (const auto &[option, value] : {std::pair("--eval-every", &eval.every),
                                      {"--eval-batches", &eval.batches},
                                      {"--patience", &eval.patience}})
    *value = line.countFrom1(option, kManyTimes, 0);
  eval.keepsBest = line.isOn("--keep-best");
  for (const char *option :
       {"--eval-every", "--eval-batches", "--keep-best", "--patience"})
    if (line.given(option) && !eval.isWanted())
      usage("{} needs --eval-data=FILE", option);
  if (eval.keepsBest && !line.given("--save") && !line.given("--checkpoint"))
    usage("--keep-best needs --save=FILE for the best weights, or "
          "--checkpoint=DIR for the best checkpoint");
  if (eval.patience && !eval.every)
    usage("--patience={} counts evaluations; add --eval-every=N, or there are "
          "only those before the first step and after the last",
          eval.patience);
}
