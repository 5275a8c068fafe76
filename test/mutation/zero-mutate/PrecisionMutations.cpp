//===- PrecisionMutations.cpp - Break masters, scales and skipped steps ---===//

#include "Places.h"

using namespace mlir;
using namespace mlir::zero;

Change zero::exchangeMasters(Victim &victim) {
  // Or a value of the same type as a master: a moment of the same bucket.
  auto update = pick<UpdateOp>(victim, [](UpdateOp update) {
    return update.getMaster() && !update.getSlots().empty() &&
           update.getSlots()[0].getType() == update.getMaster().getType();
  });
  const auto hasMaster = [](UpdateOp op) { return bool(op.getMaster()); };
  const bool hasPair =
      llvm::count_if(operationsOf<UpdateOp>(victim), hasMaster) > 1;
  if (update && (!hasPair || victim.random.once(2))) {
    exchange(update.getMasterMutable()[0], update.getSlotsMutable()[0]);
    return describe(update) +
           ": takes its first slot as master, and its master as that";
  }
  return exchangeOfTwo<UpdateOp>(
      victim, operationsOf<UpdateOp>(victim),
      [](UpdateOp update) {
        return update.getMaster() ? &update.getMasterMutable()[0] : nullptr;
      },
      "exchange their masters");
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
