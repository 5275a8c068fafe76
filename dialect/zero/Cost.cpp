//===- Cost.cpp - Cost of a plan's operation on a rank --------------------===//

#include "dialect/zero/Cost.h"

#include "dialect/zero/Storage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::zero;

AxisOp zero::findAxis(PlanOpInterface op, SymbolTableCollection &symbols) {
  FlatSymbolRefAttr axis;
  if (auto collective = dyn_cast<CollectiveOpInterface>(op.getOperation()))
    axis = collective.getAxisRef(symbols);
  else if (FlatSymbolRefAttr name = op.getBucketRef())
    if (auto bucket = symbols.lookupNearestSymbolFrom<BucketOp>(op, name))
      axis = bucket.getAxisAttr();
  return axis ? symbols.lookupNearestSymbolFrom<AxisOp>(op, axis) : AxisOp();
}

int64_t zero::countRanks(PlanOpInterface op, SymbolTableCollection &symbols) {
  AxisOp axis = findAxis(op, symbols);
  if (!axis)
    return 1;
  int64_t ranks = axis.getSize(), members = axis.getGroupSize();
  auto collective = dyn_cast<CollectiveOpInterface>(op.getOperation());
  std::optional<Over> over =
      collective ? collective.getRanksOver() : std::nullopt;
  if (!over)
    return ranks;
  switch (*over) {
  case Over::Members:
    return members;
  case Over::Groups:
    return ranks / members;
  case Over::Context:
    return axis.getContextSize();
  }
  llvm_unreachable("all ranks are known");
}

bool zero::staysInGroup(CollectiveOpInterface op) {
  std::optional<Over> over = op.getRanksOver();
  if (over != Over::Context)
    return over == Over::Members;
  SymbolTableCollection symbols;
  AxisOp axis = findAxis(cast<PlanOpInterface>(*op), symbols);
  return axis && axis.getGroup() &&
         axis.getGroupSize() % axis.getContextSize() == 0;
}

/// The number of equal parts of a bucket of which a value of `extent` is one.
static int64_t countParts(Extent extent, AxisOp axis) {
  if (!axis)
    return 1;
  return extent == Extent::Slice  ? int64_t(axis.getSize())
         : extent == Extent::Part ? axis.getGroupSize()
                                  : 1;
}

int64_t zero::getTouchedBytes(PlanOpInterface op, Value value,
                              SymbolTableCollection &symbols) {
  Extent extent = op.getExtent(value);
  if (extent == Extent::None)
    return 0;
  int64_t bytes = getByteSize(value.getType());
  if (extent != Extent::Slice && extent != Extent::Part)
    return bytes;
  // A value may have room for more than what is touched of it.
  AxisOp axis = findAxis(op, symbols);
  Extent held = getTypeExtent(value.getType(), /*ofBucket=*/true);
  return bytes / (countParts(extent, axis) / countParts(held, axis));
}

int64_t zero::countElements(PlanOpInterface op, Value value,
                            SymbolTableCollection &symbols) {
  return getTouchedBytes(op, value, symbols) / getElementBytes(value.getType());
}

int64_t zero::countFloatOps(Region &region) {
  int64_t count = 0;
  region.walk([&](Operation *op) {
    bool computes = !op->hasTrait<OpTrait::ConstantLike>() &&
                    op->getNumRegions() == 0 && op->getNumResults() == 1 &&
                    isa<FloatType>(op->getResult(0).getType()) &&
                    !isa<arith::SelectOp>(op);
    count += computes;
  });
  return count;
}

int64_t zero::countFlops(Operation *op, SymbolTableCollection &symbols) {
  if (auto counted = dyn_cast<FlopsOpInterface>(op))
    return counted.getFlops(symbols);
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || linalg.hasDynamicShape())
    return 0;
  return llvm::product_of(linalg.getStaticLoopRanges()) *
         countFloatOps(op->getRegion(0));
}

Cost zero::getCost(Operation *op, SymbolTableCollection &symbols) {
  Cost cost;
  auto plan = dyn_cast<PlanOpInterface>(op);
  if (!plan || plan.movesNothing())
    return cost;
  cost.flops = countFlops(op, symbols);
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    cost.wire = collective.getWireBytes(
        countRanks(plan, symbols),
        getTouchedBytes(plan, collective.getWhole(), symbols));
  auto tierOf = [](Value value) {
    BytesAttr bytes = bytesOf(value);
    return static_cast<unsigned>(bytes ? bytes.getTier() : Tier::Device);
  };
  for (Value operand : op->getOperands())
    cost.read[tierOf(operand)] += getTouchedBytes(plan, operand, symbols);
  for (Value result : op->getResults())
    cost.written[tierOf(result)] += getTouchedBytes(plan, result, symbols);
  return cost;
}
