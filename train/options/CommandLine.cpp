//===- CommandLine.cpp - A command line of listed options -----------------===//
#include "train/options/CommandLine.h"

#include "abi/CompileOptions.h"
#include "abi/OtherTools.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

using namespace zrt;

namespace {

/// Whether ranks must have an option alike.  One rank with --spike-guard would
/// leave an update out that the others make; one with --save-dtype would wait
/// for a vote that they do not hold.
enum class RankScope { Alike, Place, Own };

/// A row of abi/TrainOptions.def.
struct ListedOption {
  std::string_view name;  ///< "--steps"
  std::string_view value; ///< "N", "" for a flag
  const char *group;      ///< of --help
  RankScope scope;
  const char *help;
};

constexpr ListedOption kListed[] = {
#define TRAIN_OPTION(NAME, VALUE, GROUP, SCOPE, HELP)                          \
  {NAME, VALUE, GROUP, RankScope::SCOPE, HELP},
#include "abi/TrainOptions.def"
};

/// Rewrites errors such as "Could not convert: --steps = abc" in our style.
std::string inOurWords(const CLI::ParseError &error) {
  std::string text = error.what();
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  while (!text.empty() && (text.back() == '.' || text.back() == '\n'))
    text.pop_back();
  return text;
}

/// Returns true for an option of zeroc.
bool isOptionOfZeroc(std::string_view option) {
  static constexpr std::string_view options[] = {
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT) {"--" USAGE},
#include "abi/PlanOptions.def"
  };
  return findCompileOption(option) ||
         std::any_of(std::begin(options), std::end(options),
                     [&](std::string_view known) {
                       return known.substr(0, known.find('=')) == option;
                     });
}

/// Names our counterpart of another trainer's option; "" for an unknown name.
std::string explainOther(std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  const OtherTool *other = findOtherTool(name);
  if (!other)
    return "";
  if (other->program == OtherTool::Program::None)
    return fmt::format("it is not supported, because {}; ", other->here);
  static constexpr const char *where[] = {"of zeroc", "of zeroc import", "here",
                                          "of zeroc tokenize",
                                          "of zeroc finetune"};
  return fmt::format("it is {} {}; ", other->here, where[int(other->program)]);
}

/// The Levenshtein distance between `a` and `b`.
size_t distance(std::string_view a, std::string_view b) {
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
std::string suggest(const CLI::App &app, const std::string &unknown) {
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

/// A path, or several that commas separate.
std::string absolutePaths(const std::string &text, bool isSeveral) {
  std::error_code error; // of an empty name, which is refused later
  const size_t comma = isSeveral ? text.find(',') : std::string::npos;
  const std::string first =
      std::filesystem::absolute(text.substr(0, comma), error).string();
  return comma == std::string::npos
             ? first
             : first + "," + absolutePaths(text.substr(comma + 1), true);
}

/// "1e-3" as "0.001".
std::string inOneSpelling(const std::string &value) {
  double number = 0;
  const char *end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  return error == std::errc() && stop == end ? fmt::format("{}", number)
                                             : value;
}

} // namespace

CommandLine::CommandLine(const std::string &program,
                         const std::string &description, const char *helpOfHelp)
    : app(description, program) {
  app.set_help_flag("");
  app.add_flag("-h,--help", wantsHelp, helpOfHelp);
}

void CommandLine::addListed(std::initializer_list<std::string_view> names) {
  for (const ListedOption &listed : kListed) {
    const std::string name(listed.name);
    if (names.size() > 0 &&
        std::find(names.begin(), names.end(), name) == names.end())
      continue;
    CLI::Option *option = nullptr;
    if (listed.value == "FILE..." || listed.value == "NAME=FILE")
      option = app.add_option(name, lists[name])
                   ->expected(1, listed.value == "FILE..." ? -1 : 1)
                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    // Flags that may have a value: what follows after a space is not theirs.
    else if (name == "--certificate")
      option = app.add_flag("--certificate{text}");
    else if (name == "--device-check")
      option = app.add_flag("--device-check{-}");
    else if (listed.value.empty())
      option = app.add_flag(name, flags[name]);
    else
      option = app.add_option(name);
    option->description(listed.help)->group(listed.group);
    if (!listed.value.empty())
      option->type_name(std::string(listed.value));
  }
}

void CommandLine::add(const char *name, const char *value, const char *group,
                      const char *help) {
  app.add_option(name)->description(help)->type_name(value)->group(group);
}

void CommandLine::addFlag(const char *name, const char *group,
                          const char *help) {
  app.add_flag(name, flags[name])->description(help)->group(group);
}

void CommandLine::parse(int argc, const char *const *argv) {
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

int64_t CommandLine::count(const char *option, int64_t most) const {
  const auto value =
      number<int64_t>(option, text(option, "0"), "a whole number");
  if (value < 0)
    usage("{} must not be negative, got {}", option, value);
  if (value > most)
    usage("{} must be at most {}, got {}", option, most, value);
  return value;
}

int64_t CommandLine::countFrom1(const char *option, int64_t most,
                                int64_t otherwise) const {
  if (!given(option))
    return otherwise;
  const int64_t value = count(option, most);
  if (value == 0)
    usage("{} must be 1 or more, got 0", option);
  return value;
}

double CommandLine::positive(const char *option, const char *kind) const {
  const auto value = number<double>(option, text(option), kind);
  if (!(value > 0 && std::isfinite(value)))
    usage("{} must be {}, got {}", option, kind, text(option));
  return value;
}

std::vector<std::string> CommandLine::repeated() const {
  std::vector<std::string> words;
  for (const ListedOption &listed : kListed) {
    const std::string name(listed.name), group = listed.group;
    if (!given(name.c_str()) ||
        (group != "Required" && group != "Learning rate" && group != "Data" &&
         name != "--seed" && name != "--nvme-path"))
      continue;
    if (listed.value.empty()) {
      words.push_back(name);
      continue;
    }
    const bool isList = listed.value == "FILE...";
    if (isList)
      words.push_back(name);
    for (const std::string &value : app.get_option(name)->results()) {
      const size_t file = listed.value == "NAME=FILE" ? value.find('=') + 1 : 0;
      const bool isFolders = name == "--nvme-path";
      std::string found = value.substr(0, file);
      if (isList || isFolders || file > 0)
        found += absolutePaths(value.substr(file), isFolders);
      else
        found = value;
      words.push_back(isList ? found : fmt::format("{}={}", name, found));
    }
  }
  return words;
}

std::string CommandLine::compared() const {
  std::string lines;
  for (const ListedOption &listed : kListed) {
    const std::string name(listed.name);
    if (!given(name.c_str()) || listed.scope == RankScope::Own)
      continue;
    lines += name;
    const char *before = "=";
    if (!listed.value.empty() && listed.scope != RankScope::Place)
      for (const std::string &value : app.get_option(name)->results())
        lines += std::exchange(before, " ") + inOneSpelling(value);
    lines += '\n';
  }
  return lines;
}
