//===- Averages.cpp - Means over ranks and micro-steps --------------------===//
//
// A loss is divided by the values that zero.average marks, so every rank and
// micro-step must know their mean first.  With one micro-step they are
// exchanged where they are computed; with several, @count exchanges them, and
// the host passes the mean to the other programs as a scalar.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/ProgramBuilder.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::zero;

/// The mean of `value` over ranks.
Value ProgramBuilder::average(Value value, Location loc) {
  if (partition.ranks() == 1)
    return value;
  return AllReduceOp::create(b, loc, value.getType(), value, axis(),
                             b.getF64FloatAttr(1.0 / partition.ranks()));
}

/// Marks the operands that are `average` as equal on all ranks (zero.same): a
/// launch that divides by one does not show whether it was exchanged.
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

/// The name of `op` by its number among the averages of its micro-step, in
/// block order; `known` counts them by micro-step.
static std::string nameOf(AverageOp op,
                          llvm::MapVector<Attribute, unsigned> &known) {
  return "count" + std::to_string(known[op->getAttr(kMicroAttr)]++);
}

void ProgramBuilder::replaceAverage(AverageOp op, Value mean) {
  Operation *local = op.getValue().getDefiningOp();
  if (partition.ranks() > 1)
    requireSame(op.getResult());
  op.replaceAllUsesWith(mean);
  op.erase();
  if (local && isOpTriviallyDead(local))
    local->erase();
}

void ProgramBuilder::replaceAverages() {
  llvm::MapVector<Attribute, unsigned> known;
  for (auto op : llvm::make_early_inc_range(block.getOps<AverageOp>())) {
    Value result;
    if (partition.microSteps > 1) {
      result = scalars.lookup(nameOf(op, known));
    } else {
      b.setInsertionPoint(op);
      result = average(op.getValue(), op.getLoc());
    }
    replaceAverage(op, result);
  }
}

void ProgramBuilder::averageOverRanks() {
  llvm::MapVector<Attribute, unsigned> known;
  for (auto op : llvm::make_early_inc_range(block.getOps<AverageOp>())) {
    b.setInsertionPoint(op);
    Value mean = average(op.getValue(), op.getLoc());
    outputs.push_back(
        {mean, nameOf(op, known), op->getAttrOfType<IntegerAttr>(kMicroAttr)});
    replaceAverage(op, mean);
  }
}

void ProgramBuilder::exchangeAverages() {
  llvm::MapVector<Attribute, unsigned> known;
  for (auto op : llvm::make_early_inc_range(block.getOps<AverageOp>())) {
    b.setInsertionPoint(op);
    outputs.push_back({average(op.getValue(), op.getLoc()), nameOf(op, known),
                       op->getAttrOfType<IntegerAttr>(kMicroAttr)});
  }
  returned->setOperands(ValueRange());
  for (const Output &output : outputs)
    returned->insertOperands(returned->getNumOperands(), output.value);
  eraseUnused();
}

void ProgramBuilder::emitLoss() {
  for (int64_t micro = 0; micro < partition.microStepsAtOnce(); ++micro) {
    Value loss = returned.getOperand(micro);
    b.setInsertionPoint(returned);
    if (Operation *def = loss.getDefiningOp())
      b.setInsertionPointAfter(def);
    outputs.push_back({average(loss, name("loss")), "loss", microAttr(micro)});
  }
}
