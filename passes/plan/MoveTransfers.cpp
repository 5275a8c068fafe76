//===- MoveTransfers.cpp - Moves transfers ahead within memory limits -----===//
//
// All transfers are moved ahead (TransfersAhead.h).  If more bytes are alive at
// once than a tier may hold, one result that is alive there before it is needed
// is held back, until after that point:
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
// that is not enough for the host, all transfers to the host stay at their
// uses.  The bytes of gathered parameters alone may be limited, too.
//
// Updates in host memory may move to the next step (RotateUpdates.h): then the
// bytes are counted in the step as it will be.
//
// Reductions stay where their gradients are finished: the reduce stream works
// in parallel with the rest of the backward.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Storage.h"
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

/// The most bytes of a tier, or of what is gathered there.
struct Limit {
  Tier tier;
  bool isOfGathered;
  int64_t bytes; ///< -1: no limit
};

/// The peak that exceeds a limit, at the first such point.
struct Excess {
  unsigned point;
  int64_t bytes;
  /// Program points by operation; operations that rotation leaves out have
  /// none.
  DenseMap<Operation *, unsigned> points;
  /// Operations whose results are alive there.
  DenseSet<Operation *> alive;
};

/// The transfers of a program, in the order that the limits allow.
class TransferOrder {
public:
  TransferOrder(ProgramOp program, Rotation rotation, int64_t prefetch)
      : program(program), rotation(rotation), prefetch(prefetch),
        copies(program) {
    keepOrder();
  }

  /// Moves all transfers ahead as far as they are not held.
  void moveAhead();
  /// Holds back transfers until no more bytes than `limit` are alive.
  LogicalResult keepWithin(const Limit &limit);

private:
  void keepOrder();
  void restoreOrder();
  FailureOr<std::optional<Excess>> findExcess(const Limit &limit);
  bool relieve(const Excess &excess, Tier tier);
  void holdBack(Operation *transfer, const Excess &excess);

  ProgramOp program;
  Rotation rotation;
  int64_t prefetch;
  HostCopies copies;
  SmallVector<Operation *> asItWas;
  Holds holds;
  /// By transfer: how many operations it is held back by next time.
  DenseMap<Operation *, size_t> distance;
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

FailureOr<std::optional<Excess>> TransferOrder::findExcess(const Limit &limit) {
  std::optional<Excess> excess;
  auto look = [&](ProgramOp looked, OriginalOf original) -> LogicalResult {
    FailureOr<Storage> storage = analyzeStorage(looked);
    if (failed(storage))
      return failure();
    DenseSet<unsigned> gathered;
    for (Operation *op : storage->operations)
      if (auto gather = dyn_cast<AllGatherOp>(op);
          gather && !gather.isInPlace())
        gathered.insert(storage->places.at(gather.getResult()).buffer);
    auto counts = [&](const Buffer &buffer) {
      return buffer.tier == limit.tier &&
             (!limit.isOfGathered ||
              gathered.contains(unsigned(&buffer - storage->buffers.data())));
    };
    LivePeak peak = getLivePeak(*storage, counts);
    if (peak.bytes <= limit.bytes)
      return success();
    excess.emplace();
    excess->point = peak.point;
    excess->bytes = peak.bytes;
    for (auto [i, op] : llvm::enumerate(storage->operations)) {
      Operation *known = original(op);
      if (!known)
        continue;
      excess->points[known] = i + 1;
      for (Value result : op->getResults())
        if (auto place = storage->places.find(result);
            place != storage->places.end()) {
          const Buffer &buffer = storage->buffers[place->second.buffer];
          if (counts(buffer) && buffer.birth <= peak.point &&
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

/// Lets `transfer` start after the point of `excess`, each time four times as
/// many operations later; at its use at the latest.
void TransferOrder::holdBack(Operation *transfer, const Excess &excess) {
  const unsigned used =
      excess.points.lookup(getFirstReader(transfer->getResult(0)));
  size_t &skipped = distance.try_emplace(transfer, 1).first->second;
  size_t left = skipped;
  skipped *= 4;
  Operation *&hold = holds[transfer];
  hold = nullptr;
  for (Operation *op : asItWas) {
    if (canGoAhead(op) || movesNothing(op))
      continue;
    if (unsigned point = excess.points.lookup(op);
        point > excess.point && point < used && --left == 0) {
      hold = op;
      break;
    }
  }
  LDBG() << "held back: " << *transfer;
}

/// Removes the result of one transfer from those alive at `excess`.  If there
/// is none on the host, holds back all transfers to the host, wherever they
/// are.  Returns false if nothing is left to hold back.
bool TransferOrder::relieve(const Excess &excess, Tier tier) {
  auto pointOf = [&](Operation *op) {
    return op ? excess.points.lookup(op) : 0;
  };
  if (tier == Tier::Host)
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
    auto hold = holds.find(op);
    if (!canGoAhead(op) || (hold != holds.end() && !hold->second) ||
        !excess.alive.contains(op))
      continue;
    unsigned used = pointOf(getFirstReader(op->getResult(0)));
    if (used > latest) {
      latest = used;
      last = op;
    }
  }
  if (last) {
    holdBack(last, excess);
    return true;
  }
  if (tier != Tier::Host)
    return false;
  // Results of other transfers may be alive there when their streams are late.
  bool any = false;
  for (Operation *op : asItWas)
    if (canGoAhead(op) && getTier(op->getResult(0).getType()) == tier) {
      auto [hold, isNew] = holds.try_emplace(op, nullptr);
      any |= isNew || hold->second;
      hold->second = nullptr;
    }
  return any;
}

void TransferOrder::moveAhead() {
  restoreOrder();
  moveTransfersAhead(program, holds, prefetch, rotation != Rotation::None);
}

LogicalResult TransferOrder::keepWithin(const Limit &limit) {
  while (limit.bytes >= 0) {
    FailureOr<std::optional<Excess>> excess = findExcess(limit);
    if (failed(excess))
      return failure();
    if (!*excess)
      return success();
    if (!relieve(**excess, limit.tier)) {
      if (limit.isOfGathered)
        return program.emitError()
               << "gathers " << (*excess)->bytes
               << " bytes of parameters that are needed at one time, more than "
                  "--max-live="
               << limit.bytes
               << "; raise it, or take a smaller --bucket-size or "
                  "--reuse-distance";
      return success(); // (V8) refuses it
    }
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
    const Limit limits[] = {{Tier::Device, true, maxLive > 0 ? maxLive : -1},
                            {Tier::Device, false, forValues},
                            {Tier::Host, false, hostMemory}};
    for (ProgramOp program : programs) {
      TransferOrder order(program, rotation, prefetch);
      order.moveAhead();
      for (const Limit &limit : limits)
        if (failed(order.keepWithin(limit)))
          return signalPassFailure();
    }
  }
};
} // namespace
