//===- PlanOptions.cpp - A plan matches its options -----------------------===//
//
// A plan carries the options that it was made with (zero.options), and its
// binary prints them on request.  (S7) compares them with the plan:
//
//   stage, world_size,           the module's stage, the ranks of its axis, its
//   accumulate, reference        micro-steps, and how its kernels are compiled
//   stage, persist_below,        the state that a rank keeps whole, the results
//   ranks_per_host, shard_size,  of reductions, and the groups of ranks
//   secondary_shard              (PlanStage.cpp)
//   accumulate_order             whether a program has all micro-steps
//   precision, grad_dtype,       the types of parameters, packs, gradient sums
//   state_dtype, master          and slots, and which parameters have a master
//   grad_clip = C                every zero.clip has max_norm C, or none for 0
//   weight_decay = D             every update has decay D; if D is not 0, the
//                                members with two or more dimensions decay
//   offload_optimizer,           the tiers of optimizer state and parameters;
//   offload_params               at least one parameter is offloaded
//   bucket_size                  members that share a bucket fit into it
//   wire_params, wire_gradients  (Wire.cpp)
//   offload_activations          the farthest tier to which tensors without a
//                                bucket are spilled
//   eval                         there is an @eval
//   overlap_update,              there is a @first, and gradients of the
//   delayed_update               previous step wait in host memory; with
//                                delayed_update the model reads parameters that
//                                are not updated yet (V13)
//   optimizer                    the rule of every update (UpdateRules.cpp)
//
// ModelClaims.cpp compares remat and loss_chunk with the model.  reuse_distance
// is not checked: a plan with more or fewer gathers has the same terms.
//
// A plan that zeroc made, which has a level, must have options.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/PlanPrograms.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
class Options {
public:
  Options(ModuleOp plan, OptionsAttr options, const BucketLayouts &layouts)
      : plan(plan), options(options), layouts(layouts),
        ranks(layouts.getRanks()) {}

  LogicalResult run() {
    return failure(failed(judgeNumbers()) ||
                   failed(judgeVirtualShards(plan, options, ranks)) ||
                   failed(judgeStage(plan, options, layouts)) ||
                   failed(judgeWire(plan, options, layouts)) ||
                   failed(judgePrecision()) || failed(judgeTiers()) ||
                   failed(judgeActivations()) || failed(judgeBuckets()) ||
                   failed(judgeDecay()) || failed(judgeClip()) ||
                   failed(judgeUpdateRule(plan, options)));
  }

private:
  LogicalResult judgeNumbers();
  LogicalResult judgePrecision();
  LogicalResult judgeTiers();
  LogicalResult judgeActivations();
  LogicalResult judgeBuckets();
  LogicalResult judgeState(ProgramOp program, StateAttr state, Type element);
  LogicalResult judgeDecay();
  LogicalResult judgeClip();
  /// Returns true if gradients wait for the next step.
  bool isPending() const {
    return options.getOverlapUpdate() || options.getDelayedUpdate();
  }
  /// Returns the value of "--stage" in what the plan says to a user.  So a row
  /// of the options' list that stores one option as another is found, too.
  std::string word(StringRef option) const {
    for (const OptionsAttr::Word &word : options.getWords())
      if (word.option == option)
        return word.value;
    return "";
  }
  InFlightDiagnostic error(Operation *op, const Twine &has, StringRef option) {
    return contradicts(op, has, options, option);
  }

  /// All programs, including those of one rank.
  SmallVector<ProgramOp> programs() {
    SmallVector<ProgramOp> all = findPrograms(plan);
    for (auto program : plan.getOps<ProgramOp>())
      if (program.getRank())
        all.push_back(program);
    return all;
  }

  ModuleOp plan;
  OptionsAttr options;
  const BucketLayouts &layouts;
  int64_t ranks;
};
} // namespace

