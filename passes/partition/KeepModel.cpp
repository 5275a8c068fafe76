//===- KeepModel.cpp - Keeps the model's step for the judge ---------------===//
//
// Later passes turn @step into the programs of a plan.  This pass copies it and
// its kernels into a nested module, so that the judge can compare the plan with
// the model, and moves what SplitContext has kept there.
//
//===----------------------------------------------------------------------===//

#include "passes/model/ModelFunction.h"
#include "passes/partition/Passes.h"

#include "dialect/zero/PlanPrograms.h"

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
    ModuleOp context = findContext(module);
    if (ModuleOp inner = findModel(module); inner && inner != context) {
      inner.emitError("stands where the model is to be kept; a module at level "
                      "kernels has no other inside it");
      return signalPassFailure();
    }
    ModuleOp model = module.clone();
    model->setAttr(kLevelAttr, StringAttr::get(&getContext(), "kernels"));
    if (context)
      context.erase();
    module.push_back(model);
  }
};
} // namespace
