//===- MoveTransfers.cpp - Moves transfers ahead within memory limits -----===//
//
// All transfers are moved ahead (TransfersAhead.h).  Where more bytes are alive
// at once than a tier may hold, one result that is alive there before it is
// needed is held back, until after that point:
//
//   bytes of the host      ___
//                      ___|   |__        limit
//                     |          |
//   held ahead        a  b  b c  c       hold back b or c, whichever is used
//                                        later
//
// First, parameters from NVMe that wait in host memory for the backward are
// fetched from NVMe again (HostCopies.h), the longest wait first; then the
// result that is used last is held back.  This is done at all peaks at once,
// and repeats while there are any.  If that is not enough for the host, all
// transfers to the host stay at their uses.  What does not fit with all
// transfers to the device at their uses is not tried.  The bytes of gathered
// parameters alone may be limited, too.
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

/// The peaks that exceed a limit.
struct Excess {
  struct Peak {
    LivePeak live;
    /// The operations whose results are live at the peak.
    DenseSet<Operation *> alive;
  };
  SmallVector<Peak> peaks; ///< empty: the limit holds
  int64_t getMost() const {
    int64_t most = 0;
    for (const Peak &peak : peaks)
      most = std::max(most, peak.live.bytes);
    return most;
  }
  /// Program points by operation; operations that rotation leaves out have
  /// none.
  DenseMap<Operation *, unsigned> points;
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
  /// The bytes of gathered parameters that are needed at one time.
  FailureOr<int64_t> findLeastGathered();

private:
  void keepOrder();
  void restoreOrder();
  FailureOr<Excess> findExcess(const Limit &limit);
  FailureOr<Excess> findLeastExcess(const Limit &limit);
  bool relieve(const Excess &excess, Tier tier);
  bool holdBackTransfers(Tier tier);
  Operation *findLastUsed(const Excess &excess, const Excess::Peak &peak) const;
  void holdBack(Operation *transfer, unsigned point, const Excess &excess);

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

FailureOr<Excess> TransferOrder::findExcess(const Limit &limit) {
  Excess excess;
  auto look = [&](ProgramOp looked, OriginalOf original) -> LogicalResult {
    FailureOr<Storage> storage = analyzeStorage(looked);
    if (failed(storage))
      return failure();
    DenseSet<unsigned> gathered;
    for (Operation *op : storage->operations)
      if (auto gather = dyn_cast<AllGatherOp>(op);
          (gather && !gather.isInPlace()) || isa<DequantizeOp>(op))
        gathered.insert(storage->places.at(op->getResult(0)).buffer);
    auto counts = [&](const Buffer &buffer) {
      return buffer.tier == limit.tier &&
             (!limit.isOfGathered ||
              gathered.contains(unsigned(&buffer - storage->buffers.data())));
    };
    for (const LivePeak &peak : getPeaksAbove(*storage, limit.bytes, counts))
      excess.peaks.push_back({peak, {}});
    if (excess.peaks.empty())
      return success();
    for (auto [i, op] : llvm::enumerate(storage->operations)) {
      Operation *known = original(op);
      if (!known)
        continue;
      excess.points[known] = i + 1;
      for (Value result : op->getResults())
        if (auto place = storage->places.find(result);
            place != storage->places.end()) {
          const Buffer &buffer = storage->buffers[place->second.buffer];
          if (!counts(buffer))
            continue;
          // Peaks are in program order.
          auto peak =
              llvm::lower_bound(excess.peaks, buffer.birth,
                                [](const Excess::Peak &one, unsigned birth) {
                                  return one.live.point < birth;
                                });
          for (; peak != excess.peaks.end() && peak->live.point <= buffer.death;
               ++peak)
            peak->alive.insert(known);
        }
    }
    return success();
  };
  if (failed(lookAtRotated(program, rotation, look)))
    return failure();
  return excess;
}

/// Lets `transfer` start after `point`, each time four times as many operations
/// later; at its use at the latest.
void TransferOrder::holdBack(Operation *transfer, unsigned point,
                             const Excess &excess) {
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
    if (unsigned at = excess.points.lookup(op);
        at > point && at < used && --left == 0) {
      hold = op;
      break;
    }
  }
  LDBG() << "held back: " << *transfer;
}

