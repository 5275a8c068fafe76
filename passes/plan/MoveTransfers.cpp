//===- MoveTransfers.cpp - Gathers and fetches one bucket ahead -----------===//
//
// Position is issue order, and queues run ahead: an operation on a stream of
// its own starts as soon as its operands are there and its result's bytes are
// free.  So prefetching is moving a gather up.  How far decides how many
// gathered buckets are held at once; one bucket ahead is two.  Fetches from
// other tiers are the same, link by link: while one bucket is computed with, the
// next is gathered, the one after it is fetched to the device, and so on.
//
// Activations that wait in another tier come back block by block; each way, what
// a block's backward reads goes to where that of the block before begins.
//
// Where the limits of the tiers' memory forbid that, parameters do not wait in host
// memory for the backward (HostCopies.h); then state for updates comes just in
// time, and then parameters and activations do.
//
// Reductions stay where their gradients are finished: the reduce stream works
// while the backward goes on.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Storage.h"
#include "passes/plan/HostCopies.h"
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
  using MoveTransfersBase::MoveTransfersBase;
  void runOnOperation() override;
  LogicalResult move(ProgramOp program);
};

Operation *getFirstReader(Value value) {
  return findFirstReader(llvm::to_vector(value.getUsers()));
}

/// Whether `op` brings state to where it is used, and may do so earlier: it
/// reads what the program starts with, and fills bytes of its own.
bool isEarly(Operation *op) {
  auto fetch = dyn_cast<FetchOp>(op);
  if (!isa<AllGatherOp>(op) && (!fetch || fetch.getInto()))
    return false;
  Value source = op->getOperand(0);
  Operation *before = source.getDefiningOp();
  return !before || (isa<FetchOp>(before) && isEarly(before));
}

/// Puts `op` before `target`, and after the fetches that it needs.
void moveWithSources(Operation *op, Operation *target) {
  op->moveBefore(target);
  if (Operation *source = op->getOperand(0).getDefiningOp())
    if (op->isBeforeInBlock(source))
      moveWithSources(source, op);
}

/// Moves `transfers`, in program order, each to where those before it are first
/// used: those of one operation together.  The first go to where `start` is.
void moveAhead(ArrayRef<Operation *> transfers, Operation *start) {
  Operation *before = start, *last = nullptr;
  SmallVector<std::pair<Operation *, Operation *>> moves;
  for (Operation *transfer : transfers) {
    Operation *reader = getFirstReader(transfer->getResult(0));
    if (!reader)
      continue;
    if (last && reader != last)
      before = last;
    // Asked now: a block numbers its operations anew after each move.
    if (before->isBeforeInBlock(transfer))
      moves.emplace_back(transfer, before);
    last = reader;
  }
  for (auto [transfer, target] : moves) {
    LDBG() << *transfer << " goes before " << *target;
    moveWithSources(transfer, target);
  }
}

/// Whether `op` brings back what a program has put into another tier.
bool isOfStash(Operation *op) {
  if (!isa<FetchOp>(op) || cast<FetchOp>(op).getBucket())
    return false;
  Operation *before = op->getOperand(0).getDefiningOp();
  return isa_and_present<SpillOp>(before) || (before && isOfStash(before));
}

/// Moves what brings activations back: those that are fetched side by side go to
/// where those side by side before them are first used, and where they come over
/// two links, the farther one once more ahead.
void stashAhead(Block &block) {
  struct Group {
    SmallVector<Operation *> fetches;
    Operation *reader = nullptr; ///< the first that computes with any of them
  };
  SmallVector<Group> groups;
  bool isNext = false;
  for (Operation &op : block) {
    if (!isOfStash(&op)) {
      isNext &= movesNothing(&op);
      continue;
    }
    if (!isNext)
      groups.emplace_back();
    isNext = true;
    groups.back().fetches.push_back(&op);
  }
  for (Group &group : groups)
    for (Operation *fetch : group.fetches)
      if (Operation *reader = getFirstReader(fetch->getResult(0));
          reader && !isOfStash(reader) &&
          (!group.reader || reader->isBeforeInBlock(group.reader)))
        group.reader = reader;
  for (auto [i, group] : llvm::enumerate(groups))
    for (Operation *fetch : group.fetches) {
      Operation *reader = getFirstReader(fetch->getResult(0));
      size_t ahead = reader && isOfStash(reader) ? 2 : 1;
      Operation *target = groups[i - std::min(i, ahead)].reader;
      if (i == 0 || !target)
        continue;
      LDBG() << *fetch << " goes before " << *target;
      fetch->moveBefore(target);
    }
}

