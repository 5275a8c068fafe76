//===- Work.cpp - The amounts of work of a plan's operation ---------------===//

#include "dialect/zero/Work.h"

#include "dialect/zero/Cost.h"
#include "dialect/zero/Storage.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::zero;

/// The work of each element in a body.
static void countBody(Operation *op, double points, Work &work) {
  if (op->hasTrait<OpTrait::ConstantLike>() || op->getNumResults() != 1)
    return;
  if (isa<arith::TruncFOp>(op))
    work["kernel.rounding"] += points;
  else if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    work["kernel.division"] += points;
  else if (isa<math::MathDialect>(op->getDialect()) &&
           !isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp>(op))
    work["kernel.function"] += points;
  else
    work["kernel.op"] += points;
}

/// The work of an operation of a kernel.
static void countPart(Operation *op, SymbolTableCollection &symbols,
                      Work &work) {
  if (auto own = dyn_cast<FlopsOpInterface>(op))
    own.addWork(symbols, work);
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || linalg.hasDynamicShape())
    return;
  double points = double(llvm::product_of(linalg.getStaticLoopRanges()));
  op->getRegion(0).walk(
      [&](Operation *inner) { countBody(inner, points, work); });
  if (linalg.getNumReductionLoops())
    work["kernel.reduction"] += points;
}

/// The kernel that `op` launches, if it has a body.
static KernelOp getKernel(Operation *op, SymbolTableCollection &symbols) {
  auto launch = dyn_cast<LaunchOp>(op);
  auto kernel = launch ? symbols.lookupNearestSymbolFrom<KernelOp>(
                             launch, launch.getKernelAttr())
                       : KernelOp();
  return kernel && !kernel.isExternal() ? kernel : KernelOp();
}

std::string zero::getWorkKind(PlanOpInterface op,
                              SymbolTableCollection &symbols) {
  if (isa<LaunchOp>(op)) {
    // An operation with a routine of its own has a kernel of its own.
    if (KernelOp kernel = getKernel(op, symbols))
      for (Operation &part : kernel.getOps())
        if (isa<FlopsOpInterface>(part))
          return part.getName().stripDialect().str();
    return "kernel";
  }
  if (isa<FetchOp, SpillOp>(op))
    return stringifyStream(getStream(op)).str();
  // What the host's processors do is not what a device does.
  const std::string where = getStream(op) == Stream::Host ? "host_" : "";
  if (isa<AccumulateOp, AddLeafOp, SumLeavesOp, ClearOp, ZerosOp, CopyOp,
          QuantizeOp, DequantizeOp>(op))
    return where + "move";
  return where + op->getName().stripDialect().str();
}

int64_t zero::countWorkBytes(PlanOpInterface op, Value value,
                             SymbolTableCollection &symbols) {
  const int64_t all = getTouchedBytes(op, value, symbols);
  KernelOp kernel = getKernel(op, symbols);
  auto operand = llvm::find(op->getOperands(), value);
  if (!kernel)
    return all;
  // A sum of rows into a table that is there touches those rows.
  for (Operation &part : kernel.getOps())
    if (auto own = dyn_cast<FlopsOpInterface>(part);
        own && value.getType() == part.getResult(0).getType())
      return std::min(all, own.getWrittenElements() *
                               getElementBytes(value.getType()));
  if (operand == op->operand_end())
    return all;
  // Of a table whose rows are looked up, as many elements as are extracted.
  int64_t extracted = 0;
  for (Operation *user :
       kernel.getArgument(operand - op->operand_begin()).getUsers()) {
    auto body = user->getParentOfType<linalg::LinalgOp>();
    if (!isa<tensor::ExtractOp>(user) || !body || body.hasDynamicShape())
      return all;
    extracted += llvm::product_of(body.getStaticLoopRanges());
  }
  return std::min(all, extracted * getElementBytes(value.getType()));
}

Work zero::countWork(PlanOpInterface op, SymbolTableCollection &symbols) {
  Work work;
  const std::string kind = getWorkKind(op, symbols);
  work[kind + ".call"] = 1;
  if (isa<LaunchOp>(op)) {
    if (KernelOp kernel = getKernel(op, symbols))
      for (Operation &part : kernel.getOps())
        countPart(&part, symbols, work);
    return work;
  }
  if (auto own = dyn_cast<FlopsOpInterface>(*op))
    own.addWork(symbols, work);
  if (auto collective = dyn_cast<CollectiveOpInterface>(*op))
    work[kind + (staysInGroup(collective) ? kMemberByte.str() : ".byte")] =
        double(getCost(op, symbols).wire);
  else if (isa<FetchOp, SpillOp>(op))
    work[kind + ".byte"] =
        double(getTouchedBytes(op, op->getResult(0), symbols));
  return work;
}
