//===- HappensBefore.h - What is over when an operation starts ------------===//
//
// Runs the streams of all ranks as the runtime does, each a queue in program
// order, and keeps for each a vector clock: how many operations of every stream
// are over, whatever the speeds.
//
//   record    the clock of its stream goes to the event
//   wait      takes in the event's clock
//   exchange  starts when every rank has come to it, and takes in their clocks:
//             what came before it on any rank is over when it ends
//
// Ranks that run the same program are one side: what one of them knows of its
// own streams each of them does, and a path over several of them also exists
// within one.
//
//   (V3)  all ranks issue the same exchanges in one order, over all streams;
//         those of one number are the same operation on the same bytes.
//   (V4)  streams and ranks do not wait for each other in a circle.
//   (V10) a wait's event is recorded before it, by the same program.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include <array>

namespace mlir::zero::judge {

constexpr int kStreams = 8;

/// Operations of each stream of a rank.
using Counts = std::array<unsigned, kStreams>;

/// When an operation starts.
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

class HappensBefore {
public:
  /// The places of all operations that run something.  Fails with an error at
  /// the first that breaks a rule.
  static FailureOr<HappensBefore> of(ArrayRef<Side> sides);

  const Place &at(Operation *op) const { return places.find(op)->second; }

private:
  friend class Simulation;
  DenseMap<Operation *, Place> places;
};

} // namespace mlir::zero::judge
