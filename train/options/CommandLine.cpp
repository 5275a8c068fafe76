//===- CommandLine.cpp - Parts common to all command lines ----------------===//
#include "train/options/CommandLine.h"

#include "train/options/OptionValues.h"
#include "train/options/OtherTools.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

using namespace zrt;

/// Rewrites errors such as "Could not convert: --steps = abc" in our style.
static std::string inOurWords(const CLI::ParseError &error) {
  std::string text = error.what();
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  while (!text.empty() && (text.back() == '.' || text.back() == '\n'))
    text.pop_back();
  return text;
}

/// Returns true for an option of zeroc that programs lack;
/// test/e2e/test_mistakes.py compares the list with zeroc --help.
static bool isOptionOfZeroc(std::string_view option) {
  static constexpr std::string_view options[] = {
#define ZERO_FIELD(TYPE, FIELD, GETTER, USAGE, EFFECT)
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT) "--" USAGE,
#include "abi/PlanOptions.def"
      "--attention",
      "--base-storage",
      "--betas",
      "--collectives",
      "--compare",
      "--constants-as-params",
      "--cpu",
      "--cuda-arch",
      "--device-memory",
      "--ds-config",
      "--emit",
      "--eps",
      "--function",
      "--host-memory",
      "--inputs",
      "--lora",
      "--lora-targets",
      "--loss",
      "--momentum",
      "--offload",
      "--optimizer",
      "--optimizer-numbers",
      "--params",
      "--sample-only",
      "--skip-nonfinite",
      "--target",
      "--timing"};
  return std::any_of(std::begin(options), std::end(options),
                     [&](std::string_view known) {
                       return known.substr(0, known.find('=')) == option;
                     });
}

/// Names our counterpart of another trainer's option; "" for an unknown name.
static std::string explainOther(std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  const OtherTool *other = findOtherTool(name);
  if (!other)
    return "";
  switch (other->program) {
  case OtherTool::Program::Train:
    return fmt::format("it is {} here; ", other->here);
  case OtherTool::Program::Compile:
    return fmt::format("it is {} of zeroc; ", other->here);
  case OtherTool::Program::Import:
    return fmt::format("it is {} of zeroc import; ", other->here);
  case OtherTool::Program::Tokenize:
    return fmt::format("it is {} of zeroc tokenize; ", other->here);
  }
  return "";
}

/// The Levenshtein distance between `a` and `b`.
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j)
      diagonal =
          std::exchange(row[j + 1], std::min({diagonal + (a[i] == b[j] ? 0 : 1),
                                              row[j] + 1, row[j + 1] + 1}));
  }
  return row.back();
}

/// "did you mean --steps? ", or "" if no option has a similar name.
static std::string suggest(const CLI::App &app, const std::string &unknown) {
  constexpr size_t kMostChanges = 2;
  size_t nearest = kMostChanges + 1;
  std::string meant;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      if (const size_t changes = distance(unknown, "--" + name);
          changes < nearest) {
        nearest = changes;
        meant = name;
      }
  return meant.empty() ? "" : fmt::format("did you mean --{}? ", meant);
}

void zrt::addCommonOptions(CLI::App &app, std::string &threads,
                           TrainOptions &options) {
  app.add_flag("--plan", options.plan);
  app.add_option("--threads", threads);
  app.add_option("--nvme-path", options.nvmePath);
  app.add_flag("--verify-reads", options.verifyReads);
}

void zrt::readLine(CLI::App &app, int argc, const char *const *argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError &) {
    const std::string unknown = app.remaining().front();
    if (unknown.rfind('-', 0) != 0)
      usage("unknown argument {}; see {} --help", unknown, app.get_name());
    const std::string name = unknown.substr(0, unknown.find('='));
    if (isOptionOfZeroc(name))
      usage("{} is an option of zeroc; compile the model with it", name);
    std::string advice = explainOther(name);
    if (advice.empty())
      advice = suggest(app, name);
    usage("unknown option {}; {}see {} --help", name, advice, app.get_name());
  } catch (const CLI::ParseError &error) {
    usage("{}; see {} --help", inOurWords(error), app.get_name());
  }
}
