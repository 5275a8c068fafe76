//===- CommandLine.h - What all command lines have in common ----*- C++ -*-===//
#pragma once

#include "runtime/main/Options.h"

#include <CLI/CLI.hpp>
#include <string>

namespace zrt {

/// --plan, and the options of the machine.  What `threads` means is judged by the
/// caller.
void addCommonOptions(CLI::App &app, std::string &threads,
                      TrainOptions &options);

/// Splits the line by the options of `app`.  Throws UsageError, in our words.
void readLine(CLI::App &app, int argc, const char *const *argv);

} // namespace zrt
