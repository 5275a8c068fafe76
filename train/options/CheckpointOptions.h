//===- CheckpointOptions.h - Options of checkpoints -------------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"

#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace zrt {

/// What was typed of them, before it is judged.
struct TypedCheckpoint {
  std::string every, keep, memory, onError = "continue", timeLimit;
};

void addCheckpointOptions(CLI::App &app, TypedCheckpoint &typed,
                          TrainOptions &options);

/// Throws UsageError.
void judgeCheckpointOptions(const CLI::App &app, const TypedCheckpoint &typed,
                            TrainOptions &options);

} // namespace zrt
