//===- StateUpdates.cpp - The norm, and what it lets through --------------===//

#include "passes/partition/ProgramBuilder.h"

using namespace mlir;
using namespace mlir::zero;

/// The factor that limits the norm of all gradients.
Value ProgramBuilder::emitClip() {
  if (partition.ranks() > 1) {
    auto type = RankedTensorType::get({}, b.getF64Type());
    Value mine = TotalOp::create(b, name("grad_norm"), type, partials);
    partials = {AllReduceOp::create(b, name("grad_norm"), type, mine, axis(),
                                    b.getF64FloatAttr(1.0))};
  }
  auto clip = ClipOp::create(
      b, function.getLoc(), scalarType(), scalarType(), partials,
      scalars.lookup(kLossScale),
      partition.maxNorm > 0 ? b.getF64FloatAttr(partition.maxNorm)
                            : FloatAttr(),
      partition.skipNonfinite ? b.getUnitAttr() : UnitAttr());
  outputs.push_back({clip.getNorm(), "grad_norm"});
  return clip.getFactor();
}

void ProgramBuilder::emitUpdates() {
  OptimizerOp rule = partition.rule;
  b.setInsertionPoint(returned);
  scalars["clip"] = emitClip();
  SmallVector<Value> scalarValues;
  for (StringRef scalar : rule.getScalars().getAsValueRange<StringAttr>())
    if (scalar != "decay") // Members say which of them decay.
      scalarValues.push_back(scalars.lookup(scalar));
  size_t slotCount = rule.getSlots().size();
  size_t updated = 1 + slotCount + (partition.hasMasters() ? 1 : 0);
  for (auto [k, bucket] : llvm::enumerate(buckets)) {
    Location loc = name(bucket.label);
    SmallVector<Value> values;
    for (size_t s = 0; s < updated; ++s)
      values.push_back(state[s][k]);
    auto update = UpdateOp::create(
        b, loc, ValueRange(values).getTypes(), FlatSymbolRefAttr::get(rule),
        symbol(k), values.front(), gradients[k],
        ArrayRef(values).slice(1, slotCount),
        partition.hasMasters() ? values.back() : Value(), scalarValues,
        scalars.lookup(kRounding), b.getF64FloatAttr(partition.weightDecay),
        partition.skipNonfinite ? b.getUnitAttr() : UnitAttr());
    for (size_t s = 0; s < updated; ++s)
      next[s][k] = update.getNext()[s];
    // The update wrote the rank's slice of a whole parameter.
    if (partition.ranks() > 1 && partition.stage > 0 && bucket.whole)
      next[0][k] = AllGatherOp::create(b, loc, next[0][k].getType(), next[0][k],
                                       symbol(k));
    if (partition.microSteps > 1)
      next.back()[k] = ClearOp::create(b, loc, gradients[k].getType(),
                                       gradients[k], symbol(k));
  }
}
