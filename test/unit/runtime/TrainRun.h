//===- TrainRun.h - A call of the training program --------------*- C++ -*-===//
#pragma once

#include "train/run/Mains.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace zrt {

/// Returns the status of `train ARGS` with `plan`.
inline int callTrain(const zrt_plan &plan,
                     const std::vector<std::string> &args) {
  std::vector<const char *> argv = {"train"};
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());
  return trainMain(plan, static_cast<int>(argv.size()), argv.data());
}

/// Same, with the output.
struct TrainRun {
  std::string out, err;

  int operator()(const zrt_plan &plan, const std::vector<std::string> &args) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = callTrain(plan, args);
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return status;
  }
};

} // namespace zrt
