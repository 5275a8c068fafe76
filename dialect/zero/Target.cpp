//===- Target.cpp - Target of a plan --------------------------------------===//

#include "dialect/zero/Zero.h"

using namespace mlir;
using namespace mlir::zero;

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef, StringRef, int64_t workspace) {
  if (workspace < 0) // (C1)
    return emitError() << "workspace must not be negative, got " << workspace
                       << " (C1)";
  return success();
}

int64_t zero::getWorkspace(ModuleOp plan) {
  auto target = plan->getAttrOfType<TargetAttr>(kTargetAttr);
  return target ? target.getWorkspace() : 0;
}
