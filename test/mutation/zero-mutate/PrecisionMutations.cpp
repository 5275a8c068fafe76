//===- PrecisionMutations.cpp - Break masters, scales and skipped steps ---===//

#include "Places.h"

using namespace mlir;
using namespace mlir::zero;

Change zero::exchangeMasters(Victim &victim) {
  auto updates = operationsOf<UpdateOp>(victim);
  auto pairs = pairsOf<UpdateOp>(updates, [](UpdateOp one, UpdateOp other) {
    return one.getMaster() && other.getMaster() &&
           one.getMaster().getType() == other.getMaster().getType();
  });
  // Or a value of the same type as a master: a moment of the same bucket.
  SmallVector<UpdateOp> moments;
  for (UpdateOp update : updates)
    if (update.getMaster() && !update.getSlots().empty() &&
        update.getSlots()[0].getType() == update.getMaster().getType())
      moments.push_back(update);
  if (!moments.empty() && (pairs.empty() || victim.random.once(2))) {
    UpdateOp update = victim.random.pick(moments);
    exchange(update.getMasterMutable()[0], update.getSlotsMutable()[0]);
    return describe(update) +
           ": takes its first slot as master, and its master as that";
  }
  if (pairs.empty())
    return {};
  auto [one, other] = victim.random.pick(pairs);
  exchange(one.getMasterMutable()[0], other.getMasterMutable()[0]);
  return describe(one) + " and " + describe(other) + ": exchange their masters";
}

Change zero::changeRounding(Victim &victim) {
  auto update = pick<UpdateOp>(
      victim, [](UpdateOp op) { return bool(op.getRounding()); });
  if (!update)
    return {};
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
  auto clip =
      pick<ClipOp>(victim, [](ClipOp clip) { return bool(clip.getScale()); });
  if (!clip)
    return {};
  SmallVector<Value> others;
  for (BlockArgument argument : clip->getBlock()->getArguments())
    if (argument.getType() == clip.getScale().getType() &&
        argument != clip.getScale())
      others.push_back(argument);
  if (others.empty() || victim.random.once(2)) {
    clip.getScaleMutable().clear();
    return describe(clip) + ": divides by no loss scale";
  }
  Value other = victim.random.pick(others);
  clip.getScaleMutable().assign(other);
  return describe(clip) + ": divides by " + describe(other);
}

/// Removes the limits, or changes them.
static Change changeLimits(Victim &victim, ClipOp clip) {
  if (!clip.maySkip())
    return {};
  std::string text = describe(clip);
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
