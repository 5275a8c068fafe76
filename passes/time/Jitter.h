//===- Jitter.h - A program on ranks that are not equally fast --*- C++ -*-===//
//
// Every task of every rank takes longer by a random part, and one rank may be
// slower in all that it does.  Ranks meet in collectives, which begin when the
// last one has come: so noise that is small on one rank adds up on many.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/time/Timeline.h"

namespace mlir::zero {

struct Jitter {
  /// The mean part by which a task takes longer; the part is distributed
  /// exponentially.
  double mean = 0;
  /// How much longer the last rank takes for each task of compute.
  double straggler = 1;
  uint64_t seed = 1;

  bool isAny() const { return mean > 0 || straggler != 1; }
};

/// The seconds of `schedule` on `ranks` ranks, given its times on one.  A
/// function of the seed and of `run`, which counts the programs of a step.
double simulateRanks(const Schedule &schedule, const Timeline &timeline,
                     int64_t ranks, const Jitter &jitter, uint64_t run = 0);

} // namespace mlir::zero
