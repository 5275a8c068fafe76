//===- SampleOptions.h - --sample and what belongs to it --------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"

#include <CLI/CLI.hpp>

namespace zrt {

/// What was typed, before it is judged.
struct TypedSample {
  std::string count = "0", every = "0", tokens = "100", temperature = "0.8",
              topK = "0", text, ids;
};

/// --prompt, --temperature and so on, of any program that draws.
void addPromptOptions(CLI::App &app, TypedSample &typed);
/// Those, with --sample and --sample-every, of one that trains.
void addSampleOptions(CLI::App &app, TypedSample &typed);

/// Both throw UsageError.  The first needs no --sample.
void judgePromptOptions(const CLI::App &app, const TypedSample &typed,
                        SampleOptions &sample);
void judgeSampleOptions(const CLI::App &app, const TypedSample &typed,
                        SampleOptions &sample);

} // namespace zrt
