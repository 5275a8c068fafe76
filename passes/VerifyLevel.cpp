//===- VerifyLevel.cpp - Checks what a level promises ---------------------===//
//
// See Passes.td.  Operations are looked at alone: what they compute together is
// judged once, at the end (passes/verify).
//
//===----------------------------------------------------------------------===//

#include "dialect/nn/NN.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "dialect/zero/Zero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Passes.h"
#include "passes/model/ModelFunction.h"

namespace mlir::zero {
#define GEN_PASS_DEF_VERIFYLEVEL
#include "passes/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

struct VerifyLevel : zero::impl::VerifyLevelBase<VerifyLevel> {
  using VerifyLevelBase::VerifyLevelBase;
  void runOnOperation() override;
};

/// Whether `op` computes on tensors, or inside of such an operation.
bool isOfModel(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect, linalg::LinalgDialect,
                         math::MathDialect, nn::NNDialect,
                         tensor::TensorDialect>(op->getDialect()) ||
         isa<AverageOp, func::ReturnOp, ReturnOp>(op);
}

bool namesBytes(Operation *op) {
  return isReshape(op) || isa<arith::ConstantOp, SplitOp, JoinOp>(op);
}

/// Fails if `parent` has not exactly one block, or at the first operation in it
/// that is not `allowed`.  `promise`: what the level allows, for the error.
LogicalResult checkBlock(Operation *parent, bool (*allowed)(Operation *),
                         StringRef promise) {
  Region &region = parent->getRegion(0);
  if (!region.hasOneBlock())
    return parent->emitOpError("has ")
           << llvm::range_size(region) << " blocks; " << promise;
  for (Operation &op : region.front())
    if (!allowed(&op))
      return op.emitOpError("is left; ") << promise;
  return success();
}

/// (L1)
LogicalResult checkFunctions(ModuleOp module) {
  func::FuncOp step = findStep(module);
  if (!step)
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (function != step && !isForward(function.getName()))
      return function.emitOpError(
          "is left, but functions are @step, @prefill, @decode and "
          "@score (L1)");
  return checkGradients(step);
}

/// (L2), also of operations in regions.
LogicalResult checkModelOperations(Operation *parent) {
  auto found = parent->getRegion(0).walk<WalkOrder::PreOrder>(
      [](Operation *op) -> WalkResult {
        if (isOfModel(op))
          return WalkResult::advance();
        return op->emitOpError("is left; a step computes with nn, linalg, "
                               "tensor, arith and math (L2)");
      });
  return failure(found.wasInterrupted());
}

LogicalResult checkStep(ModuleOp module) {
  if (failed(checkFunctions(module)))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(checkModelOperations(function)))
      return failure();
  return success();
}

LogicalResult checkKernels(ModuleOp module) {
  if (failed(checkFunctions(module)))
    return failure();
  auto allowed = [](Operation *op) {
    return namesBytes(op) || nn::isPlanMatmul(op) ||
           isa<LaunchOp, AllToAllOp, AverageOp, func::ReturnOp>(op);
  };
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(checkBlock(function, allowed,
                          "functions launch kernels and multiply matrices "
                          "(L3)")))
      return failure();
  for (auto kernel : module.getOps<KernelOp>())
    if (failed(checkModelOperations(kernel)))
      return failure();
  return success();
}

/// (L6)
LogicalResult checkPartitionedOperation(PlanOpInterface op) {
  return op->hasAttr(kStreamAttr)
             ? op->emitOpError("is on a stream before streams are chosen (L6)")
             : success();
}

/// (L7)
LogicalResult checkScheduledOperation(PlanOpInterface op) {
  Stream stream = getStream(op), preferred = op.getPreferredStream();
  return stream == preferred ? success()
                             : op->emitOpError("is on stream ")
                                   << stringifyStream(stream)
                                   << "; its kind runs on "
                                   << stringifyStream(preferred) << " (L7)";
}

LogicalResult checkPrograms(ModuleOp module,
                            LogicalResult (*check)(PlanOpInterface)) {
  if (module.getOps<ProgramOp>().empty() || !findModel(module))
    return module.emitOpError("has no program, or no model to compare with "
                              "(L4)");
  for (auto function : module.getOps<func::FuncOp>())
    return function.emitOpError("is left beside the programs (L4)");
  auto allowed = [](Operation *op) {
    return namesBytes(op) || isa<PlanOpInterface, ReturnOp>(op);
  };
  for (auto program : module.getOps<ProgramOp>()) {
    if (program.isExternal())
      continue;
    if (failed(checkBlock(program, allowed,
                          "programs run operations of a plan (L5)")))
      return failure();
    for (Operation &op : program.front()) {
      if (op.hasAttr(kBytesAttr) || isa<RecordOp, WaitOp>(op))
        return op.emitOpError("has bytes or an event, which level memory "
                              "chooses (L6)");
      if (auto planned = dyn_cast<PlanOpInterface>(op);
          planned && failed(check(planned)))
        return failure();
    }
  }
  return success();
}

} // namespace

void VerifyLevel::runOnOperation() {
  ModuleOp module = getOperation();
  LogicalResult holds =
      level == "step"      ? checkStep(module)
      : level == "kernels" ? checkKernels(module)
      : level == "partitioned"
          ? checkPrograms(module, checkPartitionedOperation)
      : level == "scheduled"
          ? checkPrograms(module, checkScheduledOperation)
          : module.emitError("no level \"")
                << level << "\" is checked; it is step, kernels, partitioned "
                << "or scheduled";
  if (failed(holds))
    signalPassFailure();
}
