//===- Generate.h - A program that only generates text ----------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"

namespace zrt {

/// Returns true if `plan` has only the program predict (zeroc --sample-only).
bool generatesOnly(const zrt_plan &plan);

/// main() of such a plan: reads weights, then prints generated text or writes
/// the logits of a prompt.  Returns the exit status.  Throws zrt::Error, and
/// UsageError for an invalid command line.
int generateMain(const zrt_plan &plan, int argc, const char *const *argv);

} // namespace zrt
