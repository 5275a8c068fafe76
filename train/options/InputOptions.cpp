//===- InputOptions.cpp - --input and --eval-input ------------------------===//
#include "train/options/InputOptions.h"

#include "runtime/io/TokenFiles.h"
#include "train/options/OptionValues.h"

#include <algorithm>

using namespace zrt;

void zrt::addInputOption(CLI::App &app, const char *option,
                         std::vector<std::string> &values) {
  app.add_option(option, values)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void zrt::addFilesOption(CLI::App &app, const char *option,
                         std::vector<std::string> &patterns) {
  app.add_option(option, patterns)
      ->expected(1, -1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<std::string>
zrt::readFiles(const char *option, const std::vector<std::string> &patterns,
               std::vector<size_t> *counts) {
  std::vector<std::string> files;
  for (const std::string &pattern : patterns) {
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
