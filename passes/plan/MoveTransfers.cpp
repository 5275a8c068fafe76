//===- MoveTransfers.cpp - Gathers one bucket ahead -----------------------===//
//
// Position is issue order, and queues run ahead: an operation on a stream of
// its own starts as soon as its operands are there and its result's bytes are
// free.  So prefetching is moving a gather up.  How far decides how many
// gathered buckets are held at once; one bucket ahead is two.
//
// Reductions stay where their gradients are finished: the reduce stream works
// while the backward goes on.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Storage.h"
#include "passes/plan/Lifetimes.h"
#include "passes/plan/Passes.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-move-transfers"

namespace mlir::zero {
#define GEN_PASS_DEF_MOVETRANSFERS
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

struct MoveTransfers : zero::impl::MoveTransfersBase<MoveTransfers> {
  void runOnOperation() override;
};

/// The first operation that reads `value`, past those that only name bytes.
Operation *getFirstReader(Value value) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *reader = user;
    if (movesNothing(user) && user->getNumResults() == 1)
      reader = getFirstReader(user->getResult(0));
    if (reader && (!first || reader->isBeforeInBlock(first)))
      first = reader;
  }
  return first;
}

/// Moves the gathers that an operation is the first to read to where those
/// before them are first used.
void gatherAhead(ProgramOp program) {
  Operation *before = &program.front().front(), *last = nullptr;
  SmallVector<std::pair<AllGatherOp, Operation *>> moves;
  for (auto gather : program.front().getOps<AllGatherOp>()) {
    Operation *reader = getFirstReader(gather.getResult());
    if (!isa<BlockArgument>(gather.getSource()) || !reader)
      continue;
    if (last && reader != last)
      before = last;
    // Asked now: a block numbers its operations anew after each move.
    if (before->isBeforeInBlock(gather))
      moves.emplace_back(gather, before);
    last = reader;
  }
  for (auto [gather, target] : moves) {
    LDBG() << gather << " goes before " << *target;
    gather->moveBefore(target);
  }
}

} // namespace

void MoveTransfers::runOnOperation() {
  SmallVector<ProgramOp> programs = getPrograms(getOperation());
  if (programs.empty())
    return signalPassFailure();
  for (ProgramOp program : programs)
    gatherAhead(program);
}
