//===- PlanStage.cpp - State is sharded as the stage says -----------------===//
//
// On one rank all stages are the same program.  On several ranks, (S7) compares
// for each bucket what a rank keeps whole with the stage:
//
//   stage                       0        1        2        3
//   optimizer's slots, master   whole    slice    slice    slice
//   sums of gradients           whole    whole    slice*   slice*
//   gradients are reduced       in place in place to slice to slice
//   parameters                  whole    whole    whole    slice*; whole below
//                                                          persist_below bytes
//
//   *  the part of a member of a group, with shard_size
//
// Gradients that wait for the next step are sharded like the slots.
//
// With wire_gradients, all stages reduce to a slice.  A program of all
// micro-steps then reduces each bucket once at stages 0 and 1, and in every
// micro-step at stages 2 and 3, there with shard_size over members alone.
//
// Ranks are in groups exactly if ranks_per_host, shard_size or secondary_shard
// says so, of as many ranks as each of them says.  One group of all ranks is
// none.  Gradients are then reduced over members, to a part, and over groups.
// With secondary_shard, a program gathers parameters over groups once; without
// it, each gather over members has a gather over groups of its own.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/zero/PlanPrograms.h"
#include "passes/verify/KnownOperations.h"
#include <map>

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

/// Bytes of the parameter that `member` is, or whose rows it holds.
static int64_t bytesOfParameter(BucketOp bucket, MemberAttr member,
                                Type shard) {
  int64_t elements = llvm::product_of(member.getParameterShape());
  if (std::optional<Packing> packing = bucket.getPacking())
    return getPackedBytes(*packing, elements);
  return elements * getElementBytes(shard);
}

static StringRef describePortion(Portion portion) {
  constexpr StringLiteral kWords[] = {" cut into a slice of each rank",
                                      " cut into a part of each group's member",
                                      " whole on every rank"};
  return kWords[int(portion)];
}

static LogicalResult judgeKept(ProgramOp program, StateAttr state, Type type,
                               OptionsAttr options, Portion ofShardSize) {
  auto plan = program->getParentOfType<ModuleOp>();
  const Portion portion = portionOf(type);
  StringRef slot = state.getSlot();
  auto judge = [&](Portion expected, StringRef option) -> LogicalResult {
    if (portion == expected) // (S7)
      return success();
    // Only the size of shards tells a slice from a part.
    bool isOfSize = portion != Portion::Whole && expected != Portion::Whole;
    return contradicts(program,
                       "slot " + slot + " of @" + state.getBucket().getValue() +
                           describePortion(portion),
                       options, isOfSize ? "--shard-size" : option);
  };
  const int64_t stage = options.getStage();
  if (slot.starts_with("grad") && options.getVirtualShards() &&
      !isRotated(plan))
    return judge(Portion::Slice, "--virtual-shards");
  if (slot == "grad" && !isRotated(plan))
    return judge(stage < 2 ? Portion::Whole : ofShardSize, "--stage");
  if (slot != "param")
    return judge(stage < 1 ? Portion::Whole : Portion::Slice, "--stage");
  if (stage < 3)
    return judge(Portion::Whole, "--stage");
  auto bucket = plan.lookupSymbol<BucketOp>(state.getBucket());
  int64_t least = options.getPersistBelow();
  for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
    if (failed(judge(
            bytesOfParameter(bucket, member, type) < least ? Portion::Whole
                                                           : ofShardSize,
            portion == Portion::Whole && least == 0 ? "--stage"
                                                    : "--persist-below")))
      return failure();
  return success();
}

/// Checks how often a program of all micro-steps reduces a bucket.
static LogicalResult judgeReductions(ProgramOp program, OptionsAttr options) {
  auto plan = program->getParentOfType<ModuleOp>();
  if (!isLayered(plan) || options.getWireGradients() == "full")
    return success();
  std::map<std::pair<StringRef, bool>, int64_t> counts;
  const auto isOverGroups = [](ReduceScatterOp reduce) {
    return reduce.getOver() == Over::Groups;
  };
  for (auto reduce : program.front().getOps<ReduceScatterOp>())
    ++counts[{reduce.getBucket(), isOverGroups(reduce)}];
  for (auto reduce : program.front().getOps<ReduceScatterOp>()) {
    const bool isOnce = options.getStage() < 2 ||
                        (isOverGroups(reduce) && options.getShardSize() != 0);
    const int64_t count = counts[{reduce.getBucket(), isOverGroups(reduce)}];
    if (count != (isOnce ? 1 : getMicroSteps(plan))) // (S7)
      return contradicts(reduce, "a bucket reduced " + Twine(count) + " times",
                         options, "--stage");
  }
  return success();
}

