//===- PlanNotes.cpp - Notes on a plan that was made ----------------------===//
//
// What never works beside another option is refused before there is a plan
// (findConflict).  Options that a model gives no occasion for are found here: a
// plan is made again without the option, and compared.
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/plan/PlanNotes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::zero;

/// Of values that a small model has no use for, and thresholds that nothing
/// passes.  test/zeroc/Inputs/idle_options.py tries all other options, too.
bool zero::mayBeIdle(StringRef option) {
  return llvm::is_contained({"--weight-decay", "--grad-dtype", "--state-dtype",
                             "--loss-chunk", "--persist-below", "--bucket-size",
                             "--reuse-distance", "--prefetch", "--max-live",
                             "--offload-ratio", "--remat-ratio"},
                            option);
}

/// Whether `source` makes `plan` with `options`, too.
static bool isSamePlan(ModuleOp plan, ModuleOp source,
                       PipelineOptions options) {
  if (findConflict(options, /*isKnown=*/false))
    return false;
  options.isDraft = true;
  ScopedDiagnosticHandler silence(plan->getContext(),
                                  [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> other = source.clone();
  if (failed(runPipeline(*other, Level::Memory, options)))
    return false;
  // Options are among the attributes of the plan, and of the model in it.
  (*other)->setDiscardableAttrs(plan->getDiscardableAttrDictionary());
  for (auto [model, same] :
       llvm::zip(plan.getOps<ModuleOp>(), other->getOps<ModuleOp>()))
    same->setDiscardableAttrs(model->getDiscardableAttrDictionary());
  return OperationEquivalence::isEquivalentTo(
      plan, *other, OperationEquivalence::IgnoreLocations);
}

void zero::noteIdle(ModuleOp plan, ModuleOp source,
                    const PipelineOptions &options,
                    ArrayRef<std::string> given) {
  visitOptions(options, [&](StringRef name, auto field, auto otherwise) {
    if (field == otherwise || !llvm::is_contained(given, "--" + name.str()))
      return;
    PipelineOptions without = options;
    visitOptions(without, [&](StringRef other, auto &value, auto) {
      if constexpr (std::is_same_v<decltype(value), decltype(otherwise) &>)
        if (other == name)
          value = otherwise;
    });
    if (isSamePlan(plan, source, without))
      llvm::errs() << "zeroc: note: --" << name
                   << " changes nothing in this plan\n";
  });
}

void zero::noteRaisedLive(ModuleOp plan, const DriverOptions &options) {
  auto made = plan->getAttrOfType<OptionsAttr>(kOptionsAttr);
  const int64_t given = options.pipeline.maxLive;
  if (!options.pipeline.raisesLive || !made || made.getMaxLive() <= given)
    return;
  llvm::errs() << "zeroc: note: an operation needs " << made.getMaxLive()
               << " bytes of gathered parameters, more than --max-live="
               << given << " of " << options.deepSpeed->path
               << ", where DeepSpeed goes beyond its limit; the plan has "
                  "--max-live="
               << made.getMaxLive() << ", the least that works\n";
}
