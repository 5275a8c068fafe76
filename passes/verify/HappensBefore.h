//===- HappensBefore.h - Order of operations across streams and ranks -----===//
//
// Simulates the streams of all ranks as the runtime runs them: each is a queue
// in program order, and has a vector clock.  The clock counts the operations of
// every stream that are over at that point, whatever the speeds.
//
//   record    copies the clock of its stream to the event
//   wait      merges the event's clock into the clock of its stream
//   collective  starts when every rank has reached it, and merges their clocks:
//             everything before it on any rank is over when it ends
//
// Ranks that run the same program share one side: each of them has the same
// clocks for its own streams, and a path over several of them also exists
// within one.  Collectives over members, groups or a context are between some
// of the ranks only, which changes nothing on one side: they merge fewer
// clocks, but equal ones.  If all ranks run their operations in one order that
// no wait forbids, all ranks of a collective come to it at the same time, so
// nothing waits in a cycle.  Sides with other programs would have to be
// simulated group by group, so there are none if ranks are in groups or share
// sequences (S5).
//
//   (V3)  all ranks issue the same collectives in one order, over all streams;
//         the n-th is the same operation on the same bytes everywhere.
//   (V4)  streams and ranks do not wait for each other in a cycle.
//   (V10) the program records an event before it waits for it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include <array>

namespace mlir::zero::judge {

constexpr int kStreams = getMaxEnumValForStream() + 1;

/// Operations of each stream of a rank.
using Counts = std::array<unsigned, kStreams>;

/// The position of an operation in the order.
struct Place {
  unsigned number = 0; ///< on its stream, from 1
  Counts over = {};    ///< operations of the rank's streams that are over
};

/// Ranks that run the same program.
struct Side {
  ProgramOp program;
  int64_t rank; ///< one of them
  Block &body() const { return ProgramOp(program).front(); }
};

/// The places of all operations that run something.
using HappensBefore = DenseMap<Operation *, Place>;

/// Computes the places of all operations of `sides`.  Fails with an error at
/// the first operation that breaks a rule.
FailureOr<HappensBefore> simulate(ArrayRef<Side> sides);

} // namespace mlir::zero::judge
