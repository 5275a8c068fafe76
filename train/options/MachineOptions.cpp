//===- MachineOptions.cpp - Threads, drives and checks of a run -----------===//
#include "train/options/MachineOptions.h"

#include "train/options/OptionValues.h"

#include <cmath>

using namespace zrt;

void zrt::addMachineOptions(CLI::App &app, TypedMachine &typed) {
  // A flag that may have a value: what follows after a space is not its own.
  app.add_flag("--device-check{-}", typed.deviceCheck);
  app.add_option("--host-threads", typed.hostThreads);
  app.add_option("--nvme-endurance", typed.nvmeEndurance);
}

void zrt::judgeMachineOptions(const CLI::App &app, const TypedMachine &typed,
                              TrainOptions &options) {
  options.threads =
      static_cast<int32_t>(readCount("--threads", typed.threads, 4096));
  options.hostThreads = static_cast<int32_t>(
      readCount("--host-threads", typed.hostThreads, 4096));
  if (app.count("--nvme-path") > 0 &&
      (options.nvmePath.empty() ||
       ("," + options.nvmePath + ",").find(",,") != std::string::npos))
    usage("--nvme-path must be DIR[,DIR...], got \"{}\"", options.nvmePath);
  if (app.count("--nvme-endurance") > 0) {
    constexpr const char *kKind = "a number of terabytes above 0";
    const auto value =
        number<double>("--nvme-endurance", typed.nvmeEndurance, kKind);
    if (!(value > 0 && std::isfinite(value)))
      usage("--nvme-endurance must be {}, got {}", kKind, typed.nvmeEndurance);
    options.nvmeEndurance = value;
  }
  options.deviceCheck = !typed.deviceCheck.empty();
  if (options.deviceCheck && typed.deviceCheck != "-")
    options.deviceCheckFile = typed.deviceCheck;
}
