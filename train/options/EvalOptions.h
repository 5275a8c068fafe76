//===- EvalOptions.h - --eval-data and what belongs to it -------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"

#include <CLI/CLI.hpp>

namespace zrt {

/// What was typed, before it is judged.
struct TypedEval {
  std::string every = "0", batches = "0";
  std::vector<std::string> data, inputs;
};

void addEvalOptions(CLI::App &app, TypedEval &typed);

/// Throws UsageError.
void judgeEvalOptions(const CLI::App &app, const TypedEval &typed,
                      TrainOptions &options);

} // namespace zrt