InFlightDiagnostic judge::contradicts(Operation *op, const Twine &has,
                                      OptionsAttr options, StringRef option) {
  InFlightDiagnostic diagnostic = op->emitOpError("has ");
  diagnostic << has << ", and the plan says that it was made with " << option;
  for (const OptionsAttr::Word &word : options.getWords())
    if (word.option == option)
      diagnostic << (word.value.empty() ? " by default" : "=" + word.value);
  diagnostic << " (S7)";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Numbers of the module
//===----------------------------------------------------------------------===//

LogicalResult Options::judgeNumbers() {
  auto stage = plan->getAttrOfType<IntegerAttr>(kStageAttr);
  const std::tuple<StringRef, StringRef, int64_t> all[] = {
      {"--stage", "stage", stage ? stage.getInt() : 0},
      {"--world-size", "ranks", ranks},
      {"--accumulate", "micro-steps", getMicroSteps(plan)}};
  for (auto [option, what, found] : all)
    if (word(option) != std::to_string(found)) // (S7)
      return error(plan, what + " " + Twine(found), option);
  if ((word("--accumulate-order") == "block") != isLayered(plan)) // (S7)
    return error(plan,
                 isLayered(plan) ? "all micro-steps in one program"
                                 : "a micro-step in a program",
                 "--accumulate-order");
  struct Claim {
    StringRef program;
    bool isExpected;
    StringRef options, say;
  };
  StringRef sample = options.getSample();
  for (auto [program, isExpected, by, say] :
       {Claim{"eval", options.getEval(), "eval", "says"},
        Claim{kPrefill, sample == "on" || sample == "only", "sample", "says"},
        Claim{kDecode, sample == "on" || sample == "only", "sample", "says"},
        Claim{kScore, sample == "score", "sample", "says"},
        Claim{"step", sample == "on" || sample == "off", "sample", "says"},
        Claim{"first", isPending(), "overlap_update and delayed_update",
              "say"}})
    if (isExpected != hasProgram(plan, program)) // (S7)
      return plan.emitError("has ")
             << (isExpected ? "no" : "a") << " program @" << program << ", and "
             << by << " of " << kOptionsAttr << " " << say << " otherwise (S7)";
  if (options.getReference() != plan->hasAttr(kReferenceAttr)) // (S7)
    return plan.emitError("has ")
           << kReferenceAttr << (options.getReference() ? " not" : "")
           << " among its attributes, and " << kOptionsAttr
           << " says otherwise (S7)";
  return success();
}

//===----------------------------------------------------------------------===//
// The update
//===----------------------------------------------------------------------===//

LogicalResult Options::judgeDecay() {
  double decay = options.getWeightDecay().convertToDouble();
  for (auto bucket : plan.getOps<BucketOp>())
    for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
      if (bool decays = member.getParameterShape().size() >= 2 && decay != 0 &&
                        !bucket.getFrozen();
          decays != member.getDecay()) // (S7)
        return error(bucket,
                     "a member \"" + member.getName().getValue() +
                         (member.getDecay() ? "\" that decays"
                                            : "\" that does not decay"),
                     "--weight-decay");
  for (ProgramOp program : programs())
    for (auto update : program.front().getOps<UpdateOp>())
      if (update.getDecay().convertToDouble() != decay) // (S7)
        return error(
            update,
            "decay " +
                Twine(llvm::formatv("{0}", update.getDecay().convertToDouble())
                          .str()),
            "--weight-decay");
  return success();
}

/// "f32"
static std::string nameOf(Type element) { return debugString(element); }

LogicalResult Options::judgeState(ProgramOp program, StateAttr state,
                                  Type element) {
  StringRef slot = state.getSlot();
  if (slot == "param") {
    auto bucket = plan.lookupSymbol<BucketOp>(state.getBucket());
    if (!bucket.getPacking() &&
        element != options.getParameterElement()) // (S7)
      return error(program, "parameters of " + nameOf(element), "--precision");
  } else if (slot == "grad" || slot.starts_with("grad.")) {
    const bool isSum = !isPending() || getMicroSteps(plan) > 1 ||
                       options.getVirtualShards() > 0;
    if (element != (isSum ? options.getSumElement()
                          : options.getGradientElement())) // (S7)
      return error(program,
                   (isSum ? "sums of gradients of " : "gradients of ") +
                       nameOf(element),
                   "--grad-dtype");
  } else if (slot == "master") {
    if (!options.hasMasters()) // (S7)
      return error(program, "master parameters", "--master");
  } else if (element != options.getStateElement()) { // (S7)
    return error(program, "a slot " + slot + " of " + nameOf(element),
                 "--state-dtype");
  }
  return success();
}

/// The sum over micro-steps that `op` begins or adds to; null if there is none.
static Value sumOf(Operation *op) {
  if (auto zeros = dyn_cast<ZerosOp>(op))
    return zeros.getResult();
  if (auto add = dyn_cast<AccumulateOp>(op))
    return add.getSum();
  if (auto reduce = dyn_cast<ReduceScatterOp>(op))
    return reduce.getInto();
  return {};
}

LogicalResult Options::judgePrecision() {
  for (ProgramOp program : programs()) {
    for (auto &[argument, state, next] : findNextStates(program))
      if (failed(
              judgeState(program, state, getElementType(argument.getType()))))
        return failure();
    for (auto pack : program.front().getOps<PackOp>())
      if (Type element = getElementType(pack.getType());
          element != options.getGradientElement()) // (S7)
        return error(pack, "gradients of " + nameOf(element), "--grad-dtype");
    // An operand that is added to a sum may have another type; the sum itself
    // must have the type of sums.
    for (Operation &op : program.front())
      if (Value sum = sumOf(&op))
        if (Type element = getElementType(sum.getType());
            element != options.getSumElement()) // (S7)
          return error(&op, "sums of gradients of " + nameOf(element),
                       "--grad-dtype");
    for (auto reduce : program.front().getOps<ReduceScatterOp>()) {
      Value source = reduce.getSource();
      if (auto narrow = source.getDefiningOp<NarrowOp>())
        source = narrow.getSource();
      if (Type element = getElementType(reduce.getType());
          !reduce.getInto() && !options.getVirtualShards() &&
          element != getElementType(source.getType())) // (S7)
        return error(reduce, "a result of " + nameOf(element), "--grad-dtype");
    }
    // A master of f32 parameters takes the place of the parameters in the
    // update.
    bool rounds = options.hasMasters() && options.getPrecision() != "fp32";
    for (auto update : program.front().getOps<UpdateOp>())
      if ((update.getMaster() != nullptr) != rounds) // (S7)
        return error(update, update.getMaster() ? "a master" : "no master",
                     "--master");
  }
  return success();
}

static Tier tierOf(StringRef place) {
  return place == "nvme"  ? Tier::Nvme
         : place == "cpu" ? Tier::Host
                          : Tier::Device;
}

/// Only tensors count: scalars are spilled to the host for updates.
LogicalResult Options::judgeActivations() {
  auto farthest = Tier::Device;
  SmallVector<ProgramOp> all = programs();
  for (ProgramOp program : all)
    for (auto spill : program.front().getOps<SpillOp>())
      if (!spill.getBucket() &&
          getHeldTensor(spill.getResult().getType()).getRank() > 0)
        farthest = std::max(farthest, getTier(spill.getResult().getType()));
  if (farthest != tierOf(word("--offload-activations"))) // (S7)
    return error(all.back(),
                 farthest == Tier::Device
                     ? Twine("no activations in another tier")
                     : "activations on the " + stringifyTier(farthest),
                 "--offload-activations");
  return success();
}

/// Buckets whose optimizer state --offload-ratio leaves one tier nearer: the
/// first of the module that are trained, as long as all of them have no more
/// than the other part of all elements of such buckets.
static DenseSet<StringRef> findNear(ModuleOp plan, double ratio) {
  SmallVector<BucketOp> buckets;
  for (auto bucket : plan.getOps<BucketOp>())
    if (!bucket.getFrozen())
      buckets.push_back(bucket);
  double all = 0;
  for (BucketOp bucket : buckets)
    all += double(bucket.getElements());
  const double most = (1 - ratio) * all;
  DenseSet<StringRef> near;
  double elements = 0;
  for (BucketOp bucket : buckets) {
    elements += double(bucket.getElements());
    if (elements > most)
      break;
    near.insert(bucket.getSymName());
  }
  return near;
}

/// Checks the tiers of state: parameters and optimizer state lie where the
/// options say, and gradient sums; parameters that several ranks hold whole lie
/// on the device; pending gradients lie in host memory, where updates run.
LogicalResult Options::judgeTiers() {
  bool isOffloaded = false;
  const DenseSet<StringRef> near =
      findNear(plan, options.getOffloadRatio().convertToDouble());
  for (ProgramOp program : programs())
    for (auto &[argument, state, next] : findNextStates(program)) {
      auto shard = dyn_cast<ShardType>(argument.getType());
      if (!shard)
        continue;
      bool isParameter = state.getSlot() == "param";
      bool isOfDevice = isParameter && ranks > 1 && shard.getRanks() == 1;
      Tier tier = tierOf(
          word(isParameter ? "--offload-params" : "--offload-optimizer"));
      if (!isParameter && tier != Tier::Device &&
          near.contains(state.getBucket().getValue()))
        tier = Tier(int(tier) - 1);
      const bool isSum = state.getSlot().getValue().starts_with("grad");
      if (isSum)
        tier = isPending() ? Tier::Host : tierOf(word("--offload-gradients"));
      if (isOfDevice)
        tier = Tier::Device;
      if (shard.getTier() != tier) // (S7)
        return error(program,
                     "slot " + state.getSlot().getValue() + " of @" +
                         state.getBucket().getValue() + " on the " +
                         stringifyTier(shard.getTier()),
                     isParameter ? "--offload-params"
                     : isSum     ? "--offload-gradients"
                                 : "--offload-optimizer");
      isOffloaded |= isParameter && tier != Tier::Device;
    }
  if (!isOffloaded && tierOf(word("--offload-params")) != Tier::Device) // (S7)
    return error(programs().front(), "all parameters on the device",
                 "--offload-params");
  return success();
}

/// Checks the sizes of buckets; a bucket of one parameter may have any size.
LogicalResult Options::judgeBuckets() {
  int64_t most = options.getBucketSize();
  int64_t element = options.getParameterElement().getIntOrFloatBitWidth() / 8;
  for (auto bucket : plan.getOps<BucketOp>()) {
    auto members = bucket.getMembers().getAsRange<MemberAttr>();
    int64_t bytes = 0;
    for (MemberAttr member : members)
      bytes += bucket.getSizeOf(member) * (bucket.getPacking() ? 1 : element);
    if (most > 0 && bytes > most && !llvm::hasSingleElement(members)) // (S7)
      return error(bucket, "members of " + Twine(bytes) + " bytes",
                   "--bucket-size");
  }
  return success();
}

LogicalResult Options::judgeClip() {
  double most = options.getGradClip().convertToDouble();
  for (ProgramOp program : programs())
    for (auto clip : program.front().getOps<ClipOp>()) {
      std::optional<APFloat> limit = clip.getMaxNorm();
      if ((limit ? limit->convertToDouble() : 0) != most) // (S7)
        return error(clip, limit ? "another max_norm" : "no max_norm",
                     "--grad-clip");
      if (clip.maySkip() != options.getSkipNonfinite()) // (S7)
        return error(clip, clip.maySkip() ? "limits" : "no limits",
                     "--skip-nonfinite");
    }
  return success();
}

LogicalResult judge::judgeOptions(ModuleOp plan, const BucketLayouts &layouts) {
  Attribute given = plan->getAttr(kOptionsAttr);
  // A hand-written plan may have no options.
  if (!given && !plan->hasAttr(kLevelAttr))
    return success();
  auto options = dyn_cast_or_null<OptionsAttr>(given);
  if (!options) // (S7)
    return plan.emitError("does not say in ")
           << kOptionsAttr << " which options it was made with (S7)";
  return Options(plan, options, layouts).run();
}
