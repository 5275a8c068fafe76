//===- Averages.cpp - Means over ranks and micro-steps --------------------===//
//
// A loss is divided by what zero.average marks, so every rank and micro-step
// must know it before.  With one micro-step it is exchanged where it is
// computed; with several @count exchanges it, and the host gives the mean to the
// other programs as a scalar.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ProgramBuilder.h"

using namespace mlir;
using namespace mlir::zero;

/// The mean of `value` over ranks.
Value ProgramBuilder::average(Value value, Location loc) {
  if (partition.ranks() == 1)
    return value;
  return AllReduceOp::create(b, loc, value.getType(), value, axis(),
                             b.getF64FloatAttr(1.0 / partition.ranks()));
}

/// Marks the operands that are `average`: the launches that divide by it do not
/// tell whether it has been exchanged.
static void requireSame(Value average) {
  for (OpOperand &use : average.getUses()) {
    SmallVector<int64_t> same = {use.getOperandNumber()};
    if (auto known =
            use.getOwner()->getAttrOfType<DenseI64ArrayAttr>(kSameAttr))
      llvm::append_range(same, known.asArrayRef());
    llvm::sort(same);
    use.getOwner()->setAttr(kSameAttr,
                            DenseI64ArrayAttr::get(average.getContext(), same));
  }
}

void ProgramBuilder::replaceAverages() {
  unsigned i = 0;
  for (auto op : llvm::make_early_inc_range(block.getOps<AverageOp>())) {
    Value result;
    if (partition.microSteps > 1) {
      result = scalars.lookup("count" + std::to_string(i++));
    } else {
      b.setInsertionPoint(op);
      result = average(op.getValue(), op.getLoc());
    }
    Operation *local = op.getValue().getDefiningOp();
    if (partition.ranks() > 1)
      requireSame(op.getResult());
    op.replaceAllUsesWith(result);
    op.erase();
    if (local && isOpTriviallyDead(local))
      local->erase();
  }
}

void ProgramBuilder::exchangeAverages() {
  unsigned i = 0;
  for (auto op : llvm::make_early_inc_range(block.getOps<AverageOp>())) {
    b.setInsertionPoint(op);
    outputs.push_back(
        {average(op.getValue(), op.getLoc()), "count" + std::to_string(i++)});
  }
  returned->setOperands(ValueRange());
  for (auto &[value, output] : outputs)
    returned->insertOperands(returned->getNumOperands(), value);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (&op != returned && op.use_empty())
      op.erase();
}

void ProgramBuilder::emitLoss() {
  Value loss = returned.getOperand(0);
  b.setInsertionPoint(returned);
  if (Operation *def = loss.getDefiningOp())
    b.setInsertionPointAfter(def);
  outputs.push_back({average(loss, name("loss")), "loss"});
}