static LogicalResult judgeStageOf(ProgramOp program, OptionsAttr options,
                                  Portion ofShardSize) {
  for (auto &[argument, state, next] : findNextStates(program))
    if (failed(judgeKept(program, state, argument.getType(), options,
                         ofShardSize)))
      return failure();
  for (auto reduce : program.front().getOps<ReduceScatterOp>()) {
    const Portion alone =
        reduce.getOver() == Over::Members ? Portion::Part : Portion::Slice;
    const bool isAlone = portionOf(reduce.getType()) == alone;
    if (isAlone != (options.getStage() >= 2 || options.getVirtualShards() ||
                    options.getWireGradients() != "full")) // (S7)
      return contradicts(reduce,
                         !isAlone ? "a result with room for the slices of all "
                                    "ranks"
                         : alone == Portion::Slice
                             ? "a result that is the rank's slice alone"
                             : "a result that is a member's part alone",
                         options, "--stage");
  }
  return judgeReductions(program, options);
}

/// The argument or result that `value` is a copy or a transfer of, or narrower
/// elements.
static Value findSource(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!has(def, Fact::KeepsValue) && !isa<NarrowOp>(def))
      break;
    value = def->getOperand(0);
  }
  return value;
}

/// Checks that parts of parameters are kept for further gathers over members
/// only if secondary_shard says so, and that they are gathered over groups once
/// then.
static LogicalResult judgeKeptParts(ProgramOp program, OptionsAttr options) {
  const bool keeps = options.getSecondaryShard() != 0;
  DenseSet<Value> gathered, taken;
  for (auto gather : program.front().getOps<AllGatherOp>()) {
    if (gather.isInPlace())
      continue;
    Value source = findSource(gather.getSource());
    auto part = source.getDefiningOp<AllGatherOp>();
    if (gather.getOver() == Over::Groups && keeps &&
        !gathered.insert(source).second) // (S7)
      return contradicts(gather, "gathered that over groups before", options,
                         "--secondary-shard");
    if (part && part.getOver() == Over::Groups && !part.isInPlace() && !keeps &&
        !taken.insert(source).second) // (S7)
      return contradicts(gather, "a part that another gather takes", options,
                         "--secondary-shard");
  }
  return success();
}

/// Checks the groups of ranks against the options that make them.
static LogicalResult judgeGroups(ModuleOp plan, OptionsAttr options,
                                 const BucketLayouts &layouts) {
  const std::pair<StringRef, int64_t> all[] = {
      {"--ranks-per-host", options.getRanksPerHost()},
      {"--shard-size", options.getShardSize()},
      {"--secondary-shard", options.getSecondaryShard()}};
  const int64_t size = layouts.getGroupSize();
  bool isGiven = false;
  for (auto [option, given] : all) {
    isGiven |= given != 0;
    if (given != 0 && given != size) // (S7)
      return contradicts(plan,
                         layouts.countGroups() == 1
                             ? "no groups of its " + Twine(size) + " ranks"
                             : "groups of " + Twine(size) + " ranks",
                         options, option);
  }
  if (!isGiven && layouts.countGroups() > 1) // (S7)
    return contradicts(plan, "groups of " + Twine(size) + " ranks", options,
                       "--ranks-per-host");
  return success();
}

LogicalResult judge::judgeStage(ModuleOp plan, OptionsAttr options,
                                const BucketLayouts &layouts) {
  if (failed(judgeGroups(plan, options, layouts)))
    return failure();
  const bool hasParts =
      options.getShardSize() != 0 && layouts.countGroups() > 1;
  if (layouts.getRanks() > 1)
    for (auto program : plan.getOps<ProgramOp>())
      if (!program.isExternal() &&
          (failed(judgeStageOf(program, options,
                               hasParts ? Portion::Part : Portion::Slice)) ||
           failed(judgeKeptParts(program, options))))
        return failure();
  return success();
}
