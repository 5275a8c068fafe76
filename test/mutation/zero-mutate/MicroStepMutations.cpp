//===- MicroStepMutations.cpp - Break the assignment to micro-steps -------===//
//
// A program may contain all micro-steps of a step (PartitionState,
// accumulate-order=block).  These mutations change whose inputs are read and
// whose gradients are added.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "dialect/zero/PlanPrograms.h"

using namespace mlir;
using namespace mlir::zero;

/// Returns the inputs of `program` that belong to a micro-step.
static SmallVector<BlockArgument> inputsOf(ProgramOp program) {
  SmallVector<BlockArgument> found;
  for (BlockArgument argument : program.getArguments())
    if (program.getArgAttr(argument.getArgNumber(), kMicroAttr))
      found.push_back(argument);
  return found;
}

/// Returns other values of `values` with the same name as `mine`, from other
/// micro-steps.
template <typename T, typename NameOf>
static SmallVector<T> alikeBut(ArrayRef<T> values, T mine, NameOf nameOf) {
  return llvm::filter_to_vector(values, [&](T other) {
    return other != mine && nameOf(other) == nameOf(mine);
  });
}

/// One user of an input, or all of them, read another micro-step's input
/// instead.
Change zero::readOtherInput(Victim &victim) {
  ProgramOp program = victim.random.pick(victim.programs);
  SmallVector<BlockArgument> inputs = inputsOf(program);
  llvm::erase_if(inputs, [](BlockArgument input) { return input.use_empty(); });
  if (inputs.empty())
    return {};
  BlockArgument mine = victim.random.pick(inputs);
  auto others = alikeBut<BlockArgument>(inputs, mine, [&](BlockArgument input) {
    return program.getInput(input.getArgNumber());
  });
  if (others.empty())
    return {};
  BlockArgument other = victim.random.pick(others);
  bool isOne = victim.random.once(2);
  if (isOne) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : mine.getUses())
      uses.push_back(&use);
    victim.random.pick(uses)->set(other);
  } else {
    mine.replaceAllUsesWith(other);
  }
  return describe(Value(mine)) + ": " + (isOne ? "a user reads" : "all read") +
         " that of another micro-step";
}

/// Exchanges the micro-step of two inputs, outputs or packs.
Change zero::exchangeMicroSteps(Victim &victim) {
  ProgramOp program = victim.random.pick(victim.programs);
  if (victim.random.once(2)) {
    SmallVector<PackOp> packs =
        llvm::filter_to_vector(program.front().getOps<PackOp>(), [](PackOp op) {
          return op->hasAttr(kMicroAttr);
        });
    if (packs.empty())
      return {};
    PackOp a = victim.random.pick(packs);
    auto others = alikeBut<PackOp>(
        packs, a, [](PackOp op) { return op.getBucketAttr(); });
    if (others.empty())
      return {};
    PackOp b = victim.random.pick(others);
    Attribute mine = a->getAttr(kMicroAttr);
    a->setAttr(kMicroAttr, b->getAttr(kMicroAttr));
    if (victim.random.once(2))
      b->setAttr(kMicroAttr, mine);
    return describe(a.getOperation()) + ": says it is of another micro-step";
  }
  SmallVector<BlockArgument> inputs = inputsOf(program);
  if (inputs.empty())
    return {};
  BlockArgument a = victim.random.pick(inputs);
  auto others = alikeBut<BlockArgument>(inputs, a, [&](BlockArgument input) {
    return program.getInput(input.getArgNumber());
  });
  if (others.empty())
    return {};
  BlockArgument b = victim.random.pick(others);
  unsigned i = a.getArgNumber(), j = b.getArgNumber();
  // The arguments of all programs have the same order.
  for (ProgramOp one : victim.programs) {
    Attribute mine = one.getArgAttr(i, kMicroAttr);
    one.setArgAttr(i, kMicroAttr, one.getArgAttr(j, kMicroAttr));
    one.setArgAttr(j, kMicroAttr, mine);
  }
  return describe(Value(a)) + ": exchanged with that of another micro-step";
}

/// Omits a term of a sum over micro-steps, or adds it twice.
Change zero::changeSum(Victim &victim) {
  auto sums = operationsOf(victim, [](Operation *op) {
    auto reduce = dyn_cast<ReduceScatterOp>(op);
    return isa<AccumulateOp>(op) || (reduce && reduce.getInto());
  });
  if (sums.empty())
    return {};
  Operation *op = victim.random.pick(sums);
  auto add = dyn_cast<AccumulateOp>(op);
  Value sum = add ? add.getSum() : cast<ReduceScatterOp>(op).getInto();
  if (victim.random.once(2)) {
    std::string text = describe(op) + ": left out";
    op->getResult(0).replaceAllUsesWith(sum);
    op->erase();
    return text;
  }
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  Operation *again = b.clone(*op);
  op->getResult(0).replaceAllUsesExcept(again->getResult(0), again);
  again->replaceUsesOfWith(sum, op->getResult(0));
  return describe(op) + ": added twice";
}

/// Packs another micro-step's gradients.
Change zero::packOtherMicroStep(Victim &victim) {
  auto packs = operationsOf<PackOp>(victim);
  llvm::erase_if(packs, [](PackOp op) { return !op->hasAttr(kMicroAttr); });
  if (packs.empty())
    return {};
  PackOp mine = victim.random.pick(packs);
  SmallVector<PackOp> others;
  for (PackOp other : packs)
    if (other != mine && other.getBucket() == mine.getBucket() &&
        other->getBlock() == mine->getBlock() && other->isBeforeInBlock(mine))
      others.push_back(other);
  if (others.empty())
    return {};
  PackOp other = victim.random.pick(others);
  std::string text = describe(mine.getOperation());
  unsigned i = victim.random.below(mine->getNumOperands());
  mine->setOperand(i, other->getOperand(i));
  return text + ": packs a gradient of another micro-step";
}
