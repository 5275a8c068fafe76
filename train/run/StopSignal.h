//===- StopSignal.h - Ends a run early, on all ranks together ---*- C++ -*-===//
//
// A run ends before its last step when a user stops it, or when it diverges.
//
// Ctrl-C reaches the ranks at different moments, and a batch system's SIGTERM
// may reach only one.  A handler therefore only records the signal, and ranks
// vote after each step:
//
//   rank 0   step 7 |vote| step 8 |vote| save
//   rank 1   step 7 |vote| step 8 |vote| save
//                 signal ^      both ranks see it here
//
// mpirun sends SIGTERM to the survivors when a rank dies.  They record it, too,
// but the vote, or the step before it, fails because that rank is missing, and
// this failure ends them.  No rank stops on its own or saves an incomplete
// model.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/world/SocketWorld.h"
#include "runtime/world/World.h"

#include <cstdint>
#include <string>
#include <vector>

namespace zrt {

/// In place of a signal's number: the run has diverged.
constexpr uint8_t kDivergence = 255;
/// In place of a signal's number: there is no time for another step.
constexpr uint8_t kOutOfTime = 254;

struct CaughtSignals {
  bool user = false; ///< SIGUSR1, too
  bool grow = false; ///< kGrowSignal, too, which may be blocked before
  /// Printed on standard error at the first SIGINT: a step may take minutes.
  std::string note;
};

/// From now on a first SIGINT, SIGTERM or SIGHUP is recorded, and those of
/// `caught`; a second signal of the same kind, more than a second later, takes
/// the default action.
void catchStopSignals(const CaughtSignals &caught = {});

/// The note of a program: what Ctrl-C does, and what it does again.
std::string stopNote(const std::string &program);

/// The reason why all ranks stop: the largest that a rank has recorded (0:
/// none), so a divergence precedes any signal.
int agreedReason(const std::vector<uint8_t> &noted);

/// The reason why all ranks stop now: a signal, or a rank's `own` reason; 0 if
/// no rank has one.  All ranks call it; with one rank it only reads a variable.
int stopReason(World &world, uint8_t own);

} // namespace zrt
