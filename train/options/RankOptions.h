//===- RankOptions.h - Options that all ranks must have alike ---*- C++ -*-===//
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace zrt {

/// Returns the given options of `app` that ranks must have alike
/// (TrainOptionList.h), one in a line: "--lr=0.001", of files and flags the
/// name alone.  Numbers have one spelling.
std::string comparedOptions(const CLI::App &app);

} // namespace zrt