/// What moves ahead.
enum class Reach { All, Parameters, Nothing };

/// Link by link, from where values are used: a gather goes ahead of its use, and
/// a fetch ahead of the gather that was moved.
void transferAhead(ProgramOp program, Reach reach) {
  Block &block = program.front();
  // By number of links up to the use; what updates use apart.
  std::vector<SmallVector<Operation *>> links, ofUpdates;
  for (Operation &op : block) {
    if (!isEarly(&op))
      continue;
    unsigned link = 0;
    Operation *reader = getFirstReader(op.getResult(0));
    for (; reader && isEarly(reader);
         reader = getFirstReader(reader->getResult(0)))
      ++link;
    auto &list = isa_and_present<UpdateOp>(reader) ? ofUpdates : links;
    if (list.size() <= link)
      list.resize(link + 1);
    list[link].push_back(&op);
  }
  if (reach != Reach::Nothing) {
    stashAhead(block);
    for (ArrayRef<Operation *> transfers : links)
      moveAhead(transfers, &block.front());
  }
  if (reach != Reach::All)
    return;
  // State is not held while the model runs, but for updates that run beside it.
  Operation *start = nullptr;
  for (Operation &op : block) {
    if (isa<UpdateOp>(op))
      break;
    if (isa<ClipOp>(op))
      start = &op;
  }
  for (ArrayRef<Operation *> transfers : ofUpdates)
    moveAhead(transfers, start ? start : transfers.front());
}

/// Whether no tier has more bytes alive at once than its limit; -1 is none.  A
/// sixteenth is for what their layout leaves over.
FailureOr<bool> fits(ProgramOp program, int64_t device, int64_t host) {
  FailureOr<Storage> storage = analyzeStorage(program);
  if (failed(storage))
    return failure();
  for (auto [tier, limit] :
       {std::pair(Tier::Device, device), std::pair(Tier::Host, host)})
    if (limit >= 0 && getLivePeak(*storage, tier).bytes > limit - limit / 16)
      return false;
  return true;
}

/// Leaves a program, which does not fit as it is, with the fewest of `all`
/// parameters fetched again that make it fit; whether all of them do.
FailureOr<bool> fetchFewestAgain(size_t all,
                                 function_ref<FailureOr<bool>(size_t)> tryOut) {
  FailureOr<bool> isEnough = tryOut(all);
  if (failed(isEnough) || !*isEnough)
    return isEnough;
  size_t few = 0, many = all;
  while (many - few > 1) {
    size_t middle = few + (many - few) / 2;
    FailureOr<bool> isLess = tryOut(middle);
    if (failed(isLess))
      return failure();
    (*isLess ? many : few) = middle;
  }
  return tryOut(many);
}

} // namespace

/// Moves the transfers of `program` as far as the limits allow.
LogicalResult MoveTransfers::move(ProgramOp program) {
  Block &block = program.front();
  auto asItWas = llvm::map_to_vector(block.without_terminator(),
                                     [](Operation &op) { return &op; });
  HostCopies copies(program);
  bool isLimited = deviceMemory >= 0 || hostMemory >= 0;
  auto tryOut = [&](Reach reach, size_t fetchedAgain) -> FailureOr<bool> {
    copies.restore();
    for (Operation *op : asItWas)
      op->moveBefore(block.getTerminator());
    copies.fetchAgain(fetchedAgain);
    transferAhead(program, reach);
    LDBG() << "@" << program.getName() << " reaches " << static_cast<int>(reach)
           << " and fetches " << fetchedAgain << " parameters again";
    return isLimited ? fits(program, deviceMemory, hostMemory) : true;
  };
  for (Reach reach : {Reach::All, Reach::Parameters, Reach::Nothing}) {
    FailureOr<bool> isEnough = tryOut(reach, 0);
    if (succeeded(isEnough) && !*isEnough && copies.size() > 0)
      isEnough = fetchFewestAgain(copies.size(), [&](size_t fetchedAgain) {
        return tryOut(reach, fetchedAgain);
      });
    if (failed(isEnough) || *isEnough)
      return isEnough;
  }
  return success();
}

void MoveTransfers::runOnOperation() {
  SmallVector<ProgramOp> programs = getPrograms(getOperation());
  if (programs.empty())
    return signalPassFailure();
  for (ProgramOp program : programs)
    if (failed(move(program)))
      return signalPassFailure();
}
