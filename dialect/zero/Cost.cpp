//===- Cost.cpp - Cost of a plan's operation on a rank --------------------===//

#include "dialect/zero/Cost.h"

#include "dialect/zero/Storage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::zero;

int64_t zero::countRanks(PlanOpInterface op, SymbolTableCollection &symbols) {
  FlatSymbolRefAttr axis;
  if (auto exchange = dyn_cast<CollectiveOpInterface>(op.getOperation()))
    axis = exchange.getAxisRef(symbols);
  else if (FlatSymbolRefAttr name = op.getBucketRef())
    if (auto bucket = symbols.lookupNearestSymbolFrom<BucketOp>(op, name))
      axis = bucket.getAxisAttr();
  auto ranks =
      axis ? symbols.lookupNearestSymbolFrom<AxisOp>(op, axis) : AxisOp();
  return ranks ? ranks.getSize() : 1;
}

int64_t zero::getTouchedBytes(PlanOpInterface op, Value value,
                              SymbolTableCollection &symbols) {
  Type type = value.getType();
  Extent extent = op.getExtent(value);
  if (extent == Extent::None)
    return 0;
  // A shard's bytes are the slice; a whole value holds every rank's.
  bool isPart =
      extent == Extent::Slice && getTypeExtent(type, true) != Extent::Slice;
  return getByteSize(type) / (isPart ? countRanks(op, symbols) : 1);
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
  if (auto exchange = dyn_cast<CollectiveOpInterface>(op))
    cost.wire = exchange.getWireBytes(countRanks(plan, symbols));
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
