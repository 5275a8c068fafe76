//===- Mains.h - The main functions of programs -----------------*- C++ -*-===//
#pragma once

#include "abi/zrt.h"
#include "train/options/Options.h"

#include <functional>
#include <string>

namespace zrt {

/// Exit statuses other than 0 and those of signals.
enum Status : int {
  kFailed = 1,
  kMisused = 2,
  kDiverged = 3,
  kIncomplete = 4,
  kDifferent = 5, ///< from --against
  kTryAgain = 75  ///< EX_TEMPFAIL of sysexits.h
};

/// Prints an error; nothing if `message` is empty, as another rank prints it.
void printError(const std::string &who, const std::string &message);

/// All of main(): parses, connects the ranks, trains `plan`, reports.  Returns
/// the exit status: 0; 1 after an error on any rank; 2 for an invalid command
/// line; 3 if the training diverged, and nothing is saved; 4 if all is done and
/// saved, but metrics or the printed output are incomplete; 5 if the run
/// differs from --against; 75 after --time-limit, or with --elastic if another
/// rank has failed; 130 after Ctrl-C, 138 after SIGUSR1, 140 after SIGUSR2, 143
/// after SIGTERM.  Throws nothing.
int trainMain(const zrt_plan &plan, int argc, const char *const *argv);
/// The same with options that are parsed.  Throws zrt::Error, and UsageError
/// for an invalid command line.
int trainMain(const zrt_plan &plan, const TrainOptions &options);

/// Returns what `action` returns, or prints its error and returns the status of
/// that.
int guarded(const std::string &program, const std::function<int()> &action);

/// Returns true if `plan` has only prefill and decode (zeroc --sample-only).
bool generatesOnly(const zrt_plan &plan);

/// main() of such a plan: reads weights, then prints generated text or writes
/// the logits of a prompt.  Returns the exit status.  Throws zrt::Error, and
/// UsageError for an invalid command line.
int generateMain(const zrt_plan &plan, int argc, const char *const *argv);

/// The same for a plan that scores (zeroc --score-only): reads weights and
/// samples, and writes their values.
bool scoresOnly(const zrt_plan &plan);
int scoreMain(const zrt_plan &plan, int argc, const char *const *argv);

} // namespace zrt
