//===- StepParts.h - Separates the updates of a step ------------*- C++ -*-===//
//
// A step consists of forward and backward (A), then the updates (B).  B waits
// for the norm of all gradients, and the forward of the next step waits for B,
// bucket by bucket.  So B moves from the end of its step to where the next A
// needs it:
//
//   @step   A B   A B   A B   ...
//
//   @first  A
//   @step     B A   B A   ...
//   @flush                  B
//
// 1. B consists of the updates, the transfers that bring their state, and all
//    operations that use their results.
// 2. The values that A leaves for B are pending: gradients become state in slot
//    "grad"; the factor of zero.clip becomes an output, and the scalar of that
//    name.
// 3. @first is a copy without B, @flush a copy without A.
// 4. In @step, the part of B of each bucket moves before the first operation of
//    A that reads its parameters.  The transfers that bring its state stay one
//    update ahead.
//
// With `delayed`, A computes with the parameters from before B, so that B can
// run in parallel with all of A:
//
// 4. In @step, B moves to the start, in the order in which A leaves gradients;
//    but the new parameters replace the old ones only after A has read those
//    for the last time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::zero {

/// Splits a program into A and B, and turns it into one of the new programs.
class StepParts {
public:
  explicit StepParts(ProgramOp program) : program(program), b(program) {}

  /// Finds B.
  LogicalResult analyze();
  /// Adds the arguments for pending values; nothing reads them yet.
  void addPending();

  void makeFirst();
  void makeStep();
  void makeDelayedStep();
  void makeFlush();

private:
  /// The update of a bucket and the operations that belong to it, in program
  /// order.
  struct Update {
    UpdateOp op;
    SpillOp gradient;                ///< where it leaves the device
    SmallVector<Operation *> bring;  ///< transfers that bring its state
    SmallVector<Operation *> follow; ///< operations that use its results
    BlockArgument parameters, pending;
  };

  Operation *terminator() { return program.front().getTerminator(); }
  void collectFollowers(Update &update);
  void takePending();
  void leavePending();
  SmallVector<Operation *> getReaders(const Update &update);
  void moveUpdates();
  void moveUpdatesBeside();
  void sinkNames();
  void skipReadBack(const Update &update);

  ProgramOp program;
  OpBuilder b;
  SmallVector<Update> updates; ///< in program order
  llvm::SetVector<Operation *> ofUpdates;
  /// Transfers that bring state directly before its update; all others come one
  /// update ahead.
  DenseSet<Operation *> inTime;
  ClipOp clip;
};

} // namespace mlir::zero
