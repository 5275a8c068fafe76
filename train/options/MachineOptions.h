//===- MachineOptions.h - Threads, drives and checks of a run ---*- C++ -*-===//
#pragma once

#include "train/options/Options.h"

#include <CLI/CLI.hpp>
#include <string>

namespace zrt {

/// What was typed, before it is judged.
struct TypedMachine {
  std::string threads = "0", hostThreads = "0", nvmeEndurance;
  std::string deviceCheck; ///< "-" without a file
};

/// --host-threads, --nvme-endurance and --device-check, beside those of
/// addCommonOptions.
void addMachineOptions(CLI::App &app, TypedMachine &typed);

/// Throws UsageError.
void judgeMachineOptions(const CLI::App &app, const TypedMachine &typed,
                         TrainOptions &options);

} // namespace zrt
