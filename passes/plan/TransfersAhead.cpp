//===- TransfersAhead.cpp - Moves transfers one bucket ahead --------------===//

#include "passes/plan/TransfersAhead.h"

#include "dialect/zero/Storage.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-move-transfers"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Returns true if `op` brings state to its use and may run earlier: it reads
/// what the program starts with, and writes bytes of its own.
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

/// Moves each of `transfers`, which are in program order, to the first use of
/// the previous one; the transfers for one operation move together.  The first
/// ones move to `start`.
void moveAhead(ArrayRef<Operation *> transfers, Operation *start,
               const DenseSet<Operation *> &inTime) {
  Operation *before = start, *last = nullptr;
  SmallVector<std::pair<Operation *, Operation *>> moves;
  for (Operation *transfer : transfers) {
    Operation *reader = getFirstReader(transfer->getResult(0));
    if (!reader)
      continue;
    if (last && reader != last)
      before = last;
    // Compare before moving: a block renumbers its operations after each move.
    if (!inTime.contains(transfer) && before->isBeforeInBlock(transfer))
      moves.emplace_back(transfer, before);
    last = reader;
  }
  for (auto [transfer, target] : moves) {
    LDBG() << *transfer << " goes before " << *target;
    moveWithSources(transfer, target);
  }
}

/// Returns true if `op` fetches a value that the program spilled to another
/// tier.
bool isOfStash(Operation *op) {
  if (!isa<FetchOp>(op) || cast<FetchOp>(op).getBucket())
    return false;
  Operation *before = op->getOperand(0).getDefiningOp();
  return isa_and_present<SpillOp>(before) || (before && isOfStash(before));
}

/// The spill whose value `fetch` brings back.
Operation *findSpill(Operation *fetch) {
  Operation *source = fetch->getOperand(0).getDefiningOp();
  return isa<SpillOp>(source) ? source : findSpill(source);
}

/// Moves the fetches of activations: each group of adjacent fetches moves to
/// the first use of the previous group.  Values that come over two links take
/// the first link one group earlier.
void stashAhead(Block &block, const DenseSet<Operation *> &inTime) {
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
  SmallVector<std::pair<Operation *, Operation *>> moves;
  for (auto [i, group] : llvm::enumerate(groups))
    for (Operation *fetch : group.fetches) {
      Operation *reader = getFirstReader(fetch->getResult(0));
      size_t ahead = reader && isOfStash(reader) ? 2 : 1;
      Operation *target = groups[i - std::min(i, ahead)].reader;
      if (i == 0 || !target || inTime.contains(fetch))
        continue;
      // With several micro-steps, a group may stand before all of its readers,
      // or be spilled after the target.
      if (findSpill(fetch)->isBeforeInBlock(target) &&
          target->isBeforeInBlock(fetch))
        moves.emplace_back(fetch, target);
    }
  for (auto [fetch, target] : moves) {
    LDBG() << *fetch << " goes before " << *target;
    moveWithSources(fetch, target);
  }
}

} // namespace

Operation *zero::getFirstReader(Value value) {
  return findFirstReader(llvm::to_vector(value.getUsers()));
}

bool zero::canGoAhead(Operation *op) { return isEarly(op) || isOfStash(op); }

/// Works link by link, starting at the uses: a gather moves ahead of its use,
/// then a fetch ahead of the moved gather.
void zero::moveTransfersAhead(ProgramOp program,
                              const DenseSet<Operation *> &inTime) {
  Block &block = program.front();
  // By number of links up to the use; transfers for updates are separate.
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
  stashAhead(block, inTime);
  for (ArrayRef<Operation *> transfers : links)
    moveAhead(transfers, &block.front(), inTime);
  // State is not held while the model runs, except for updates in parallel with
  // it.
  Operation *start = nullptr;
  for (Operation &op : block) {
    if (isa<UpdateOp>(op))
      break;
    if (isa<ClipOp>(op))
      start = &op;
  }
  for (ArrayRef<Operation *> transfers : ofUpdates)
    moveAhead(transfers, start ? start : transfers.front(), inTime);
}
