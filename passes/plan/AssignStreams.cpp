//===- AssignStreams.cpp - Chooses the stream of every operation ----------===//
//
// Operations name the stream that they prefer (PlanOpInterface): collectives
// run in parallel with computation.  Streams are queues that run ahead of each
// other, so operations need not move for that; MoveTransfers moves some of
// them.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Zero.h"
#include "passes/plan/Lifetimes.h"
#include "passes/plan/Passes.h"

namespace mlir::zero {
#define GEN_PASS_DEF_ASSIGNSTREAMS
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {
struct AssignStreams : zero::impl::AssignStreamsBase<AssignStreams> {
  void runOnOperation() override {
    SmallVector<ProgramOp> programs = getPrograms(getOperation());
    if (programs.empty())
      return signalPassFailure();
    for (ProgramOp program : programs)
      for (auto op : program.front().getOps<PlanOpInterface>())
        if (Stream stream = op.getPreferredStream(); stream != Stream::Compute)
          op->setAttr(kStreamAttr, StreamAttr::get(&getContext(), stream));
  }
};
} // namespace
