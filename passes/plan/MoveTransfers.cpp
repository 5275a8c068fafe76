//===- MoveTransfers.cpp - Transfers ahead, as far as memory allows -------===//
//
// All transfers go ahead (TransfersAhead.h).  Where more bytes are alive at once
// than a tier may have, something that is held there before it is needed is not,
// and only there:
//
//   bytes of the host      ___
//                      ___|   |__        limit
//                     |          |
//   held ahead        a  b  b c  c       b or c, which is used later, comes in time
//
// First parameters from nvme that wait in host memory for the backward are
// fetched from there again (HostCopies.h), the longest wait first; then what is
// used last comes just in time.  The next look finds the next peak.
//
// Updates of host memory may move to the next step (RotateUpdates.h): then the
// bytes are those of the step as it will be.
//
// Reductions stay where their gradients are finished: the reduce stream works
// while the backward goes on.
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

/// The first point at which a tier holds most, which is more than it may.
struct Excess {
  Tier tier;
  unsigned point;
  /// By operation of the program; those that rotation leaves out have none.
  DenseMap<Operation *, unsigned> points;
  /// Whose results are there.
  DenseSet<Operation *> alive;
};

/// The transfers of a program, in the order that the limits allow.
class TransferOrder {
public:
  TransferOrder(ProgramOp program, Rotation rotation)
      : program(program), rotation(rotation), copies(program) {
    keepOrder();
  }

  /// Moves them, as far as `limit` bytes of `tier` allow; -1 for any number.
  /// What they do not allow for another one, stays in time.
  LogicalResult move(Tier tier, int64_t limit);

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

struct MoveTransfers : zero::impl::MoveTransfersBase<MoveTransfers> {
  using MoveTransfersBase::MoveTransfersBase;
  void runOnOperation() override;
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

/// A sixteenth of the limit is for what layout leaves over.
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

/// Takes one transfer's result out of what is alive at `excess`; false if there
/// is none that may be.
bool TransferOrder::relieve(const Excess &excess) {
  auto pointOf = [&](Operation *op) {
    return op ? excess.points.lookup(op) : 0;
  };
  if (excess.tier == Tier::Host) {
    restoreOrder();
    bool isFetched = copies.fetchAgain([&](Operation *op) {
      return pointOf(op) != 0 && pointOf(op) <= excess.point;
    });
    if (isFetched) {
      keepOrder();
      return true;
    }
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
  if (!last)
    return false;
  LDBG() << "in time: " << *last;
  inTime.insert(last);
  return true;
}

LogicalResult TransferOrder::move(Tier tier, int64_t limit) {
  while (true) {
    restoreOrder();
    moveTransfersAhead(program, inTime);
    if (limit < 0)
      return success();
    FailureOr<std::optional<Excess>> excess = findExcess(tier, limit);
    if (failed(excess))
      return failure();
    if (!*excess || !relieve(**excess))
      return success(); // what is too much, V8 refuses
  }
}

void MoveTransfers::runOnOperation() {
  SmallVector<ProgramOp> programs = getPrograms(getOperation());
  if (programs.empty())
    return signalPassFailure();
  for (ProgramOp program : programs) {
    TransferOrder order(program, rotation);
    if (failed(order.move(Tier::Device, deviceMemory)) ||
        failed(order.move(Tier::Host, hostMemory)))
      return signalPassFailure();
  }
}
