//===- SmallerPlans.cpp - Finds plans that fit into memory ----------------===//
//
// All plans of a model have the same kernels, so a plan and its certificate are
// made without generating code.  The variants are tried in this order, the
// fastest first, until enough have been found that fit:
//
//   recomputation; a higher stage; both; state, then also parameters, in host
//   memory; activations there; all of it; the same on NVMe
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/Compare.h"

#include "dialect/zero/BytesText.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <set>

using namespace mlir;
using namespace mlir::zero;

namespace {

struct Attempt {
  PipelineOptions options;
  Certificate certificate;

  int64_t bytes(Tier tier) const {
    return certificate.arenas[static_cast<unsigned>(tier)].size;
  }
  /// Returns by how much the plan exceeds its limits, summed over tiers.
  int64_t excess() const {
    int64_t sum = 0;
    for (auto [tier, limit] : {std::pair{Tier::Device, options.deviceMemory},
                               {Tier::Host, options.hostMemory}})
      if (limit >= 0)
        sum += std::max<int64_t>(bytes(tier) - limit, 0);
    return sum;
  }
};

} // namespace

/// Returns the certificate of a plan that is valid or refused only for its
/// size.
static std::optional<Certificate> certifyPlan(ModuleOp kernels,
                                              const PipelineOptions &options) {
  if (findConflict(options, /*isKnown=*/false))
    return std::nullopt;
  // Drops errors: some models have nothing to recompute or to offload.
  ScopedDiagnosticHandler silence(kernels.getContext(),
                                  [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> plan = kernels.clone();
  if (failed(runPipeline(*plan, Level::Memory, options)) &&
      !exceedsBudget(*plan))
    return std::nullopt;
  return certify(*plan);
}

static std::vector<PipelineOptions> listVariants(const PipelineOptions &given) {
  std::vector<PipelineOptions> variants;
  auto add = [&](auto change) {
    PipelineOptions variant = given;
    change(variant);
    variants.push_back(variant);
  };
  auto recompute = [](PipelineOptions &p) { p.remat = Remat::Block; };
  auto shard = [](PipelineOptions &p) {
    if (p.worldSize > 1)
      p.stage = 3;
  };
  auto offload = [](PipelineOptions &p, Offload tier) {
    p.offloadOptimizer = tier;
    if (mayOffloadParameters(p) && !p.delayedUpdate)
      p.offloadParams = tier;
  };
  add(recompute);
  for (int64_t stage = given.stage + 1; stage <= 3 && given.worldSize > 1;
       ++stage)
    add([&](PipelineOptions &p) { p.stage = stage; });
  add([&](PipelineOptions &p) {
    shard(p);
    recompute(p);
  });
  add([](PipelineOptions &p) { p.offloadOptimizer = Offload::Cpu; });
  add([&](PipelineOptions &p) {
    shard(p);
    offload(p, Offload::Cpu);
  });
  add([](PipelineOptions &p) { p.offloadActivations = Offload::Cpu; });
  for (Offload tier : {Offload::Cpu, Offload::Nvme})
    for (bool movesActivations : {false, true})
      add([&](PipelineOptions &p) {
        shard(p);
        offload(p, tier);
        recompute(p);
        if (movesActivations)
          p.offloadActivations = tier;
      });
  return variants;
}

/// Lists the options of `variant` that differ from `given`.
static std::string listAddedOptions(const PipelineOptions &variant,
                                    const PipelineOptions &given) {
  std::string text;
  auto add = [&](StringRef option, const Twine &value) {
    text += (text.empty() ? "" : " ") + (option + "=" + value).str();
  };
  if (variant.stage != given.stage)
    add("--stage", Twine(variant.stage));
  bool movesState = variant.offloadOptimizer != given.offloadOptimizer,
       movesParameters = variant.offloadParams != given.offloadParams;
  if (movesState && movesParameters &&
      variant.offloadOptimizer == variant.offloadParams) {
    add("--offload", stringify(variant.offloadParams));
  } else {
    if (movesState)
      add("--offload-optimizer", stringify(variant.offloadOptimizer));
    if (movesParameters)
      add("--offload-params", stringify(variant.offloadParams));
  }
  if (variant.remat != given.remat)
    add("--remat", stringify(variant.remat));
  if (variant.offloadActivations != given.offloadActivations)
    add("--offload-activations", stringify(variant.offloadActivations));
  return text;
}

static std::string describe(const Attempt &attempt,
                            const PipelineOptions &given) {
  std::string text = listAddedOptions(attempt.options, given) + " needs " +
                     bytesText(attempt.bytes(Tier::Device)) +
                     " of device memory";
  if (int64_t host = attempt.bytes(Tier::Host))
    text += " and " + bytesText(host) + " of host memory";
  return text;
}

std::string zero::findSmallerPlans(ModuleOp kernels,
                                   const PipelineOptions &given,
                                   const Certificate &certificate) {
  constexpr size_t kMostNamed = 3;
  std::string fitting;
  Attempt smallest{given, certificate};
  std::set<std::string> tried = {""};
  size_t found = 0;
  for (const PipelineOptions &options : listVariants(given)) {
    if (found == kMostNamed)
      break;
    if (!tried.insert(listAddedOptions(options, given)).second)
      continue;
    std::optional<Certificate> made = certifyPlan(kernels, options);
    if (!made)
      continue;
    Attempt attempt{options, *made};
    if (attempt.excess() == 0) {
      fitting += "  " + describe(attempt, given) + "\n";
      ++found;
    } else if (attempt.excess() < smallest.excess()) {
      smallest = attempt;
    }
  }
  if (found)
    return "these options, added to yours, make plans that fit:\n" + fitting;
  std::string text = "no other plan of this model fits; ";
  if (smallest.excess() < Attempt{given, certificate}.excess())
    text += "the smallest, " + describe(smallest, given) + "; ";
  return text + "more ranks, a smaller --batch or a shorter --seq of zeroc "
                "import need less\n";
}
