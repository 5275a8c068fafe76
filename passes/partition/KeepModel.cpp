//===- KeepModel.cpp - Keeps the model's step for the judge ---------------===//
//
// From here on @step becomes the programs of a plan.  What it was is copied
// into a module of its own, with its kernels, so that the judge can say whether
// the plan still computes it.
//
//===----------------------------------------------------------------------===//

#include "passes/model/ModelFunction.h"
#include "passes/partition/Passes.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#define DEBUG_TYPE "zero-keep-model"

namespace mlir::zero {
#define GEN_PASS_DEF_KEEPMODEL
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {
struct KeepModelPass : zero::impl::KeepModelBase<KeepModelPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!findStep(module))
      return signalPassFailure();
    if (ModuleOp inner = findModel(module)) {
      inner.emitError("stands where the model is to be kept; a module at level "
                      "kernels has no other inside it");
      return signalPassFailure();
    }
    ModuleOp model = module.clone();
    model->setAttr(kLevelAttr, StringAttr::get(&getContext(), "kernels"));
    module.push_back(model);
  }
};
} // namespace
