//===- MicroStepMutations.cpp - Break the assignment to micro-steps -------===//
//
// A program may contain all micro-steps of a step (PartitionState,
// accumulate-order=block).  These mutations change whose inputs are read and
// whose gradients are added.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/PlanPrograms.h"

using namespace mlir;
using namespace mlir::zero;

/// Returns the inputs of `program` that belong to a micro-step.
static SmallVector<BlockArgument> inputsOf(ProgramOp program) {
  return llvm::filter_to_vector(program.getArguments(), [&](auto argument) {
    return program.getArgAttr(argument.getArgNumber(), kMicroAttr);
  });
}

/// Draws another one of `inputs` with the same name as `mine`, and therefore of
/// another micro-step; null if there is none.
static BlockArgument pickOther(Random &random, ArrayRef<BlockArgument> inputs,
                               BlockArgument mine) {
  return random.pick(llvm::filter_to_vector(inputs, [&](BlockArgument input) {
    ProgramOp program = programOf(input);
    return input != mine && program.getInput(input.getArgNumber()) ==
                                program.getInput(mine.getArgNumber());
  }));
}

/// One user of an input, or all of them, read another micro-step's input
/// instead.
Change zero::readOtherInput(Victim &victim, ProgramOp program) {
  SmallVector<BlockArgument> inputs = inputsOf(program);
  llvm::erase_if(inputs, [](BlockArgument input) { return input.use_empty(); });
  BlockArgument mine = victim.random.pick(inputs);
  BlockArgument other = pickOther(victim.random, inputs, mine);
  if (!other)
    return {};
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
Change zero::exchangeMicroSteps(Victim &victim, ProgramOp program) {
  if (victim.random.once(2)) {
    SmallVector<FlattenOp> packs = llvm::filter_to_vector(
        program.front().getOps<FlattenOp>(),
        [](FlattenOp op) { return op->hasAttr(kMicroAttr); });
    FlattenOp a = victim.random.pick(packs);
    FlattenOp b =
        victim.random.pick(llvm::filter_to_vector(packs, [&](FlattenOp op) {
          return op != a && op.getBucketAttr() == a.getBucketAttr();
        }));
    if (!b)
      return {};
    Attribute mine = a->getAttr(kMicroAttr);
    a->setAttr(kMicroAttr, b->getAttr(kMicroAttr));
    if (victim.random.once(2))
      b->setAttr(kMicroAttr, mine);
    return describe(a) + ": says it is of another micro-step";
  }
  SmallVector<BlockArgument> inputs = inputsOf(program);
  BlockArgument a = victim.random.pick(inputs);
  BlockArgument b = pickOther(victim.random, inputs, a);
  if (!b)
    return {};
  // The arguments of all programs have the same order.
  exchangeArgAttrs(victim, a.getArgNumber(), b.getArgNumber(), kMicroAttr);
  return describe(Value(a)) + ": exchanged with that of another micro-step";
}

/// What `op` adds to, in its bytes; null if it adds to nothing.
static Value sumOf(Operation *op) {
  if (auto add = dyn_cast<AccumulateOp>(op))
    return add.getSum();
  if (auto product = dyn_cast<nn::MatmulOp>(op))
    return product.getInit();
  auto reduce = dyn_cast<ReduceScatterOp>(op);
  return reduce ? reduce.getInto() : Value();
}

/// Omits a term of a sum over micro-steps, or adds it twice.
Change zero::changeSum(Victim &victim) {
  Operation *op =
      pick(victim, [](Operation *op) { return sumOf(op) != nullptr; });
  if (!op)
    return {};
  Value sum = sumOf(op);
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
  auto mine = pick<FlattenOp>(
      victim, [](FlattenOp op) { return op->hasAttr(kMicroAttr); });
  if (!mine)
    return {};
  auto other = pick<FlattenOp>(victim, [&](FlattenOp other) {
    return other->hasAttr(kMicroAttr) && other != mine &&
           other.getBucket() == mine.getBucket() &&
           other->getBlock() == mine->getBlock() &&
           other->isBeforeInBlock(mine);
  });
  if (!other)
    return {};
  std::string text = describe(mine);
  unsigned i = victim.random.below(mine->getNumOperands());
  mine->setOperand(i, other->getOperand(i));
  return text + ": packs a gradient of another micro-step";
}
