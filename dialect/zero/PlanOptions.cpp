//===- PlanOptions.cpp - The options that exclude each other --------------===//

#include "dialect/zero/PlanOptions.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <charconv>
#include <limits>

using namespace mlir::zero;
using llvm::StringRef;

llvm::hash_code mlir::zero::hash_value(const PlanOptions &options) {
  llvm::hash_code code = 0;
  visitOptions(options, [&](StringRef, auto field, auto) {
    if constexpr (std::is_same_v<decltype(field), double>)
      code = llvm::hash_combine(code, llvm::bit_cast<uint64_t>(field));
    else
      code = llvm::hash_combine(code, field);
  });
  return code;
}

std::string mlir::zero::optionText(bool value) {
  return value ? "true" : "false";
}
std::string mlir::zero::optionText(int64_t value) {
  return std::to_string(value);
}
std::string mlir::zero::optionText(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

bool mlir::zero::readOption(StringRef text, bool &value) {
  value = text == "true";
  return value || text == "false";
}
bool mlir::zero::readOption(StringRef text, int64_t &value) {
  return !text.getAsInteger(10, value);
}
bool mlir::zero::readOption(StringRef text, double &value) {
  return !text.getAsDouble(value);
}

/// "--grad-dtype=fp16"
template <typename T>
static std::string flag(StringRef name, T value) {
  return "--" + name.str() + "=" + optionText(value);
}

/// Of updates in host memory that run in the next step.
static std::string findUpdateConflict(const PlanOptions &p) {
  std::string several = " needs steps of one program, got " +
                        flag("accumulate", p.accumulate) +
                        "; add --accumulate-order=block";
  const bool isSeveral =
      p.accumulate > 1 && p.accumulateOrder != AccumulateOrder::Block;
  bool isOffloaded = p.offloadOptimizer != Offload::None;
  if (p.overlapUpdate && !isOffloaded)
    return "--overlap-update is for updates in host memory; add "
           "--offload-optimizer=cpu or nvme, or --offload";
  if (p.overlapUpdate && isSeveral)
    return "--overlap-update" + several;
  if (p.delayedUpdate && p.overlapUpdate)
    return "--overlap-update and --delayed-update run updates at different "
           "times; use one of them";
  if (p.delayedUpdate && !isOffloaded)
    return "--delayed-update is for updates in host memory; add "
           "--offload-optimizer=cpu or nvme";
  if (p.delayedUpdate && p.offloadParams != Offload::None)
    return "--delayed-update needs parameters on the device, which the step "
           "reads while the host makes the next ones; replace --offload by " +
           flag("offload-optimizer", p.offloadOptimizer) +
           ", or take --overlap-update";
  if ((p.overlapUpdate || p.delayedUpdate) && p.offloadRatio < 1 &&
      p.offloadOptimizer == Offload::Cpu)
    return (p.overlapUpdate ? "--overlap-update" : "--delayed-update") +
           std::string(" needs all updates in host memory, got ") +
           flag("offload-ratio", p.offloadRatio) + "; drop one of them";
  if (p.delayedUpdate && isSeveral)
    return "--delayed-update" + several;
  return "";
}

/// Of programs that generate or score: they have no gradients and no updates.
/// The places of their parameters depend on --weight-decay.
static std::string findTraining(const PlanOptions &p) {
  if (p.sample != Sample::Only && p.sample != Sample::Score)
    return "";
  constexpr StringRef ofTraining[] = {"grad-clip",
                                      "grad-dtype",
                                      "state-dtype",
                                      "master",
                                      "wire-gradients",
                                      "wire-feedback",
                                      "accumulate",
                                      "virtual-shards",
                                      "accumulate-order",
                                      "offload-ratio",
                                      "offload-gradients",
                                      "offload-activations",
                                      "remat",
                                      "remat-ratio",
                                      "overlap-update",
                                      "delayed-update",
                                      "eval"};
  // --offload moves parameters and the state that would be there.
  std::string found = p.offloadOptimizer != Offload::None &&
                              p.offloadOptimizer != p.offloadParams
                          ? "--offload-optimizer; take --offload-params"
                          : "";
  visitOptions(p, [&](StringRef name, auto field, auto otherwise) {
    if (found.empty() && field != otherwise &&
        llvm::is_contained(ofTraining, name))
      found = "--" + name.str();
  });
  if (found.empty())
    return "";
  return llvm::formatv("--{0}-only is for a program that does not train; drop "
                       "{1}",
                       p.sample == Sample::Only ? "sample" : "score", found);
}

/// Of programs that check results: one rank computes all on its device.
static std::string findReferenceConflict(const PlanOptions &p) {
  if (!p.reference)
    return "";
  if (p.worldSize > 1 || p.accumulate > 1)
    return "--reference is one rank and one micro-step, got " +
           flag("world-size", p.worldSize) + " " +
           flag("accumulate", p.accumulate) + "; drop them for the comparison";
  StringRef dropped =
      p.offloadParams != Offload::None || p.offloadOptimizer != Offload::None
          ? "--offload"
      : p.remat != Remat::None                ? "--remat"
      : p.offloadActivations != Offload::None ? "--offload-activations"
                                              : "";
  if (dropped.empty())
    return "";
  return llvm::formatv("--reference keeps all {0} on the device; drop {1} for "
                       "the comparison",
                       dropped == "--offload" ? "state" : "activations",
                       dropped);
}

/// Of sums that do not depend on the number of ranks.
static std::string findVirtualConflict(const PlanOptions &p) {
  const int64_t leaves = p.virtualShards;
  if (leaves == 0)
    return "";
  const std::string given = flag("virtual-shards", leaves);
  if (!llvm::isPowerOf2_64(leaves) || leaves == 1)
    return given + " is no power of two from 2 on";
  if (p.worldSize * p.accumulate != leaves)
    return given + " is world-size x accumulate, got " +
           flag("world-size", p.worldSize) + " " +
           flag("accumulate", p.accumulate) + "; " +
           (leaves % p.worldSize
                ? "take a world-size that divides it"
                : "give " + flag("accumulate", leaves / p.worldSize));
  if (p.accumulateOrder == AccumulateOrder::Block)
    return given + " adds up one micro-step after the other; drop "
                   "--accumulate-order=block";
  if (p.gradDtype != GradDtype::OfParameters && p.gradDtype != GradDtype::F32)
    return given + " sums in f32, got " + flag("grad-dtype", p.gradDtype) +
           "; drop it";
  return "";
}

/// Of ranks in groups.
static std::string findGroupConflict(const PlanOptions &p) {
  const int64_t group = getGroupSize(p);
  if (group == 0)
    return "";
  std::string given;
  for (auto [name, size] : {std::pair("ranks-per-host", p.ranksPerHost),
                            std::pair("shard-size", p.shardSize),
                            std::pair("secondary-shard", p.secondaryShard)}) {
    if (size == 0)
      continue;
    if (size != group)
      return flag(name, size) + " and a group of " + std::to_string(group) +
             " ranks; ranks have one kind of group, give all the same number";
    given = flag(name, size);
  }
  if (group < 2 || group >= p.worldSize || p.worldSize % group)
    return given + " needs 2 groups or more of 2 ranks or more, got " +
           flag("world-size", p.worldSize) +
           "; take a divisor of it between 1 and itself, or drop it";
  if (p.shardSize > 0 && p.stage == 0)
    return given + " is for --stage=1, 2 or 3; stage 0 shards nothing";
  if (p.secondaryShard > 0 && p.stage != 3)
    return given + " needs --stage=3; parameters of stage " +
           std::to_string(p.stage) + " are whole on every rank";
  if (p.secondaryShard > 0 && p.shardSize > 0)
    return "--secondary-shard is a copy of what --shard-size keeps always; "
           "use one of them";
  if (p.shardSize > 0 && p.offloadParams != Offload::None)
    return given + " exchanges parameters between groups on the device, got " +
           flag("offload-params", p.offloadParams) +
           "; take --ranks-per-host instead, which shards them over all ranks";
  return "";
}

/// Of exchanges in fewer bits.
static std::string findWireConflict(const PlanOptions &p) {
  for (auto [name, form] : {std::pair("wire-params", p.wireParams),
                            std::pair("wire-gradients", p.wireGradients)})
    if (form != Wire::Full && p.worldSize == 1)
      return flag(name, form) + " is for what ranks exchange, and there is one "
                                "rank; drop it, or add --world-size=N";
  const auto parameters = stringify(p.precision);
  const auto gradients = p.gradDtype == GradDtype::OfParameters
                             ? parameters
                             : stringify(p.gradDtype);
  for (auto [name, form, element] :
       {std::tuple("wire-params", p.wireParams, parameters),
        std::tuple("wire-gradients", p.wireGradients, gradients)})
    if (form == Wire::BF16 && (element == "bf16" || element == "fp16"))
      return flag(name, form) + " would leave all as it is, which is " +
             element.str() + "; drop it, or take int8 or int4";
  if (p.wireParams != Wire::Full && p.stage != 3)
    return flag("wire-params", p.wireParams) +
           " needs --stage=3; parameters of stage " + std::to_string(p.stage) +
           " are whole on every rank, and would lose bits in every step";
  if (p.wireParams != Wire::Full && p.shardSize > 0)
    return flag("wire-params", p.wireParams) +
           " would round what --shard-size keeps, in every step; take "
           "--secondary-shard instead, which keeps a copy";
  if (p.wireFeedback && p.wireGradients != Wire::Int8 &&
      p.wireGradients != Wire::Int4)
    return "--wire-feedback keeps what blocks of gradients lack, got " +
           flag("wire-gradients", p.wireGradients) +
           "; add --wire-gradients=int8 or int4";
  if (p.wireFeedback && (p.overlapUpdate || p.delayedUpdate))
    return std::string(
               "--wire-feedback is for updates in their own step, got ") +
           (p.overlapUpdate ? "--overlap-update" : "--delayed-update") +
           "; drop one of them";
  if (p.wireFeedback && p.precision == Precision::FP16)
    return "--wire-feedback would keep gradients of an earlier loss scale, got "
           "--precision=fp16; take bf16";
  if (p.wireParams != Wire::Full && p.virtualShards > 0)
    return flag("wire-params", p.wireParams) +
           " rounds what ranks gather, and one rank of --virtual-shards "
           "gathers nothing; drop one of them";
  if (p.wireGradients != Wire::Full && p.virtualShards > 0)
    return flag("wire-gradients", p.wireGradients) +
           " rounds what ranks add up, so sums depend on their number; drop "
           "it, or --virtual-shards";
  return "";
}

std::optional<Conflict> mlir::zero::findConflict(const PlanOptions &p,
                                                 bool isKnown) {
  bool offloadsState =
      p.offloadParams != Offload::None || p.offloadOptimizer != Offload::None;
  StringRef dtype = stringify(p.gradDtype);
  if (p.gradDtype != GradDtype::OfParameters && p.gradDtype != GradDtype::F32 &&
      dtype != stringify(p.precision))
    return Conflict{"(C6)", flag("grad-dtype", p.gradDtype) +
                                " needs --precision=" + dtype.str() + ", got " +
                                flag("precision", p.precision) +
                                "; gradients are f32, or what parameters are"};
  if (isKnown && p.master == Masters::None && p.precision != Precision::BF16)
    return Conflict{"(C6)", "--master=none needs --precision=bf16, got " +
                                flag("precision", p.precision)};
  if (std::string text = findTraining(p); !text.empty())
    return Conflict{"(C9)", text};
  if (std::string text = findReferenceConflict(p); !text.empty())
    return Conflict{"(C10)", text};
  if (p.offloadParams != Offload::None && !mayOffloadParameters(p))
    return Conflict{"(C11)",
                    llvm::formatv("{0} needs --stage=3, got {1} on {2} ranks, "
                                  "where parameters are whole on every rank",
                                  flag("offload-params", p.offloadParams),
                                  flag("stage", p.stage), p.worldSize)};
  for (auto [name, bytes] : {std::pair("persist-below", p.persistBelow),
                             std::pair("reuse-distance", p.reuseDistance),
                             std::pair("max-live", p.maxLive)}) {
    if (bytes > 0 && p.stage != 3)
      return Conflict{
          "(C11)", llvm::formatv("--{0} needs --stage=3; parameters of stage "
                                 "{1} are whole on every rank",
                                 name, p.stage)};
    // Of virtual shards, one rank has the layout of several.
    const bool works = p.worldSize > 1 || p.virtualShards > 0 ||
                       (p.offloadParams != Offload::None &&
                        name == StringRef("reuse-distance"));
    if (bytes > 0 && !works)
      return Conflict{
          "(C11)", llvm::formatv("--{0} is for parameters that ranks gather, "
                                 "and there is one rank; drop it, or add "
                                 "--world-size=N",
                                 name)};
  }
  if (std::string text = findGroupConflict(p); !text.empty())
    return Conflict{"(C12)", text};
  if (std::string text = findVirtualConflict(p); !text.empty())
    return Conflict{"(C13)", text};
  if (std::string text = findWireConflict(p); !text.empty())
    return Conflict{"(C14)", text};
  if (p.prefetch != PlanOptions().prefetch &&
      (p.stage != 3 || p.worldSize == 1) && !offloadsState &&
      p.offloadActivations == Offload::None)
    return Conflict{"(C11)",
                    "--prefetch moves gathers of --stage=3 and fetches "
                    "of --offload ahead, and this plan has none; drop it"};
  if (p.rematRatio < 1 && p.remat != Remat::Block)
    return Conflict{"(C11)", flag("remat-ratio", p.rematRatio) +
                                 " is a part of the blocks that --remat=block "
                                 "recomputes; add --remat=block"};
  if (p.offloadRatio < 1 && p.offloadOptimizer == Offload::None)
    return Conflict{"(C11)", flag("offload-ratio", p.offloadRatio) +
                                 " is a part of what --offload-optimizer "
                                 "moves; add --offload-optimizer=cpu or nvme"};
  if (isKnown && p.offloadRatio < 1 && p.precision == Precision::FP32 &&
      p.offloadOptimizer == Offload::Cpu && p.offloadParams == Offload::None)
    return Conflict{"(C11)", flag("offload-ratio", p.offloadRatio) +
                                 " needs masters of f32 parameters in host "
                                 "memory for all of them or none; take "
                                 "--precision=bf16, or --offload=cpu"};
  if (p.master == Masters::None && offloadsState)
    return Conflict{"(C6)", "--master=none keeps all state on the device; drop "
                            "--offload, or keep masters"};
  if (p.accumulateOrder == AccumulateOrder::Block && p.accumulate == 1)
    return Conflict{"(C8)", "--accumulate-order=block is for steps of several "
                            "micro-steps; add --accumulate=K, or drop it"};
  if (p.offloadGradients != Offload::None &&
      (p.accumulate == 1 || p.accumulateOrder == AccumulateOrder::Block))
    return Conflict{"(C8)",
                    flag("offload-gradients", p.offloadGradients) +
                        " is for sums that wait from one micro-step to the "
                        "next; add --accumulate=K, in batch order, or drop it"};
  if (std::string text = findUpdateConflict(p); !text.empty())
    return Conflict{"(C7)", text};
  return std::nullopt;
}

std::optional<Conflict> mlir::zero::findOutOfRange(const PlanOptions &options) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  std::optional<Conflict> found;
  auto check = [&](StringRef usage, auto value, auto low, auto high,
                   StringRef range, StringRef constraint) {
    if (!found && !(value >= low && value <= high))
      found = Conflict{constraint,
                       llvm::formatv("--{0} must be {1}, got {2}",
                                     getOptionName(usage), range, value)};
  };
#define ZERO_COUNT(FIELD, GETTER, USAGE, DEFAULT, LOW, HIGH, RANGE, GROUP,     \
                   LEVEL, EFFECT, HELP)                                        \
  check(USAGE, options.FIELD, int64_t(LOW), int64_t(HIGH), RANGE, "(C3)");
#define ZERO_BYTES(FIELD, GETTER, USAGE, DEFAULT, LOW, SHOWN, GROUP, LEVEL,    \
                   EFFECT, HELP)                                               \
  check(USAGE, options.FIELD, int64_t(0), kMax, "a number of bytes", "(C3)");
#define ZERO_NUMBER(FIELD, GETTER, USAGE, DEFAULT, LOW, HIGH, RANGE, GROUP,    \
                    LEVEL, EFFECT, HELP)                                       \
  check(USAGE, options.FIELD, double(LOW), double(HIGH), RANGE, "(C2)");
#include "abi/PlanOptions.def"
  return found;
}
