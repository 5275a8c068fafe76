//===- InputOptions.cpp - --input and --eval-input ------------------------===//
#include "runtime/main/InputOptions.h"

#include "runtime/main/OptionValues.h"

using namespace zrt;

void zrt::addInputOption(CLI::App &app, const char *option,
                         std::vector<std::string> &values, const char *group,
                         const char *description) {
  app.add_option(option, values, description)
      ->type_name("NAME=FILE")
      ->group(group)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<std::pair<std::string, std::string>>
zrt::readInputs(const char *option, const std::vector<std::string> &values) {
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const std::string &text : values) {
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
