//===- CommandLine.h - Parts common to all command lines --------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"

#include <CLI/CLI.hpp>
#include <string>

namespace zrt {

/// Adds --plan and the options of the machine.  The caller parses `threads`.
void addCommonOptions(CLI::App &app, std::string &threads,
                      TrainOptions &options);

/// Parses the command line with the options of `app`.  Throws UsageError with a
/// message in our style.
void readLine(CLI::App &app, int argc, const char *const *argv);

} // namespace zrt
