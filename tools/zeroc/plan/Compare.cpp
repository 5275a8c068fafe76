//===- Compare.cpp - Compiles the plans of all stages or tiers ------------===//
//
// All plans of a model have the same kernels; these are formed once, and each
// variant continues with a copy:
//
//   model -> kernels -+-> plan of stage 0 -> certificate
//                     +-> plan of stage 1 -> certificate
//                     ...
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/plan/Compare.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace mlir::zero;

bool zero::exceedsBudget(ModuleOp module) {
  auto arena = module->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr);
  auto budget = module->getAttrOfType<DenseI64ArrayAttr>(kBudgetAttr);
  return arena && budget &&
         llvm::any_of(llvm::zip_equal(arena.asArrayRef(), budget.asArrayRef()),
                      [](auto both) {
                        auto [needs, has] = both;
                        return has >= 0 && needs > has;
                      });
}

/// Diagnostics of a plan that is too large are dropped, since its size is in
/// its certificate.
FailureOr<Certificate> zero::compileCertificate(ModuleOp module,
                                                const PipelineOptions &options,
                                                PassManagerSetup setup) {
  MLIRContext *context = module.getContext();
  SmallVector<Diagnostic> reported;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      reported.push_back(std::move(diagnostic));
      return success();
    });
    result = runPipeline(module, Level::Memory, options, setup);
  }
  if (failed(result) && exceedsBudget(module))
    return certify(module);
  for (Diagnostic &diagnostic : reported)
    context->getDiagEngine().emit(std::move(diagnostic));
  if (failed(result))
    return failure();
  return certify(module);
}

FailureOr<std::vector<ComparedPlan>>
zero::comparePlans(ModuleOp module, ArrayRef<Variant> variants,
                   PassManagerSetup setup) {
  if (failed(
          runPipeline(module, Level::Kernels, variants.front().options, setup)))
    return failure();
  std::vector<ComparedPlan> plans;
  for (const Variant &variant : variants) {
    ComparedPlan plan{variant, {}, ""};
    if (std::optional<Conflict> conflict =
            findConflict(variant.options, /*isKnown=*/false)) {
      plan.conflict = conflict->text;
    } else {
      OwningOpRef<ModuleOp> copy = module.clone();
      auto certificate = compileCertificate(*copy, variant.options, setup);
      if (failed(certificate))
        return failure();
      plan.certificate = std::move(*certificate);
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}
