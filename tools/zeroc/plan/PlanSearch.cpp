//===- PlanSearch.cpp - The plans of a model, and the fastest that fits ---===//

#include "tools/zeroc/plan/PlanSearch.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/ScopeExit.h"

#include <cmath>

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Where state and activations are kept.
struct TierChoice {
  Offload activations, optimizer, params;
};

/// In the order of what they give up.
constexpr TierChoice kTierChoices[] = {
    {Offload::None, Offload::None, Offload::None},
    {Offload::Cpu, Offload::None, Offload::None},
    {Offload::None, Offload::Cpu, Offload::None},
    {Offload::Cpu, Offload::Cpu, Offload::None},
    {Offload::None, Offload::Cpu, Offload::Cpu},
    {Offload::Cpu, Offload::Cpu, Offload::Cpu},
    {Offload::None, Offload::Nvme, Offload::None},
    {Offload::Cpu, Offload::Nvme, Offload::None},
    {Offload::None, Offload::Nvme, Offload::Nvme},
    {Offload::Cpu, Offload::Nvme, Offload::Nvme},
    {Offload::Nvme, Offload::Nvme, Offload::Nvme}};

constexpr int64_t MiB = 1 << 20, GiB = int64_t{1} << 30;
/// 0 is a bucket for each block.
constexpr int64_t kBucketSizes[] = {0,        1 * MiB,  4 * MiB,
                                    16 * MiB, 64 * MiB, 256 * MiB};
constexpr int64_t kPersistBelow[] = {0, 64 << 10, 1 * MiB};
constexpr AccumulateOrder kOrders[] = {AccumulateOrder::Batch,
                                       AccumulateOrder::Block};
constexpr double kOffloadRatios[] = {1, 0.75, 0.5, 0.25};
constexpr bool kOverlap[] = {true};
constexpr int64_t kReuseDistances[] = {64 * MiB, 1 * GiB, 16 * GiB};
constexpr int64_t kPrefetches[] = {1,       64 * MiB, 256 * MiB,
                                   1 * GiB, 4 * GiB,  16 * GiB};

/// Smaller buckets than so many of a model would cost more calls than they
/// overlap, and long compilations.
constexpr int64_t kMostBuckets = 2048;

/// A plan must be faster by this part to be preferred to a simpler one.
constexpr double kWorthIt = 1e-3;

} // namespace

/// The sum of the bytes beyond the limits, which are -1 if there are none.
static int64_t getExcess(const Certificate &certificate,
                         const PipelineOptions &options) {
  int64_t sum = 0;
  for (auto [tier, limit] : {std::pair{Tier::Device, options.deviceMemory},
                             {Tier::Host, options.hostMemory}})
    if (limit >= 0)
      sum += std::max<int64_t>(
          certificate.arenas[static_cast<unsigned>(tier)].size - limit, 0);
  return sum;
}

/// Makes, measures and keeps the plan of `options`, if there is one: some
/// models have nothing to recompute or to offload.  Returns whether it fits.
bool PlanSearch::tryPlan(const Model &model, const PipelineOptions &options,
                         StringRef label) {
  auto fail = [&](const Twine &reason) {
    std::string why = (label + (label.empty() ? "" : ": ") + reason).str();
    if (!llvm::is_contained(failures, why))
      failures.push_back(std::move(why));
    return false;
  };
  if (std::optional<Conflict> conflict =
          findConflict(options, /*isKnown=*/false))
    return label.empty() ? false : fail(conflict->text);
  if (llvm::any_of(tried, [&](const TriedPlan &known) {
        return known.model == model.name && known.label == label &&
               static_cast<const PlanOptions &>(known.options) == options;
      }))
    return false;
  progress.next();
  OwningOpRef<ModuleOp> plan = cast<ModuleOp>(model.kernels->clone());
  std::string said;
  ScopedDiagnosticHandler listen(plan->getContext(), [&](Diagnostic &one) {
    if (said.empty())
      said = one.str();
    return success();
  });
  PipelineOptions draft = options;
  draft.isDraft = true;
  if (failed(runPipeline(*plan, Level::Memory, draft)))
    return fail(said);
  TriedPlan made{model.name, label.str(), options, certify(*plan)};
  made.excess = getExcess(made.certificate, options);
  if (predict) {
    auto step = predict(*plan);
    if (!step)
      return fail(llvm::toString(step.takeError()));
    made.seconds = step->seconds;
    made.parts.insert(step->byKind.begin(), step->byKind.end());
    made.parts["waits"] = step->waited;
  }
  const bool fits = made.fits();
  // Another option may be without effect.
  if (llvm::none_of(tried, [&](const TriedPlan &known) {
        return known.model == made.model && known.label == made.label &&
               known.seconds == made.seconds &&
               known.certificate.toJson() == made.certificate.toJson();
      }))
    tried.push_back(std::move(made));
  return fits;
}

