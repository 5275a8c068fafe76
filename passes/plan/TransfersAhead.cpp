//===- TransfersAhead.cpp - Moves transfers ahead of their uses -----------===//

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
  if (!bringsState(op))
    return false;
  Operation *before = op->getOperand(0).getDefiningOp();
  return !before || isEarly(before);
}

/// Groups of transfers in the order of their uses.
class Groups {
public:
  explicit Groups(int64_t prefetch) : prefetch(prefetch) {}

  void add(Operation *reader) { groups.push_back({reader, 0}); }
  Operation *&lastReader() { return groups.back().reader; }
  void addBytes(Operation *transfer) {
    groups.back().bytes += getByteSize(transfer->getResult(0).getType());
  }
  size_t size() const { return groups.size(); }
  Operation *getReader(size_t group) const { return groups[group].reader; }

  /// The first group at whose use `group` may be on its way: those between them
  /// have fewer bytes than `prefetch`.
  size_t findAhead(size_t group) const {
    size_t ahead = group;
    for (int64_t between = 0; ahead > 0 && between < prefetch;)
      between += groups[--ahead].bytes;
    return ahead;
  }

private:
  struct Group {
    Operation *reader; ///< the first that computes with any of them
    int64_t bytes;
  };
  int64_t prefetch;
  SmallVector<Group> groups;
};

using Moves = SmallVector<std::pair<Operation *, Operation *>>;

/// Adds the move of `transfer` to `target`, or to where it is held.  Compares
/// before anything moves: a block renumbers its operations after each move.
void addMove(Operation *transfer, Operation *target, const Holds &holds,
             Moves &moves) {
  if (auto hold = holds.find(transfer); hold != holds.end()) {
    if (!hold->second)
      return;
    if (target->isBeforeInBlock(hold->second))
      target = hold->second;
  }
  if (target->isBeforeInBlock(transfer))
    moves.emplace_back(transfer, target);
}

/// Moves operations of a block to targets that stay where they are.  Compares
/// places that it numbers itself: a block would renumber after each move.
class Mover {
public:
  explicit Mover(Block &block) {
    for (auto [i, op] : llvm::enumerate(block))
      places[&op] = 2 * int64_t(i);
  }

  /// Puts `op` before `target`, behind what was put there, and before it the
  /// fetches that it needs.
  void move(Operation *op, Operation *target) {
    op->moveBefore(target);
    place(op, places.at(target) - 1);
  }

private:
  void place(Operation *op, int64_t at) {
    places[op] = at;
    Operation *source = op->getOperand(0).getDefiningOp();
    if (!source || places.at(source) <= at)
      return;
    source->moveBefore(op);
    place(source, at);
  }

  DenseMap<Operation *, int64_t> places;
};

void apply(const Moves &moves) {
  if (moves.empty())
    return;
  Mover mover(*moves.front().first->getBlock());
  for (auto [transfer, target] : moves) {
    LDBG() << *transfer << " goes before " << *target;
    mover.move(transfer, target);
  }
}

/// Moves each of `transfers`, which are in program order, ahead; the transfers
/// for one operation move together.  The first ones move to `start`.
void moveAhead(ArrayRef<Operation *> transfers, Operation *start,
               const Holds &holds, int64_t prefetch) {
  Groups groups(prefetch);
  groups.add(start);
  Moves moves;
  for (Operation *transfer : transfers) {
    Operation *reader = getFirstReader(transfer->getResult(0));
    if (!reader)
      continue;
    if (groups.size() == 1 || reader != groups.lastReader())
      groups.add(reader);
    groups.addBytes(transfer);
    addMove(transfer, groups.getReader(groups.findAhead(groups.size() - 1)),
            holds, moves);
  }
  apply(moves);
}

/// Moves the first of `transfers`, which bring state from drives to updates
/// behind `norm`, into the backward: `prefetch` bytes at most, when their
/// streams have nothing else to bring.
void fetchBeforeNorm(ArrayRef<Operation *> transfers, Operation *norm,
                     const Holds &holds, int64_t prefetch) {
  DenseMap<Stream, Operation *> others;
  for (Operation &op : *norm->getBlock()) {
    if (&op == norm)
      break;
    if (auto known = dyn_cast<PlanOpInterface>(op);
        known && !known.movesNothing())
      others[getStream(known)] = &op;
  }
  Moves moves;
  for (Operation *transfer : transfers) {
    prefetch -= getByteSize(transfer->getResult(0).getType());
    if (prefetch < 0 || !isa<BlockArgument>(transfer->getOperand(0)))
      break;
    Operation *other = others.lookup(getStream(transfer));
    addMove(transfer, other ? other->getNextNode() : &norm->getBlock()->front(),
            holds, moves);
  }
  apply(moves);
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

/// Moves the fetches of activations ahead, groups of adjacent ones together.
/// Values that come over two links take the first link one group earlier.
void stashAhead(Block &block, const Holds &holds, int64_t prefetch) {
  Groups groups(prefetch);
  SmallVector<std::pair<Operation *, size_t>> fetches; // with their groups
  bool isNext = false;
  for (Operation &op : block) {
    if (!isOfStash(&op)) {
      isNext &= movesNothing(&op);
      continue;
    }
    if (!isNext)
      groups.add(nullptr);
    isNext = true;
    fetches.emplace_back(&op, groups.size() - 1);
    Operation *reader = getFirstReader(op.getResult(0));
    if (!reader || isOfStash(reader))
      continue;
    groups.addBytes(&op);
    if (!groups.lastReader() || reader->isBeforeInBlock(groups.lastReader()))
      groups.lastReader() = reader;
  }
  Moves moves;
  for (auto [fetch, group] : fetches) {
    Operation *reader = getFirstReader(fetch->getResult(0));
    size_t ahead = groups.findAhead(group);
    if (reader && isOfStash(reader))
      ahead = groups.findAhead(ahead);
    Operation *target = groups.getReader(ahead);
    // With several micro-steps, a group may stand before all of its readers, or
    // be spilled after the target.
    if (ahead != group && target && findSpill(fetch)->isBeforeInBlock(target))
      addMove(fetch, target, holds, moves);
  }
  apply(moves);
}

} // namespace

Operation *zero::getFirstReader(Value value) {
  return findFirstReader(llvm::to_vector(value.getUsers()));
}

bool zero::canGoAhead(Operation *op) { return isEarly(op) || isOfStash(op); }

/// Works link by link, starting at the uses: a gather moves ahead of its use,
/// then a fetch ahead of the moved gather.
void zero::moveTransfersAhead(ProgramOp program, const Holds &holds,
                              int64_t prefetch, bool isRotated) {
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
  stashAhead(block, holds, prefetch);
  // What moves with its reader stands before this, in order.
  Operation *start =
      &*llvm::find_if_not(block, [](Operation &op) { return canGoAhead(&op); });
  for (ArrayRef<Operation *> transfers : links)
    moveAhead(transfers, start, holds, prefetch);
  // Other state is not held while the model runs, except for updates in
  // parallel with it.
  Operation *norm = nullptr;
  for (Operation &op : block) {
    if (isa<UpdateOp>(op))
      break;
    if (isa<ClipOp>(op))
      norm = &op;
  }
  for (ArrayRef<Operation *> transfers : ofUpdates) {
    moveAhead(transfers, norm ? norm : transfers.front(), holds, prefetch);
    // Rotation cuts the step at the norm.
    if (norm && !isRotated)
      fetchBeforeNorm(transfers, norm, holds, prefetch);
  }
}
