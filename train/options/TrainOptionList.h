//===- TrainOptionList.h - The rows of abi/TrainOptions.def -----*- C++ -*-===//
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

namespace zrt {

/// Whether ranks must have an option alike.  One rank with --spike-guard would
/// leave an update out that the others make; one with --save-dtype would wait
/// for a vote that they do not hold.
enum class RankScope { Alike, Place, Own };

struct ListedOption {
  std::string_view name; ///< "--steps"
  const char *value;     ///< "N", "" for a flag
  const char *group;     ///< of --help
  RankScope scope;
  const char *help;
};

/// Returns the row of `name`; null if there is none.
const ListedOption *findListedOption(std::string_view name);

/// Gives the options of `app` that are listed their value, group and help.
void describeOptions(CLI::App &app);

} // namespace zrt
