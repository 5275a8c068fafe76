//===- SetInitialValues.cpp - Sets initial values of parameters -----------===//
//
// This runs while a norm still is one operation; later levels keep the values.
//
//===----------------------------------------------------------------------===//

#include "passes/model/Passes.h"

#include "dialect/zero/Zero.h"
#include "passes/model/InitialValues.h"

#define DEBUG_TYPE "zero-set-initial-values"

namespace mlir::zero {
#define GEN_PASS_DEF_SETINITIALVALUES
#include "passes/model/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

struct SetInitialValuesPass
    : zero::impl::SetInitialValuesBase<SetInitialValuesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal() &&
          failed(setInitialValues(function)))
        return signalPassFailure();
  }
};

} // namespace
