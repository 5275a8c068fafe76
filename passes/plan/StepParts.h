//===- StepParts.h - The two parts of a step, apart -------------*- C++ -*-===//
//
// A step is forward and backward, A, then the updates, B.  B waits for the norm
// of all gradients, and the forward of the next step for B, bucket by bucket.
// So B goes from the end of its step to where the next A needs it:
//
//   @step   A B   A B   A B   ...
//
//   @first  A
//   @step     B A   B A   ...
//   @flush                  B
//
// 1. B is the updates, the transfers that bring their state, and all that
//    follows from them.
// 2. What A leaves for B is pending: gradients become state, slot "grad", and
//    the factor of zero.clip an output, and the scalar of that name.
// 3. @first and @flush are copies without B, and without A.
// 4. In @step a bucket's part of B goes before what reads its parameters first,
//    in A.  What brings its state keeps its lead of one update.
//
// With `delayed` A computes with the parameters before B, so that B has all of A
// to run beside:
//
// 4. In @step B goes to the start, in the order in which A leaves gradients; but
//    the next parameters replace those before them after A has read these last.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::zero {

/// A program of both parts, and what it becomes.
class StepParts {
public:
  explicit StepParts(ProgramOp program) : program(program), b(program) {}

  /// Finds B.
  LogicalResult analyze();
  /// Adds the arguments for what is pending; nothing reads them yet.
  void addPending();

  void makeFirst();
  void makeStep();
  void makeDelayedStep();
  void makeFlush();

private:
  /// The update of a bucket, and what belongs to it, in program order.
  struct Update {
    UpdateOp op;
    SpillOp gradient;                ///< where it leaves the device
    SmallVector<Operation *> bring;  ///< its state
    SmallVector<Operation *> follow; ///< from its results
    BlockArgument parameters, pending;
  };

  Operation *terminator() { return program.front().getTerminator(); }
  std::optional<unsigned> getFactorOperand(UpdateOp op);
  void collectSources(Value value, SmallVectorImpl<Operation *> &sources);
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
  /// What brings state just before its update; all else is one update ahead.
  DenseSet<Operation *> inTime;
  ClipOp clip;
};

} // namespace mlir::zero
