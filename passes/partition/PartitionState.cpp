//===- PartitionState.cpp - Turns parameters into state -------------------===//
//
// 1. One bucket per parameter, padded so that every rank's slice is whole
//    vectors.
// 2. @step, which returns loss and gradients until here, becomes the programs
//    of a training step (BuildPrograms.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/partition/BuildPrograms.h"
#include "passes/partition/Optimizers.h"
#include "passes/partition/Passes.h"

#include "passes/model/InitialValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::zero {
#define GEN_PASS_DEF_PARTITIONSTATE
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

struct PartitionStatePass : zero::impl::PartitionStateBase<PartitionStatePass> {
  using PartitionStateBase::PartitionStateBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto step = module.lookupSymbol<func::FuncOp>("step");
    if (!step) {
      module.emitError(
          "has no function @step; run zero-differentiate-loss first");
      return signalPassFailure();
    }
    Partition partition{stage,    worldSize, accumulate, weightDecay,
                        gradClip, {},        {}};
    if (failed(checkOptions(step)) || failed(buildBuckets(step, partition)))
      return signalPassFailure();
    Builder attrs(&getContext());
    module->setAttr(kStageAttr, attrs.getI64IntegerAttr(stage));
    module->setAttr(kMicroStepsAttr, attrs.getI64IntegerAttr(accumulate));
    if (accumulate > 1) {
      if (!step.getBody().front().getOps<AverageOp>().empty())
        buildCountProgram(cloneAs(step, "count"), partition);
      buildMicroProgram(cloneAs(step, "micro"), partition);
    }
    buildStepProgram(step, partition);
  }

private:
  LogicalResult checkOptions(func::FuncOp step) {
    auto error = [&] { return step->getParentOp()->emitError(); };
    if (optimizer != "adamw" && optimizer != "sgd")
      return error() << "unknown optimizer " << optimizer.getValue()
                     << "; use adamw or sgd";
    if (stage < 0 || stage > 3)
      return error() << "stage=" << stage.getValue()
                     << " is no stage of ZeRO; use 0, 1, 2 or 3";
    if (worldSize < 1)
      return error() << "world-size=" << worldSize.getValue()
                     << "; use at least 1 rank";
    if (accumulate < 1)
      return error() << "accumulate=" << accumulate.getValue()
                     << "; use at least 1 micro-step";
    if (persistBelow < 0)
      return error() << "persist-below=" << persistBelow.getValue()
                     << "; use a number of bytes";
    if (persistBelow > 0 && stage != 3)
      return error() << "persist-below=" << persistBelow.getValue()
                     << " needs stage=3; the parameters of stage "
                     << stage.getValue() << " are whole on every rank";
    return success();
  }

  LogicalResult buildBuckets(func::FuncOp step, Partition &partition) {
    OpBuilder b(step);
    Location loc = step.getLoc();
    AxisOp::create(b, loc, "dp", worldSize);
    partition.rule = optimizer == "adamw"
                         ? buildAdamW(b, loc, {beta1, beta2, eps})
                         : buildSgd(b, loc, momentum);
    if (failed(setInitialValues(step))) // of steps that are no printed level
      return failure();
    for (BlockArgument arg : step.getArguments()) {
      unsigned i = arg.getArgNumber();
      auto name = step.getArgAttrOfType<StringAttr>(i, kParamAttr);
      if (!name)
        continue;
      auto type = cast<RankedTensorType>(arg.getType());
      if (!type.getElementType().isF32())
        return emitError(arg.getLoc(), "parameter ")
               << name << " is " << type
               << "; training binaries hold f32 parameters";
      int64_t count = type.getNumElements();
      if (count == 0)
        return emitError(arg.getLoc(), "parameter ")
               << name << " is " << type << ", which has no elements; drop it";
      int64_t elements = llvm::alignTo(count, worldSize * BucketOp::kAlignment);
      std::string symbol = "b" + std::to_string(partition.parameters.size());
      auto bucket =
          BucketOp::create(b, arg.getLoc(), symbol, "dp", elements,
                           b.getArrayAttr(makeMember(
                               name, type, step.getArgAttr(i, kInitAttr))));
      bool whole =
          worldSize == 1 || stage < 3 || getByteSize(type) < persistBelow;
      partition.parameters.push_back({i, name, bucket, whole});
    }
    if (partition.parameters.empty())
      return step.emitError(
          "has no parameters; mark arguments with zero.param");
    return success();
  }

  Attribute makeMember(StringAttr name, RankedTensorType type, Attribute init) {
    bool decay = type.getRank() >= 2 && weightDecay != 0;
    return MemberAttr::get(&getContext(), name, type.getShape(), /*offset=*/0,
                           /*firstRow=*/0, /*rows=*/0, decay, init);
  }

  /// A copy of `step` before it.
  func::FuncOp cloneAs(func::FuncOp step, StringRef name) {
    auto copy = cast<func::FuncOp>(OpBuilder(step).clone(*step));
    copy.setName(name);
    return copy;
  }
};

} // namespace