/// Tries to recompute fewer blocks than `options`, whose plan fits: the least
/// of eight parts with which it does.
void PlanSearch::recomputeLess(const Model &model, PipelineOptions options) {
  constexpr double kParts = 8;
  double tooFew = 0, enough = kParts;
  while (enough - tooFew > 1) {
    const double middle = std::floor((tooFew + enough) / 2);
    options.rematRatio = middle / kParts;
    (tryPlan(model, options) ? enough : tooFew) = middle;
  }
}

/// Whether a plan that fits gives up less than that of `options`, and in no
/// respect more.
bool PlanSearch::givesUpMore(const Model &model,
                             const PipelineOptions &options) const {
  return llvm::any_of(tried, [&](const TriedPlan &plan) {
    const PipelineOptions &other = plan.options;
    return plan.model == model.name && plan.fits() &&
           other.stage == options.stage && other.remat <= options.remat &&
           other.offloadActivations <= options.offloadActivations &&
           other.offloadOptimizer <= options.offloadOptimizer &&
           other.offloadParams <= options.offloadParams &&
           other.offloadGradients <= options.offloadGradients;
  });
}

static const TriedPlan *takeFaster(const TriedPlan *a, const TriedPlan &b) {
  if (!b.fits())
    return a;
  return !a || b.seconds < (1 - kWorthIt) * a->seconds ? &b : a;
}

const TriedPlan *PlanSearch::getBest() const {
  const TriedPlan *best = nullptr;
  for (const TriedPlan &plan : tried)
    best = takeFaster(best, plan);
  return best;
}

const TriedPlan *PlanSearch::getBest(StringRef model) const {
  const TriedPlan *best = nullptr;
  for (const TriedPlan &plan : tried)
    if (plan.model == model)
      best = takeFaster(best, plan);
  return best;
}

/// Keeps gathered parameters of the fastest plan of stage 3 for longer: as long
/// as fits.
void PlanSearch::keepMore(const Model &model) {
  const TriedPlan *best = nullptr;
  for (const TriedPlan &plan : tried)
    if (plan.model == model.name && plan.options.stage == 3)
      best = takeFaster(best, plan);
  if (!best)
    return;
  PipelineOptions options = best->options;
  auto fits = [&](int64_t distance) {
    options.reuseDistance = distance;
    return tryPlan(model, options);
  };
  constexpr int kTries = 4;
  int64_t most = 0;
  for (int64_t distance : kReuseDistances) {
    if (fits(distance)) {
      most = distance;
      continue;
    }
    // Between the last that fits and the first that does not.
    for (int i = 0; i != kTries && distance > most + most / 4; ++i) {
      const int64_t middle =
          (std::max(most, distance / 4) + distance) / 2 / MiB * MiB;
      (fits(middle) ? most : distance) = middle;
    }
    return;
  }
}

/// Changes one further option of the fastest plan at a time.
void PlanSearch::refine(const Model &model) {
  auto tryOthers = [&](auto values, auto PlanOptions::*field) {
    const TriedPlan *best = getBest(model.name);
    if (!best)
      return;
    const PipelineOptions from = best->options;
    for (auto value : values) {
      PipelineOptions options = from;
      options.*field = value;
      tryPlan(model, options);
    }
  };
  // Parameters of f32 on the device need masters beside all state or none.
  if (const TriedPlan *best = getBest(model.name);
      free.offload && best &&
      (best->options.precision != Precision::FP32 ||
       best->options.offloadOptimizer != Offload::Cpu ||
       best->options.offloadParams != Offload::None))
    tryOthers(ArrayRef(kOffloadRatios), &PlanOptions::offloadRatio);
  if (free.bucketSize) {
    const TriedPlan *best = getBest(model.name);
    const int64_t parameters = best ? best->certificate.parameterCount : 0;
    SmallVector<int64_t> sizes;
    llvm::copy_if(ArrayRef(kBucketSizes), std::back_inserter(sizes),
                  [&](int64_t size) {
                    return size == 0 || 2 * parameters / size < kMostBuckets;
                  });
    tryOthers(ArrayRef(sizes), &PlanOptions::bucketSize);
  }
  if (free.reuseDistance)
    keepMore(model);
  if (free.persistBelow)
    tryOthers(ArrayRef(kPersistBelow), &PlanOptions::persistBelow);
  if (free.prefetch)
    tryOthers(ArrayRef(kPrefetches), &PlanOptions::prefetch);
  if (free.accumulateOrder)
    tryOthers(ArrayRef(kOrders), &PlanOptions::accumulateOrder);
  if (free.offload)
    tryOthers(ArrayRef(kOverlap), &PlanOptions::overlapUpdate);
}

