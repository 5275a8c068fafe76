//===- SmallerPlans.cpp - Finds plans that fit into memory ----------------===//

#include "tools/zeroc/plan/SmallerPlans.h"

#include "dialect/zero/BytesText.h"
#include "dialect/zero/PlanPrograms.h"
#include "tools/zeroc/plan/PlanSearch.h"

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

static std::string describe(const TriedPlan &plan,
                            const PipelineOptions &given) {
  std::string text = listAddedOptions(plan.options, given) + " needs " +
                     bytesText(plan.bytes(Tier::Device)) + " of device memory";
  if (int64_t host = plan.bytes(Tier::Host))
    text += " and " + bytesText(host) + " of host memory";
  return text;
}

std::string zero::findSmallerPlans(ModuleOp kernels,
                                   const PipelineOptions &given) {
  constexpr size_t kMostNamed = 3;
  PlanRequest request;
  request.free.stage = given.worldSize > 1;
  request.free.offload = request.free.remat = true;
  PlanSearch search(request);
  search.run(kernels, given, /*model=*/"", kMostNamed);
  std::string fitting;
  const TriedPlan *smallest = nullptr;
  for (const TriedPlan &plan : search.getTried()) {
    if (plan.fits())
      fitting += "  " + describe(plan, given) + "\n";
    if (!smallest || plan.excess < smallest->excess)
      smallest = &plan;
  }
  if (!fitting.empty())
    return "these options, added to yours, make plans that fit:\n" + fitting;
  std::string text = "no other plan of this model fits; ";
  if (smallest && !listAddedOptions(smallest->options, given).empty())
    text += "the smallest, " + describe(*smallest, given) + "; ";
  return text + "more ranks, a smaller --batch or a shorter --seq of zeroc "
                "import need less\n";
}
