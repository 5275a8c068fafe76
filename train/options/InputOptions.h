//===- InputOptions.h - --input and --eval-input ----------------*- C++ -*-===//
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace zrt {

/// Adds an option that is given once for each input.
void addInputOption(CLI::App &app, const char *option,
                    std::vector<std::string> &values);

/// Adds an option for one file or several.
void addFilesOption(CLI::App &app, const char *option,
                    std::vector<std::string> &patterns);

/// The files that `patterns` name, each once, in their order; how many each of
/// them names goes to `counts`.  Throws UsageError.
std::vector<std::string> readFiles(const char *option,
                                   const std::vector<std::string> &patterns,
                                   std::vector<size_t> *counts = nullptr);

/// Names and places of NAME=FILE.  Throws UsageError.
std::vector<std::pair<std::string, std::string>>
readInputs(const char *option, const std::vector<std::string> &values);

} // namespace zrt
