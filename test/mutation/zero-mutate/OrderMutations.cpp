//===- OrderMutations.cpp - Break the order of operations -----------------===//
//
// Operations move only as far as their operands and users allow, since MLIR
// would refuse nearly all other moves; the remaining constraints are streams,
// bytes and peers.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "dialect/zero/Storage.h"

using namespace mlir;
using namespace mlir::zero;

namespace {
/// The operations before which `op` can be placed.
struct Room {
  SmallVector<Operation *> earlier, later;
};
} // namespace

static Room roomOf(Operation *op) {
  Room room;
  for (Operation *at = op; Operation *before = at->getPrevNode(); at = before) {
    if (llvm::any_of(op->getOperands(), [&](Value value) {
          return value.getDefiningOp() == before;
        }))
      break;
    room.earlier.push_back(before);
  }
  for (Operation *at = op->getNextNode();
       at && !at->hasTrait<OpTrait::IsTerminator>(); at = at->getNextNode()) {
    if (llvm::is_contained(op->getUsers(), at))
      break;
    room.later.push_back(at->getNextNode());
  }
  return room;
}

static Change moveSomewhere(Operation *op, Random &random) {
  if (!op)
    return {};
  Room room = roomOf(op);
  SmallVectorImpl<Operation *> &side =
      random.once(2) ? room.earlier : room.later;
  if (side.empty())
    return {};
  // Half of the moves are short.
  uint64_t most = random.once(2) ? std::min<uint64_t>(side.size(), 4)
                                 : uint64_t(side.size());
  Operation *target = side[random.below(most)];
  std::string text = describe(op);
  op->moveBefore(target);
  return text + ": moved before " + describe(target);
}

static bool isIssued(Operation *op) {
  return runsOnStream(op) || isa<RecordOp, WaitOp>(op);
}

Change zero::swapNeighbours(Victim &victim) {
  Operation *op = pick(victim, [](Operation *op) {
    Operation *next = op->getNextNode();
    return isIssued(op) && !next->hasTrait<OpTrait::IsTerminator>() &&
           !llvm::is_contained(op->getUsers(), next);
  });
  if (!op)
    return {};
  Operation *next = op->getNextNode();
  std::string text = describe(op) + ": swapped with " + describe(next);
  op->moveAfter(next);
  return text;
}

Change zero::moveOperation(Victim &victim) {
  auto places = operationsOf(victim, runsOnStream);
  if (places.empty())
    return {};
  Operation *op = victim.random.pick(places);
  if (!victim.random.once(16))
    return moveSomewhere(op, victim.random);
  // Sometimes moves across an operand or a user, which MLIR refuses.
  Operation *target = victim.random.pick(places);
  if (target == op || target->getBlock() != op->getBlock())
    return {};
  std::string text = describe(op) + ": moved before " + describe(target);
  op->moveBefore(target);
  return text;
}

Change zero::moveCollective(Victim &victim) {
  return moveSomewhere(pick(victim, isCollective), victim.random);
}

Change zero::swapCollectives(Victim &victim) {
  auto places = operationsOf(victim, isCollective);
  if (places.size() < 2)
    return {};
  // Neighbours among the collectives, or with one in between.
  uint64_t first = victim.random.below(places.size() - 1);
  uint64_t second =
      std::min<uint64_t>(first + 1 + victim.random.below(2), places.size() - 1);
  Operation *a = places[first], *b = places[second];
  if (a->getBlock() != b->getBlock())
    return {};
  std::string text = describe(a) + ": issued after " + describe(b);
  if (llvm::is_contained(roomOf(b).earlier, a))
    b->moveBefore(a);
  else if (llvm::is_contained(roomOf(a).later, b->getNextNode()))
    a->moveAfter(b);
  else
    return {};
  return text;
}
