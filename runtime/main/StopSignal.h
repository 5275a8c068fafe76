//===- StopSignal.h - Ending early, on all ranks together -------*- C++ -*-===//
//
// A run ends before its last step when somebody stops it, or when it diverges.
//
// Ctrl-C reaches every rank at another moment, a batch system's SIGTERM perhaps
// only one.  A signal is therefore only noted, and ranks vote after each step:
//
//   rank 0   step 7 |vote| step 8 |vote| save
//   rank 1   step 7 |vote| step 8 |vote| save
//                 signal ^      it is seen here, by both
//
// mpirun sends SIGTERM to the survivors of a rank that died.  They note it as
// well, and the vote, or the step before it, then fails for want of that rank:
// what ends them is that failure.  None of them stops on its own or saves a
// model that lacks a part.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/World.h"

#include <cstdint>
#include <vector>

namespace zrt {

/// Where a signal's number stands: the run has diverged.
constexpr uint8_t kDivergence = 255;
/// The same: there is no time for another step.
constexpr uint8_t kOutOfTime = 254;

/// From now on a first SIGINT, SIGTERM or SIGHUP is noted, and SIGUSR1 if `alsoUser`; a
/// second one of the same kind, more than a second later, meets the default
/// action.
void catchStopSignals(bool alsoUser = false);

/// Why all ranks stop, from what each has noted (0: nothing): a divergence
/// before any signal.
int agreedReason(const std::vector<uint8_t> &noted);

/// Why all ranks stop now: a signal, what is not 0 of any of them's `own`, or 0.
/// All ranks call it; with one rank it is a look at a variable.
int stopReason(World &world, uint8_t own);

} // namespace zrt
