//===- RotationMutations.cpp - Break state passed between steps -----------===//
//
// A step may update with the gradients of the previous step
// (zero-rotate-updates).  These mutations change which gradients it uses, and
// which parameters the model reads.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::zero;

/// Returns `update` and the operations that depend on it, in program order.
static SmallVector<Operation *> followersOf(UpdateOp update) {
  llvm::SetVector<Operation *> all;
  all.insert(update);
  for (unsigned i = 0; i < all.size(); ++i)
    for (Operation *user : all[i]->getUsers())
      if (isa<FetchOp, SpillOp, AllGatherOp>(user))
        all.insert(user);
  SmallVector<Operation *> ordered = all.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// Returns the slot `name` of the state that `update` updates.
static std::optional<NextState> stateOf(UpdateOp update, StringRef name) {
  for (const NextState &state :
       findNextStates(update->getParentOfType<ProgramOp>()))
    if (state.state.getBucket() == update.getBucketAttr() &&
        state.state.getSlot() == name)
      return state;
  return {};
}

/// The model reads a bucket's parameters before their update.
Change zero::readOldParameters(Victim &victim) {
  auto update = pick<UpdateOp>(victim, [](UpdateOp op) {
    std::optional<NextState> state = stateOf(op, "param");
    return state && llvm::any_of(state->next.getUsers(), [](Operation *user) {
             return !user->hasTrait<OpTrait::IsTerminator>();
           });
  });
  if (!update)
    return {};
  NextState state = *stateOf(update, "param");
  std::optional<NextState> pending = stateOf(update, "grad");
  if (!pending || !pending->next.getDefiningOp())
    return {};
  // Before the next gradient overwrites the pending one.
  Operation *last = pending->next.getDefiningOp();
  for (OpOperand &use : llvm::make_early_inc_range(state.next.getUses()))
    if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      use.set(state.argument);
  std::string text =
      describe(update) + ": comes after all that reads its parameters";
  for (Operation *op : followersOf(update))
    op->moveBefore(last);
  return text;
}

/// The model reads the parameters of an update that should run later.
Change zero::readNextParameters(Victim &victim) {
  /// An update, the state of its parameters, and their uses in the model.
  struct Place {
    UpdateOp update;
    NextState state;
    SmallVector<OpOperand *> uses;
    Operation *first;
  };
  SmallVector<Place> places;
  for (UpdateOp update : operationsOf<UpdateOp>(victim)) {
    std::optional<NextState> state = stateOf(update, "param");
    SmallVector<Operation *> followers = followersOf(update), readers;
    if (!state || !llvm::is_contained(followers, state->next.getDefiningOp()))
      continue;
    Place place{update, *state, {}, nullptr};
    for (OpOperand &use : state->argument.getUses())
      if (!llvm::is_contained(followers, use.getOwner())) {
        place.uses.push_back(&use);
        readers.push_back(use.getOwner());
      }
    place.first = findFirstReader(readers);
    if (place.first && update->isBeforeInBlock(place.first))
      places.push_back(place);
  }
  if (places.empty())
    return {};
  Place place = victim.random.pick(places);
  for (Operation *op : followersOf(place.update))
    op->moveBefore(place.first);
  for (OpOperand *use : place.uses) {
    use->set(place.state.next);
    if (movesNothing(use->getOwner()))
      use->getOwner()->moveBefore(place.first);
  }
  return describe(place.update.getOperation()) +
         ": comes before all that reads its parameters";
}

/// Updates a bucket twice with the same gradient.
Change zero::updateTwice(Victim &victim) {
  auto update =
      pick<UpdateOp>(victim, [](UpdateOp op) { return bool(op.getParam()); });
  if (!update)
    return {};
  auto again = cast<UpdateOp>(update->clone());
  update->getBlock()->getOperations().insertAfter(update->getIterator(), again);
  update->replaceAllUsesWith(again);
  again.getParamMutable().assign(update.getNext().front());
  unsigned next = 1;
  for (OpOperand &slot : again.getSlotsMutable())
    slot.set(update.getNext()[next++]);
  if (again.getMaster())
    again.getMasterMutable().assign(update.getNext().back());
  return describe(update) + ": twice";
}

/// Exchanges the gradients of two buckets' updates.
Change zero::exchangeGradients(Victim &victim) {
  return exchangeOfTwo<UpdateOp>(
      victim, operationsOf<UpdateOp>(victim),
      [](UpdateOp update) {
        return isa<BlockArgument>(update.getGrad()) ? &update.getGradMutable()
                                                    : nullptr;
      },
      "each takes the other's gradient");
}

/// Drops an update: the bucket's state does not change.
Change zero::dropUpdate(Victim &, UpdateOp update) {
  std::string text = describe(update) + ": dropped";
  SmallVector<Operation *> followers = followersOf(update);
  for (const NextState &state :
       findNextStates(update->getParentOfType<ProgramOp>()))
    if (state.state.getBucket() == update.getBucketAttr() &&
        llvm::is_contained(followers, state.next.getDefiningOp()))
      Value(state.next).replaceAllUsesWith(state.argument);
  for (Operation *op : llvm::reverse(followers)) {
    if (!op->use_empty())
      return {};
    op->erase();
  }
  return text;
}
