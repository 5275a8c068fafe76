//===- Train.h - The training loop ------------------------------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

namespace zrt {

/// All of main(): parses, connects the ranks, trains `plan`, reports.  Returns
/// the exit status: 0; 1 after an error on any rank; 2 for a command line that
/// cannot be obeyed; 3 when the training diverged, and nothing is saved; 4 when
/// all is done and saved, but metrics or what is printed are incomplete; 130
/// after Ctrl-C, 143 after SIGTERM.  Throws nothing.
int trainMain(const zrt_plan &plan, int argc, const char *const *argv);

} // namespace zrt
