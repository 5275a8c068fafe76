//===- Averages.cpp - Means over ranks and micro-steps --------------------===//
//
// A loss is divided by the values that zero.average marks, so every rank and
// micro-step must know their mean first.  With one micro-step they are
// exchanged where they are computed; with several, @count exchanges them, and
// the host passes the mean to the other programs as a scalar.
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
                             b.getF64FloatAttr(1.0 / partition.ranks()),
                             inTree(), UnitAttr());
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

/// Calls `visit` for each average, at its place, and with its name: its number
/// among the averages of its micro-step, in block order.
void ProgramBuilder::forEachAverage(
    function_ref<void(AverageOp op, const std::string &name)> visit) {
  DenseMap<Attribute, unsigned> known;
  for (auto op : llvm::make_early_inc_range(block.getOps<AverageOp>())) {
    b.setInsertionPoint(op);
    visit(op, "count" + std::to_string(known[op->getAttr(kMicroAttr)]++));
  }
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
  forEachAverage([&](AverageOp op, const std::string &name) {
    replaceAverage(op, partition.microSteps > 1
                           ? scalars.lookup(name)
                           : average(op.getValue(), op.getLoc()));
  });
}

void ProgramBuilder::averageOverRanks() {
  forEachAverage([&](AverageOp op, const std::string &name) {
    Value mean = average(op.getValue(), op.getLoc());
    outputs.push_back({mean, name, op->getAttrOfType<IntegerAttr>(kMicroAttr)});
    replaceAverage(op, mean);
  });
}

void ProgramBuilder::outputAverages() {
  forEachAverage([&](AverageOp op, const std::string &name) {
    outputs.push_back({average(op.getValue(), op.getLoc()), name,
                       op->getAttrOfType<IntegerAttr>(kMicroAttr)});
  });
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
