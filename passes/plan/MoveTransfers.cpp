//===- MoveTransfers.cpp - Moves transfers ahead within memory limits -----===//
//
// All transfers are moved ahead (TransfersAhead.h).  If more bytes are alive at
// once than a tier may hold, one result that is alive there before it is needed
// is held back:
//
//   bytes of the host      ___
//                      ___|   |__        limit
//                     |          |
//   held ahead        a  b  b c  c       hold back b or c, whichever is used
//                                        later
//
// First, parameters from NVMe that wait in host memory for the backward are
// fetched from NVMe again (HostCopies.h), the longest wait first; then the
// result that is used last is held back.  This repeats for the next peak.  If
// that is not enough for the host, all transfers to the host are held back.
//
// Updates in host memory may move to the next step (RotateUpdates.h): then the
// bytes are counted in the step as it will be.
//
// Reductions stay where their gradients are finished: the reduce stream works
// in parallel with the rest of the backward.
//
//===----------------------------------------------------------------------===//

#include "passes/plan/HostCopies.h"
#include "passes/plan/Lifetimes.h"
#include "passes/plan/Passes.h"
#include "passes/plan/RotateUpdates.h"
#include "passes/plan/TransfersAhead.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-move-transfers"

namespace mlir::zero {
#define GEN_PASS_DEF_MOVETRANSFERS
#include "passes/plan/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// The peak of a tier that exceeds its limit, at the first such point.
struct Excess {
  Tier tier;
  unsigned point;
  /// Program points by operation; operations that rotation leaves out have
  /// none.
  DenseMap<Operation *, unsigned> points;
  /// Operations whose results are alive there.
  DenseSet<Operation *> alive;
};

/// The transfers of a program, in the order that the limits allow.
class TransferOrder {
public:
  TransferOrder(ProgramOp program, Rotation rotation)
      : program(program), rotation(rotation), copies(program) {
    keepOrder();
  }

  /// Moves all transfers ahead, except those in `inTime`.
  void moveAhead();
  /// Holds back transfers until `tier` needs no more than `bytes`; -1: no
  /// limit.
  LogicalResult limit(Tier tier, int64_t bytes);

private:
  void keepOrder();
  void restoreOrder();
  FailureOr<std::optional<Excess>> findExcess(Tier tier, int64_t limit);
  bool relieve(const Excess &excess);

  ProgramOp program;
  Rotation rotation;
  HostCopies copies;
  SmallVector<Operation *> asItWas;
  DenseSet<Operation *> inTime;
};

} // namespace

void TransferOrder::keepOrder() {
  asItWas.clear();
  for (Operation &op : program.front().without_terminator())
    asItWas.push_back(&op);
}

void TransferOrder::restoreOrder() {
  for (Operation *op : asItWas)
    op->moveBefore(program.front().getTerminator());
}

/// Leaves a sixteenth of the limit for bytes that the layout wastes.
FailureOr<std::optional<Excess>> TransferOrder::findExcess(Tier tier,
                                                           int64_t limit) {
  std::optional<Excess> excess;
  auto look = [&](ProgramOp looked, OriginalOf original) -> LogicalResult {
    FailureOr<Storage> storage = analyzeStorage(looked);
    if (failed(storage))
      return failure();
    LivePeak peak = getLivePeak(*storage, tier);
    if (peak.bytes <= limit - limit / 16)
      return success();
    excess.emplace();
    excess->tier = tier;
    excess->point = peak.point;
    for (auto [i, op] : llvm::enumerate(storage->operations)) {
      Operation *known = original(op);
      if (!known)
        continue;
      excess->points[known] = i + 1;
      for (Value result : op->getResults())
        if (auto place = storage->places.find(result);
            place != storage->places.end()) {
          const Buffer &buffer = storage->buffers[place->second.buffer];
          if (buffer.tier == tier && buffer.birth <= peak.point &&
              peak.point <= buffer.death)
            excess->alive.insert(known);
        }
    }
    return success();
  };
  if (failed(lookAtRotated(program, rotation, look)))
    return failure();
  return excess;
}

/// Removes the result of one transfer from those alive at `excess`.  If there
/// is none on the host, holds back all transfers to the host, wherever they
/// are.  Returns false if nothing is left to hold back.
bool TransferOrder::relieve(const Excess &excess) {
  auto pointOf = [&](Operation *op) {
    return op ? excess.points.lookup(op) : 0;
  };
  if (excess.tier == Tier::Host)
    if (std::optional<size_t> copy = copies.findAcross([&](Operation *op) {
          return pointOf(op) != 0 && pointOf(op) <= excess.point;
        })) {
      restoreOrder();
      copies.fetchAgain(*copy);
      keepOrder();
      return true;
    }
  Operation *last = nullptr;
  unsigned latest = excess.point;
  for (Operation *op : asItWas) {
    if (!canGoAhead(op) || inTime.contains(op) || !excess.alive.contains(op))
      continue;
    unsigned used = pointOf(getFirstReader(op->getResult(0)));
    if (used > latest) {
      latest = used;
      last = op;
    }
  }
  if (last) {
    LDBG() << "in time: " << *last;
    inTime.insert(last);
    return true;
  }
  if (excess.tier != Tier::Host)
    return false;
  // Results of other transfers may be alive there when their streams are late.
  size_t before = inTime.size();
  for (Operation *op : asItWas)
    if (canGoAhead(op) && getTier(op->getResult(0).getType()) == excess.tier)
      inTime.insert(op);
  return inTime.size() > before;
}

void TransferOrder::moveAhead() {
  restoreOrder();
  moveTransfersAhead(program, inTime);
}

LogicalResult TransferOrder::limit(Tier tier, int64_t bytes) {
  while (bytes >= 0) {
    FailureOr<std::optional<Excess>> excess = findExcess(tier, bytes);
    if (failed(excess))
      return failure();
    if (!*excess || !relieve(**excess))
      return success(); // if it is still too much, (V8) refuses it
    moveAhead();
  }
  return success();
}

namespace {
struct MoveTransfers : zero::impl::MoveTransfersBase<MoveTransfers> {
  using MoveTransfersBase::MoveTransfersBase;

  void runOnOperation() override {
    SmallVector<ProgramOp> programs = getPrograms(getOperation());
    if (programs.empty())
      return signalPassFailure();
    // What products use is not left for values.
    const int64_t forValues =
        deviceMemory < 0
            ? -1
            : std::max<int64_t>(deviceMemory - getWorkspace(getOperation()), 0);
    for (ProgramOp program : programs) {
      TransferOrder order(program, rotation);
      order.moveAhead();
      if (failed(order.limit(Tier::Device, forValues)) ||
          failed(order.limit(Tier::Host, hostMemory)))
        return signalPassFailure();
    }
  }
};
} // namespace
