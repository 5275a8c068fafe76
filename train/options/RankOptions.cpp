//===- RankOptions.cpp - Options that all ranks must have alike -----------===//
#include "train/options/RankOptions.h"

#include "train/options/TrainOptionList.h"

#include <charconv>
#include <fmt/format.h>

using namespace zrt;

/// "1e-3" as "0.001".
static std::string inOneSpelling(const std::string &value) {
  double number = 0;
  const char *end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  return error == std::errc() && stop == end ? fmt::format("{}", number)
                                             : value;
}

std::string zrt::comparedOptions(const CLI::App &app) {
  std::string lines;
  for (const CLI::Option *option : app.get_options()) {
    const std::string name = option->get_name();
    const ListedOption *listed = findListedOption(name);
    if (option->count() == 0 || !listed || listed->scope == RankScope::Own)
      continue;
    lines += name;
    const bool isFlag = option->get_items_expected_max() == 0;
    if (!isFlag && listed->scope != RankScope::Place)
      for (const std::string &value : option->results())
        lines += (&value == &option->results().front() ? "=" : " ") +
                 inOneSpelling(value);
    lines += '\n';
  }
  return lines;
}
