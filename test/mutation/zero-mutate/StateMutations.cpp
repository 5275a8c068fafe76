//===- StateMutations.cpp - Break the targets of writes -------------------===//

#include "Places.h"

#include "dialect/zero/Storage.h"

using namespace mlir;
using namespace mlir::zero;

/// Replaces the only result of `op` by `value` and erases it.
static void replaceBy(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

Change zero::bypassCollective(Victim &victim) {
  SmallVector<OpOperand *> places;
  for (Operation *op : operationsOf(victim, isCollective))
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType() == op->getResult(0).getType())
        places.push_back(&operand);
  if (places.empty())
    return {};
  OpOperand *operand = victim.random.pick(places);
  std::string text = describe(operand->getOwner()) +
                     ": dropped, its users take operand " +
                     std::to_string(operand->getOperandNumber());
  replaceBy(operand->getOwner(), operand->get());
  return text;
}

Change zero::dropCollective(Victim &victim) {
  Operation *op = pick(victim, isCollective);
  if (!op)
    return {};
  // An operand if its type agrees, otherwise the result of an earlier
  // operation.
  SmallVector<Value> values;
  for (Value operand : op->getOperands())
    if (operand.getType() == op->getResult(0).getType())
      values.push_back(operand);
  if (values.empty())
    values = definedBefore(op, op->getResult(0).getType());
  Value value = victim.random.pick(values);
  if (!value)
    return {};
  std::string text =
      describe(op) + ": dropped, its users take " + describe(value);
  replaceBy(op, value);
  return text;
}

Change zero::dropClear(Victim &, ClearOp clear) {
  std::string text = describe(clear);
  replaceBy(clear, clear.getValue());
  return text + ": dropped, its users take its operand";
}

Change zero::wrongBucket(Victim &victim) {
  Operation *op =
      pick(victim, [](Operation *op) { return getBucketRef(op) != nullptr; });
  if (!op)
    return {};
  auto name = getBucketRef(op);
  SmallVector<BucketOp> others, alike;
  auto mine = victim.module.lookupSymbol<BucketOp>(name.getValue());
  for (auto bucket : victim.module.getOps<BucketOp>())
    if (bucket != mine) {
      others.push_back(bucket);
      if (bucket.getElements() == mine.getElements())
        alike.push_back(bucket);
    }
  if (others.empty())
    return {};
  BucketOp other = victim.random.pick(alike.empty() ? others : alike);
  std::string text = describe(op) + ": works on @" + other.getSymName().str();
  op->setAttr("bucket", FlatSymbolRefAttr::get(other.getSymNameAttr()));
  return text;
}

Change zero::exchangeStates(Victim &victim) {
  ProgramOp step = victim.programs.back();
  SmallVector<unsigned> states;
  for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
    if (step.getArgAttr(i, kStateAttr))
      states.push_back(i);
  if (states.empty())
    return {};
  unsigned a = victim.random.pick(states);
  llvm::erase_if(states, [&](unsigned i) {
    return i == a ||
           step.getArgument(i).getType() != step.getArgument(a).getType();
  });
  if (states.empty())
    return {};
  unsigned b = victim.random.pick(states);
  std::string text = describe(Value(step.getArgument(a))) + " and " +
                     describe(Value(step.getArgument(b))) +
                     ": states exchanged in all programs";
  exchangeArgAttrs(victim, a, b, kStateAttr);
  return text;
}

Change zero::exchangeReturns(Victim &victim, ProgramOp program) {
  return exchangeIn(program.front().getTerminator(), victim.random);
}

Change zero::dropOutput(Victim &victim, ProgramOp program) {
  SmallVector<unsigned> outputs;
  for (unsigned i = 0, e = program.getNumResults(); i != e; ++i)
    if (program.getOutput(i))
      outputs.push_back(i);
  if (outputs.empty())
    return {};
  unsigned output = victim.random.pick(outputs);
  std::string text = "@" + program.getSymName().str() + ": output " +
                     program.getOutput(output).str() + " dropped";
  program.front().getTerminator()->eraseOperand(output);
  if (failed(program.eraseResult(output)))
    return {};
  return text;
}

Change zero::exchangeUpdates(Victim &victim, UpdateOp a) {
  auto b = pick<UpdateOp>(victim, [&](UpdateOp other) {
    return other != a && other->getBlock() == a->getBlock() &&
           other->getResultTypes() == a->getResultTypes();
  });
  if (!b)
    return {};
  std::string text = describe(a) + " and " + describe(b);
  switch (victim.random.below(3)) {
  case 0: { // exchange where the two results are written
    Attribute bytes = a->getAttr(kBytesAttr);
    a->setAttr(kBytesAttr, b->getAttr(kBytesAttr));
    b->setAttr(kBytesAttr, bytes);
    return text + ": zero.at exchanged";
  }
  case 1: // same, with the initial state
    for (unsigned i = 0, e = a->getNumResults(); i != e; ++i) {
      BytesAttr first = getBytes(a->getResult(i)),
                second = getBytes(b->getResult(i));
      SmallVector<Value> mine = familyOf(victim, a->getResult(i)),
                         theirs = familyOf(victim, b->getResult(i));
      if (llvm::is_contained(mine, b->getResult(i)))
        return {};
      int64_t delta = second.getOffset() - first.getOffset();
      moveEach(mine, delta);
      moveEach(theirs, -delta);
    }
    return text + ": zero.at of all that is tied to them exchanged";
  default: // exchange the gradients
    if (a.getGrad().getType() != b.getGrad().getType() ||
        b.getGrad() == a.getGrad())
      return {};
    exchange(a.getGradMutable(), b.getGradMutable());
    return text + ": gradients exchanged";
  }
}

Change zero::exchangeOperands(Victim &victim) {
  // Excludes the model's operations: exchangeArguments covers them.
  return exchangeIn(
      pick(victim,
           [](Operation *op) {
             return isa<UpdateOp, FlattenOp, JoinOp, AccumulateOp>(op) &&
                    op->getNumOperands() > 1;
           }),
      victim.random);
}

/// Changes whether a bucket is frozen, contrary to the plan; or treats a bucket
/// as frozen and drops the result of its update.
Change zero::changeFrozen(Victim &victim) {
  if (operationsOf<UpdateOp>(victim).empty())
    return {};
  if (victim.random.once(2)) {
    auto update = pick<UpdateOp>(victim);
    std::string text = describe(update) + ": dropped";
    SmallVector<Value> before = {update.getParam()};
    llvm::append_range(before, update.getKept());
    for (auto [next, old] : llvm::zip(update.getNext(), before))
      if (!old || next.getType() != old.getType())
        return {};
    for (auto [next, old] : llvm::zip(update.getNext(), before))
      next.replaceAllUsesWith(old);
    update.erase();
    return text;
  }
  auto buckets = llvm::to_vector(victim.module.getOps<BucketOp>());
  BucketOp bucket = victim.random.pick(buckets);
  bucket.setFrozen(!bucket.getFrozen());
  return "@" + bucket.getSymName().str() + ": " +
         (bucket.getFrozen() ? "frozen" : "not frozen");
}
