//===- PrecisionMutations.cpp - Break masters, scales and skipped steps ---===//

#include "Places.h"

using namespace mlir;
using namespace mlir::zero;

Change zero::exchangeMasters(Victim &victim) {
  auto updates = operationsOf<UpdateOp>(victim);
  SmallVector<std::pair<UpdateOp, UpdateOp>> pairs;
  for (auto [i, one] : llvm::enumerate(updates))
    for (UpdateOp other : ArrayRef(updates).drop_front(i + 1))
      if (one.getMaster() && other.getMaster() &&
          one->getBlock() == other->getBlock() &&
          one.getMaster().getType() == other.getMaster().getType())
        pairs.push_back({one, other});
  // Or a value of the same type as a master: a moment of the same bucket.
  SmallVector<UpdateOp> moments;
  for (UpdateOp update : updates)
    if (update.getMaster() && !update.getSlots().empty() &&
        update.getSlots()[0].getType() == update.getMaster().getType())
      moments.push_back(update);
  if (!moments.empty() && (pairs.empty() || victim.random.once(2))) {
    UpdateOp update = victim.random.pick(moments);
    Value master = update.getMaster();
    update.getMasterMutable().assign(update.getSlots()[0]);
    update.getSlotsMutable().slice(0, 1).assign(master);
    return describe(update.getOperation()) +
           ": takes its first slot as master, and its master as that";
  }
  if (pairs.empty())
    return {};
  auto [one, other] = victim.random.pick(pairs);
  Value master = one.getMaster();
  one.getMasterMutable().assign(other.getMaster());
  other.getMasterMutable().assign(master);
  return describe(one.getOperation()) + " and " +
         describe(other.getOperation()) + ": exchange their masters";
}

Change zero::changeRounding(Victim &victim) {
  auto updates = operationsOf<UpdateOp>(victim);
  llvm::erase_if(updates, [](UpdateOp op) { return !op.getRounding(); });
  if (updates.empty())
    return {};
  UpdateOp update = victim.random.pick(updates);
  // A name with another meaning for the host, or none.
  StringRef name =
      victim.random.pick(ArrayRef<StringRef>{"step", "lr", "seed", kLossScale});
  std::string text =
      describe(update.getRounding()) + ": is the scalar \"" + name.str() + "\"";
  for (Value bits : argumentsLike(victim, update.getRounding())) {
    auto argument = cast<BlockArgument>(bits);
    programOf(bits).setArgAttr(
        argument.getArgNumber(), kScalarAttr,
        StringAttr::get(victim.module.getContext(), name));
  }
  return text;
}

Change zero::changeLossScale(Victim &victim) {
  auto clips = operationsOf<ClipOp>(victim);
  llvm::erase_if(clips, [](ClipOp clip) { return !clip.getScale(); });
  if (clips.empty())
    return {};
  ClipOp clip = victim.random.pick(clips);
  SmallVector<Value> others;
  for (BlockArgument argument : clip->getBlock()->getArguments())
    if (argument.getType() == clip.getScale().getType() &&
        argument != clip.getScale())
      others.push_back(argument);
  if (others.empty() || victim.random.once(2)) {
    clip.getScaleMutable().clear();
    return describe(clip.getOperation()) + ": divides by no loss scale";
  }
  Value other = victim.random.pick(others);
  clip.getScaleMutable().assign(other);
  return describe(clip.getOperation()) + ": divides by " + describe(other);
}

/// Removes the limits, or changes them.
static Change changeLimits(Victim &victim, ClipOp clip) {
  if (!clip.maySkip())
    return {};
  std::string text = describe(clip.getOperation());
  if (victim.random.once(3)) {
    clip.getWithinMutable().clear();
    return text + ": is within no limits";
  }
  unsigned i = victim.random.below(clip.getWithin().size());
  SmallVector<Value> others;
  for (BlockArgument argument : clip->getBlock()->getArguments())
    if (argument.getType() == clip.getWithin()[i].getType())
      others.push_back(argument);
  llvm::append_range(others, clip.getWithin());
  llvm::erase(others, clip.getWithin()[i]);
  if (others.empty())
    return {};
  Value other = victim.random.pick(others);
  clip.getWithinMutable()[i].assign(other);
  return text + ": takes " + describe(other) + " in place " +
         std::to_string(i) + " of its limits";
}

Change zero::changeSkip(Victim &victim) {
  SmallVector<Operation *> places;
  llvm::append_range(places, operationsOf<ClipOp>(victim));
  llvm::append_range(places, operationsOf<UpdateOp>(victim));
  if (places.empty())
    return {};
  Operation *op = victim.random.pick(places);
  if (auto clip = dyn_cast<ClipOp>(op))
    return changeLimits(victim, clip);
  auto update = cast<UpdateOp>(op);
  update.setSkipNonfinite(!update.getSkipNonfinite());
  return describe(op) +
         (update.getSkipNonfinite() ? ": skips" : ": does not skip") +
         " steps that are not finite";
}
