//===- MatmulAlgorithms.h - The algorithms of a run's matmuls ---*- C++ -*-===//
//
// A GPU has several algorithms for a product, with other times and other bits.
// Rank 0 times them before the first step, all ranks take its choice, and a
// file keeps it for runs that go on:
//
//   DIR/matmuls.json     beside DIR/step-100, DIR/step-200 (--checkpoint)
//
// A run that goes on takes the file beside its checkpoint.  Without it the run
// before had the first algorithms, unless its checkpoint says otherwise.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "train/run/Run.h"

#include <string>

namespace zrt {

/// Throws UsageError for options about algorithms that `plan` has no use for.
void checkMatmulOptions(const zrt_plan &plan, const TrainOptions &options);

class MatmulAlgorithms {
public:
  explicit MatmulAlgorithms(Run &run);

  /// Reads the file of the checkpoint with which the run goes on.  Throws
  /// zrt::Error.
  void open();
  /// All ranks together, before anything is written to the plan's memory.
  /// Throws AgreedError.
  void choose();
  /// Throws zrt::Error if the checkpoint's run has had a file that is missing.
  void checkResumed() const;
  /// A line for the start of a run, or "".
  std::string text() const { return line; }

private:
  /// Returns the choices of the device, which has those of `chosen`.
  std::string chooseHere(const std::string &chosen);
  /// Writes the file of this run.
  void keep(const std::string &choices) const;

  Run &run;
  const bool isOnGpu;
  // On rank 0 of a run that goes on:
  std::string file;       ///< beside its checkpoint
  std::string kept;       ///< its text, or ""
  bool isMissing = false; ///< though it is wanted
  std::string line;
};

} // namespace zrt
