//===- Generate.h - A program that draws and does not train -----*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

namespace zrt {

/// Whether `plan` has nothing but the program predict (zeroc --sample-only).
bool generatesOnly(const zrt_plan &plan);

/// main() of such a plan: reads weights, shows what the model goes on with, or
/// writes the logits of a prompt.  Returns the exit status.  Throws zrt::Error; of a
/// command line that cannot be obeyed UsageError.
int generateMain(const zrt_plan &plan, int argc, const char *const *argv);

} // namespace zrt