/// The transfer ahead of its use whose result is alive at `peak` and used last;
/// null if there is none.
Operation *TransferOrder::findLastUsed(const Excess &excess,
                                       const Excess::Peak &peak) const {
  Operation *last = nullptr;
  unsigned latest = peak.live.point;
  for (Operation *op : asItWas) {
    auto hold = holds.find(op);
    if (!canGoAhead(op) || (hold != holds.end() && !hold->second) ||
        !peak.alive.contains(op))
      continue;
    Operation *reader = getFirstReader(op->getResult(0));
    unsigned used = reader ? excess.points.lookup(reader) : 0;
    if (used > latest) {
      latest = used;
      last = op;
    }
  }
  return last;
}

/// Leaves all transfers to `tier` at their uses; returns false if they were.
bool TransferOrder::holdBackTransfers(Tier tier) {
  bool any = false;
  for (Operation *op : asItWas)
    if (canGoAhead(op) && getTier(op->getResult(0).getType()) == tier) {
      auto [hold, isNew] = holds.try_emplace(op, nullptr);
      any |= isNew || hold->second;
      hold->second = nullptr;
    }
  return any;
}

/// Removes the result of a transfer from those alive at each peak.  If there is
/// none on the host, holds back all transfers to the host, wherever they are.
/// Returns false if nothing is left to hold back.
bool TransferOrder::relieve(const Excess &excess, Tier tier) {
  if (tier == Tier::Host)
    if (std::optional<size_t> copy = copies.findAcross([&](Operation *op) {
          const unsigned point = op ? excess.points.lookup(op) : 0;
          return point != 0 && point <= excess.peaks.front().live.point;
        })) {
      restoreOrder();
      copies.fetchAgain(*copy);
      keepOrder();
      return true;
    }
  DenseSet<Operation *> held;
  for (const Excess::Peak &peak : excess.peaks)
    if (Operation *last = findLastUsed(excess, peak);
        last && held.insert(last).second)
      holdBack(last, peak.live.point, excess);
  // Results of other transfers may be alive there when their streams are late.
  return !held.empty() || (tier == Tier::Host && holdBackTransfers(tier));
}

/// What exceeds the limit with all transfers to its tier at their uses; if
/// anything does, they stay there.
FailureOr<Excess> TransferOrder::findLeastExcess(const Limit &limit) {
  Holds before = holds;
  holdBackTransfers(limit.tier);
  moveAhead();
  FailureOr<Excess> excess = findExcess(limit);
  if (succeeded(excess) && excess->peaks.empty()) {
    holds = std::move(before);
    moveAhead();
  }
  return excess;
}

void TransferOrder::moveAhead() {
  restoreOrder();
  moveTransfersAhead(program, holds, prefetch, rotation != Rotation::None);
}

LogicalResult TransferOrder::keepWithin(const Limit &limit) {
  if (limit.bytes < 0)
    return success();
  FailureOr<Excess> excess = findExcess(limit);
  if (limit.tier == Tier::Device && succeeded(excess) &&
      !excess->peaks.empty()) {
    FailureOr<Excess> least = findLeastExcess(limit);
    if (failed(least) || !least->peaks.empty())
      excess = std::move(least);
  }
  while (succeeded(excess) && !excess->peaks.empty() &&
         relieve(*excess, limit.tier)) {
    moveAhead();
    excess = findExcess(limit);
  }
  if (failed(excess))
    return failure();
  if (excess->peaks.empty() || !limit.isOfGathered)
    return success(); // (V8) refuses what does not fit
  return program.emitError()
         << "gathers " << excess->getMost()
         << " bytes of parameters that are needed at one time, more than "
            "--max-live="
         << limit.bytes
         << "; raise it, or take a smaller --bucket-size or --reuse-distance";
}

FailureOr<int64_t> TransferOrder::findLeastGathered() {
  FailureOr<Excess> excess =
      findLeastExcess({Tier::Device, /*isOfGathered=*/true, 0});
  if (failed(excess))
    return failure();
  return excess->getMost();
}

FailureOr<int64_t> zero::findLeastGathered(ModuleOp module, Rotation rotation) {
  int64_t most = 0;
  for (ProgramOp program : getPrograms(module)) {
    auto least = TransferOrder(program, rotation, 0).findLeastGathered();
    if (failed(least))
      return failure();
    most = std::max(most, *least);
  }
  return most;
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
    const Limit limits[] = {
        {Tier::Device, true, maxLive > 0 ? int64_t(maxLive) : -1},
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
