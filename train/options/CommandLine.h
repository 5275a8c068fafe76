//===- CommandLine.h - A command line of listed options ---------*- C++ -*-===//
//
// abi/TrainOptions.def declares the options.  CLI11 splits the line; what a
// value means is judged here, so that every message is in our words.  All
// functions throw UsageError.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/options/Options.h"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace zrt {

/// The spellings of an option's values, and their meanings.
template <typename T, size_t N>
using Choices = std::array<std::pair<const char *, T>, N>;

template <typename T, size_t N>
const char *nameIn(const Choices<T, N> &choices, T wanted) {
  for (const auto &[name, meaning] : choices)
    if (meaning == wanted)
      return name;
  return "?";
}

/// Reads a number of type T.  CLI11 would read 010 as eight and -1 as a large
/// seed.
template <typename T>
T number(const char *option, const std::string &text, const char *kind) {
  T value = {};
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    usage("{} must be {}, got {}", option, kind, text);
  return value;
}

class CommandLine {
public:
  CommandLine(const std::string &program, const std::string &description,
              const char *helpOfHelp = "Print this text and exit");

  /// Adds these options of abi/TrainOptions.def; without names, all.
  void addListed(std::initializer_list<std::string_view> names = {});
  /// Adds an option that is not listed there, or means something else.
  void add(const char *name, const char *value, const char *group,
           const char *help);
  /// The same for one without a value.
  void addFlag(const char *name, const char *group, const char *help);
  void setFooter(const std::string &text) { app.footer(text); }
  void parse(int argc, const char *const *argv);

  /// The text of --help if that is given, else "".
  std::string help() const { return wantsHelp ? app.help() : ""; }
  /// Whether an option is given, which may be none of this line.
  bool given(const char *option) const {
    const CLI::Option *found = app.get_option_no_throw(option);
    return found && found->count() > 0;
  }
  bool isOn(const char *flag) const { return flags.at(flag); }
  /// The value of an option, or `otherwise`.
  std::string text(const char *option, const char *otherwise = "") const {
    return given(option) ? app.get_option(option)->results().back() : otherwise;
  }
  /// The values of an option that takes several.
  const std::vector<std::string> &texts(const char *option) const {
    return lists.at(option);
  }
  /// A whole number up to `most`.
  int64_t count(const char *option, int64_t most) const;
  /// The same, but 1 or more; `otherwise` if the option is not given.
  int64_t countFrom1(const char *option, int64_t most, int64_t otherwise) const;
  /// A finite number above 0; `kind` describes it.
  double positive(const char *option, const char *kind) const;
  uint64_t seed() const {
    return number<uint64_t>("--seed", text("--seed", "0"),
                            "a whole number from 0 to 2^64-1");
  }
  template <typename T, size_t N>
  T choose(const char *option, const Choices<T, N> &choices,
           std::type_identity_t<T> otherwise) const {
    if (!given(option))
      return otherwise;
    const std::string value = text(option);
    std::string names;
    for (const auto &[name, meaning] : choices) {
      if (value == name)
        return meaning;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    usage("{}={} is unknown; choose one of {}", option, value, names);
  }

  /// The given options that ranks must have alike, one in a line: "--lr=0.001",
  /// of files and flags the name alone.  Numbers have one spelling.
  std::string compared() const;
  /// The given options that steps depend on, as they can be given again in any
  /// folder: of the length of the run, the learning rate, the data, and the
  /// seed.
  std::vector<std::string> repeated() const;

private:
  CLI::App app;
  bool wantsHelp = false;
  std::map<std::string, std::vector<std::string>> lists;
  std::map<std::string, bool> flags;
};

/// Each reads some options of a line.
void readDrive(const CommandLine &line, TrainOptions &options);
void readLength(const CommandLine &line, TrainOptions &options);
void readData(const CommandLine &line, TrainOptions &options);
void readEvaluation(const CommandLine &line, EvalOptions &eval);
void readCheckpoints(const CommandLine &line, TrainOptions &options);
void readSamples(const CommandLine &line, SampleOptions &sample);
/// --prompt and what belongs to it, without --sample.
/// The numbers of an option such as 1,2,3; none if it is not given.
std::vector<int64_t> readIds(const CommandLine &line, const char *option);
void readPrompt(const CommandLine &line, SampleOptions &sample);
/// --memory-check: whether a plan that does not fit the machine is refused.
bool readMemoryCheck(const CommandLine &line);
/// --certificate and --plan, which end the program.
void readListings(const CommandLine &line, TrainOptions &options);

} // namespace zrt
