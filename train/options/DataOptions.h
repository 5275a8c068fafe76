//===- DataOptions.h - The data of a run ------------------------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"

#include <CLI/CLI.hpp>

namespace zrt {

/// What was typed, before it is judged.
struct TypedData {
  std::string steps = "0", epochs = "0", format = "auto", weights, separator;
  std::vector<std::string> data, inputs;
};

/// Adds --data, and the options of how data is read.
void addDataOptions(CLI::App &app, TypedData &typed, TrainOptions &options);

/// Both throw UsageError.
void judgeLength(const CLI::App &app, const TypedData &typed,
                 TrainOptions &options);
void judgeData(const CLI::App &app, const TypedData &typed,
               TrainOptions &options);

} // namespace zrt
