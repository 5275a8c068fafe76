//===- SmallerPlans.cpp - Finds plans that fit into memory ----------------===//

#include "tools/zeroc/plan/Compare.h"

#include "dialect/zero/BytesText.h"
#include "tools/zeroc/plan/PlanSearch.h"

using namespace mlir;
using namespace mlir::zero;

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
  FreeOptions free;
  free.stage = given.worldSize > 1;
  free.offload = free.remat = true;
  PlanSearch search(free);
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
