//===- TierMutations.cpp - Break transfers between tiers ------------------===//

#include "Places.h"

using namespace mlir;
using namespace mlir::zero;

static SmallVector<Operation *> transfersOf(Victim &victim) {
  return operationsOf(victim,
                      [](Operation *op) { return isa<FetchOp, SpillOp>(op); });
}

/// Exchanges operand `number` of two transfers of one program, if these are
/// different values of one type.
static Change exchangeOperandOfTwo(Victim &victim, unsigned number,
                                   StringRef text) {
  SmallVector<Operation *> transfers = transfersOf(victim);
  SmallVector<std::pair<Operation *, Operation *>> pairs;
  for (auto [i, one] : llvm::enumerate(transfers))
    for (Operation *other : ArrayRef(transfers).drop_front(i + 1))
      if (one->getNumOperands() > number && other->getNumOperands() > number &&
          one->getBlock() == other->getBlock() &&
          one->getOperand(number) != other->getOperand(number) &&
          one->getOperand(number).getType() ==
              other->getOperand(number).getType())
        pairs.push_back({one, other});
  if (pairs.empty())
    return {};
  auto [one, other] = victim.random.pick(pairs);
  std::string which = describe(one) + " and " + describe(other);
  Value first = one->getOperand(number), second = other->getOperand(number);
  // A value that is defined between the two cannot be used by the first.
  Operation *made = second.getDefiningOp();
  if (made && !made->isBeforeInBlock(one))
    return {};
  one->setOperand(number, second);
  other->setOperand(number, first);
  return which + ": " + text.str();
}

Change zero::exchangeTransfers(Victim &victim) {
  return exchangeOperandOfTwo(victim, 0, "each moves what the other should");
}

Change zero::exchangeTargets(Victim &victim) {
  return exchangeOperandOfTwo(victim, 1, "each goes where the other should");
}

Change zero::moveOtherValue(Victim &victim) {
  SmallVector<Operation *> transfers = transfersOf(victim);
  if (transfers.empty())
    return {};
  Operation *op = victim.random.pick(transfers);
  SmallVector<Value> others;
  auto add = [&](Value value) {
    if (value.getType() == op->getOperand(0).getType() &&
        value != op->getOperand(0))
      others.push_back(value);
  };
  for (BlockArgument argument : op->getBlock()->getArguments())
    add(argument);
  for (Operation &before : *op->getBlock()) {
    if (&before == op)
      break;
    for (Value result : before.getResults())
      add(result);
  }
  if (others.empty())
    return {};
  Value other = victim.random.pick(others);
  std::string text = describe(op) + ": moves " + describe(other);
  op->setOperand(0, other);
  return text;
}
