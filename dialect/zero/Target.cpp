//===- Target.cpp - Target and machine of a plan --------------------------===//

#include "dialect/zero/Zero.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::zero;

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef, StringRef, int64_t workspace) {
  if (workspace < 0) // (C1)
    return emitError() << "workspace must not be negative, got " << workspace
                       << " (C1)";
  return success();
}

/// "flops.bf16", "memory", "h2d", ...
static bool isRate(StringRef name) {
  if (name.consume_front("flops."))
    return llvm::StringSet<>{"f64", "f32", "bf16", "f16"}.contains(name);
  if (name == "memory")
    return true;
  std::optional<Stream> link = symbolizeStream(name);
  return link && *link != Stream::Compute && *link != Stream::Host;
}

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef, DictionaryAttr rates) {
  for (NamedAttribute rate : rates) {
    auto value = dyn_cast<FloatAttr>(rate.getValue());
    const bool isPositive = value && value.getType().isF64() &&
                            value.getValue().isFinite() &&
                            value.getValueAsDouble() > 0;
    if (!isRate(rate.getName()) || !isPositive) // (C1)
      return emitError() << "rate " << rate.getName() << " = "
                         << rate.getValue()
                         << " is not known (C1); rates are flops.TYPE, memory "
                            "and the names of links such as h2d, each an f64 "
                            "above 0";
  }
  return success();
}

int64_t zero::getWorkspace(ModuleOp plan) {
  auto target = plan->getAttrOfType<TargetAttr>(kTargetAttr);
  return target ? target.getWorkspace() : 0;
}
