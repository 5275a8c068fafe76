//===- RotateUpdates.cpp - Moves updates to the next step -----------------===//
//
// Makes @first, @step and @flush from @step, as StepParts.h describes.
//
//===----------------------------------------------------------------------===//

#include "passes/plan/RotateUpdates.h"

#include "dialect/zero/PlanPrograms.h"
#include "passes/plan/Passes.h"
#include "passes/plan/StepParts.h"

namespace mlir::zero {
#define GEN_PASS_DEF_ROTATEUPDATES
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

LogicalResult
zero::lookAtRotated(ProgramOp step, Rotation rotation,
                    function_ref<LogicalResult(ProgramOp, OriginalOf)> look) {
  if (rotation == Rotation::None || step.front().getOps<UpdateOp>().empty())
    return look(step, [](Operation *op) { return op; });
  constexpr StringLiteral kNumber = "zero.number";
  SmallVector<Operation *> originals;
  OpBuilder b(step);
  for (Operation &op : step.front()) {
    op.setAttr(kNumber, b.getIndexAttr(originals.size()));
    originals.push_back(&op);
  }
  auto copy = cast<ProgramOp>(b.clone(*step));
  StepParts parts(copy);
  LogicalResult looked = parts.analyze();
  if (succeeded(looked)) {
    parts.addPending();
    StepParts rotated(copy);
    (void)rotated.analyze(); // succeeds as before
    if (rotation == Rotation::Delayed)
      rotated.makeDelayedStep();
    else
      rotated.makeStep();
    looked = look(copy, [&](Operation *op) -> Operation * {
      auto number = op->getAttrOfType<IntegerAttr>(kNumber);
      return number ? originals[number.getInt()] : nullptr;
    });
  }
  copy.erase();
  for (Operation *op : originals)
    op->removeAttr(kNumber);
  return looked;
}

/// Gives `other` the arguments that only `step` has, and returns unchanged
/// those that are state.
static void takeSame(ProgramOp other, ProgramOp step) {
  unsigned states = 0;
  for (BlockArgument argument : step.getArguments()) {
    unsigned i = argument.getArgNumber();
    bool isState = step.getState(i) != nullptr;
    if (i == other.getNumArguments() ||
        other.getArgAttrDict(i) != step.getArgAttrDict(i)) {
      (void)other.insertArgument(i, argument.getType(), step.getArgAttrDict(i),
                                 argument.getLoc());
      if (isState) {
        (void)other.insertResult(states, argument.getType(),
                                 DictionaryAttr::get(other.getContext()));
        other.front().getTerminator()->insertOperands(states,
                                                      other.getArgument(i));
      }
    }
    states += isState;
  }
}

namespace {
struct RotateUpdates : zero::impl::RotateUpdatesBase<RotateUpdates> {
  using RotateUpdatesBase::RotateUpdatesBase;

  void runOnOperation() override {
    SmallVector<ProgramOp> programs, between;
    for (ProgramOp program : findPrograms(getOperation())) {
      const StringRef name = program.getName();
      const bool isBetween =
          name == "count" || name == "eval" || isForward(name);
      (isBetween ? between : programs).push_back(program);
    }
    if (programs.size() != 1 || programs.front().getName() != "step") {
      getOperation().emitError("updates move to the next step's forward where "
                               "a step is one program, @step; this module has ")
          << programs.size()
          << (programs.size() == 1 ? " of another name" : " programs");
      return signalPassFailure();
    }
    ProgramOp step = programs.front();
    StepParts both(step);
    if (failed(both.analyze()))
      return signalPassFailure();
    if (step.front().getOps<UpdateOp>().empty()) {
      step.emitOpError("has no updates");
      return signalPassFailure();
    }
    both.addPending();
    for (ProgramOp other : between)
      takeSame(other, step);
    OpBuilder b(step);
    auto first = cast<ProgramOp>(b.clone(*step));
    first.setName("first");
    b.setInsertionPointAfter(step);
    auto flush = cast<ProgramOp>(b.clone(*step));
    flush.setName("flush");
    auto makeStep =
        delayed ? &StepParts::makeDelayedStep : &StepParts::makeStep;
    auto rotate = [](ProgramOp program, void (StepParts::*make)()) {
      StepParts parts(program);
      (void)parts.analyze(); // succeeds as for `step`
      (parts.*make)();
    };
    rotate(first, &StepParts::makeFirst);
    rotate(step, makeStep);
    rotate(flush, &StepParts::makeFlush);
  }
};
} // namespace