/// Whether no plan of the stage of `options` fits: parameters that every rank
/// holds whole stay on the device, and are too many.
bool PlanSearch::isHopeless(const Model &model,
                            const PipelineOptions &options) const {
  return !mayOffloadParameters(options) && options.deviceMemory >= 0 &&
         llvm::any_of(tried, [&](const TriedPlan &plan) {
           const auto &device =
               plan.certificate.arenas[static_cast<unsigned>(Tier::Device)];
           return plan.model == model.name &&
                  plan.options.stage == options.stage &&
                  device.parameters > options.deviceMemory;
         });
}

/// Makes the plans of the named values of `rest`, with those in `options`.
void PlanSearch::compare(const Model &model, PipelineOptions options,
                         StringRef label,
                         ArrayRef<std::vector<NamedValue>> rest) {
  if (rest.empty()) {
    // Those of stage 3 are its own.
    if (options.stage < 3 && label.contains("--stage="))
      options.persistBelow = options.reuseDistance = 0;
    tryPlan(model, options, label);
    return;
  }
  for (const NamedValue &value : rest.front()) {
    PipelineOptions more = options;
    value.take(more);
    compare(model, more, StringRef((label + " " + value.text).str()).trim(),
            rest.drop_front());
  }
}

void PlanSearch::run(ModuleOp kernels, const PipelineOptions &given,
                     StringRef name, size_t enough) {
  const Model model{kernels, given, name.str()};
  llvm::scope_exit quiet([&] { progress.clear(); });
  if (!compared.empty())
    return compare(model, given, "", compared);
  auto hasEnough = [&] {
    return size_t(llvm::count_if(tried, [](const TriedPlan &plan) {
             return plan.fits();
           })) >= enough;
  };
  SmallVector<TierChoice> tiers = {
      {given.offloadActivations, given.offloadOptimizer, given.offloadParams}};
  if (free.offload)
    tiers.assign(std::begin(kTierChoices), std::end(kTierChoices));
  SmallVector<Remat> remats = {given.remat};
  if (free.remat)
    remats = {Remat::None, Remat::Kernels, Remat::Block};
  SmallVector<int64_t> stages = {given.stage};
  if (free.stage && given.worldSize > 1)
    stages = {0, 1, 2, 3};
  else if (free.stage)
    stages = {0};
  for (const TierChoice &place : tiers) {
    SmallVector<Offload> sums = {given.offloadGradients};
    if (free.offload && place.optimizer != Offload::None)
      sums.push_back(place.optimizer);
    for (Offload gradients : sums)
      for (Remat remat : remats)
        for (int64_t stage : stages) {
          PipelineOptions options = given;
          options.stage = stage;
          options.remat = remat;
          options.offloadActivations = place.activations;
          options.offloadOptimizer = place.optimizer;
          options.offloadParams = place.params;
          options.offloadGradients = gradients;
          if (givesUpMore(model, options) || isHopeless(model, options))
            continue;
          if (tryPlan(model, options) && predict && free.remat &&
              remat == Remat::Block)
            recomputeLess(model, options);
          if (hasEnough())
            return;
        }
  }
  if (predict)
    refine(model);
}

/// "64MiB" for an option of bytes, else as is.
static std::string typedValue(StringRef name, int64_t value) {
#define ZERO_BYTES(FIELD, GETTER, USAGE, ...)                                  \
  if (name == getOptionName(USAGE) && value && value % MiB == 0)               \
    return value % GiB == 0 ? std::to_string(value / GiB) + "GiB"              \
                            : std::to_string(value / MiB) + "MiB";
#include "abi/PlanOptions.def"
  return optionText(value);
}
template <typename T>
static std::string typedValue(StringRef, const T &value) {
  return optionText(value);
}

std::string zero::listAddedOptions(const PipelineOptions &plan,
                                   const PipelineOptions &given) {
  std::string text;
  auto add = [&](StringRef name, const Twine &value) {
    text += (text.empty() ? "--" : " --") + (name + value).str();
  };
  const bool isOneTier = plan.offloadOptimizer == plan.offloadParams &&
                         plan.offloadOptimizer != given.offloadOptimizer &&
                         plan.offloadParams != given.offloadParams;
  visitOptions(plan, [&](StringRef name, const auto &value, const auto &) {
    std::string before;
    visitOptions(given, [&](StringRef other, const auto &old, const auto &) {
      if (other == name)
        before = optionText(old);
    });
    if (optionText(value) == before || name == "precision" ||
        (isOneTier && name == "offload-params"))
      return;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
      add(name, "");
    else
      add(isOneTier && name == "offload-optimizer" ? "offload" : name,
          "=" + typedValue(name, value));
  });
  return text;
}
