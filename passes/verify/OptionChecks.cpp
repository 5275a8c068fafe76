//===- OptionChecks.cpp - Checks of options that are longer than a row ----===//
//
// On one rank all stages are the same program.  On several, (S7) compares for
// each bucket what a rank keeps whole with the stage:
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
// Gradients that wait for the next step are sharded like the slots, and sums in
// the tree of virtual shards are slices.
//
// With wire_gradients, all stages reduce to a slice.  A program of all
// micro-steps then reduces each bucket once at stages 0 and 1, and in every
// micro-step at stages 2 and 3, there with shard_size over members alone.
//
//===----------------------------------------------------------------------===//

#include "mlir/Support/DebugStringHelper.h"
#include "passes/verify/Claims.h"
#include <map>

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Bytes of the parameter that `member` is, or whose rows it holds.
static int64_t bytesOfParameter(BucketOp bucket, MemberAttr member,
                                Type shard) {
  int64_t elements = llvm::product_of(member.getParameterShape());
  if (std::optional<Packing> packing = bucket.getPacking())
    return getPackedBytes(*packing, elements);
  return elements * getElementBytes(shard);
}

LogicalResult judge::isPortion(Claims &p, State state) {
  constexpr StringLiteral kWords[] = {" cut into a slice of each rank",
                                      " cut into a part of each group's member",
                                      " whole on every rank"};
  const Portion portion = portionOf(state.type);
  auto judge = [&](Portion expected, StringRef option) {
    // Only the size of shards tells a slice from a part.
    bool isOfSize = portion != Portion::Whole && expected != Portion::Whole;
    return p.expect(state.program, portion == expected || p.ranks == 1,
                    state.describe() + kWords[int(portion)],
                    isOfSize ? "shard-size" : option);
  };
  const int64_t stage = p.given.stage, least = p.given.persistBelow;
  const Portion ofShardSize =
      p.given.shardSize != 0 ? Portion::Part : Portion::Slice;
  if (state.isGradient() && !p.isPending)
    return p.given.virtualShards
               ? judge(Portion::Slice, "virtual-shards")
               : judge(stage < 2 ? Portion::Whole : ofShardSize, "stage");
  if (!state.isParameter())
    return judge(stage < 1 ? Portion::Whole : Portion::Slice, "stage");
  if (stage < 3)
    return judge(Portion::Whole, "stage");
  auto bucket = p.plan.lookupSymbol<BucketOp>(state.attr.getBucket());
  for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
    if (failed(judge(bytesOfParameter(bucket, member, state.type) < least
                         ? Portion::Whole
                         : ofShardSize,
                     portion == Portion::Whole && least == 0
                         ? "stage"
                         : "persist-below")))
      return failure();
  return success();
}

LogicalResult judge::givesPortion(Claims &p, ReduceScatterOp reduce) {
  const bool isPart = reduce.getOver() == Over::Members;
  const bool isAlone =
      portionOf(reduce.getType()) == (isPart ? Portion::Part : Portion::Slice);
  const bool isExpected = p.given.stage >= 2 || p.given.virtualShards ||
                          p.given.wireGradients != Wire::Full;
  return p.expect(reduce, isAlone == isExpected || p.ranks == 1,
                  !isAlone ? "a result with room for the slices of all ranks"
                  : isPart ? "a result that is a member's part alone"
                           : "a result that is the rank's slice alone");
}

LogicalResult judge::reducesAsOften(Claims &p) {
  if (!isLayered(p.plan) || p.given.wireGradients == Wire::Full)
    return success();
  std::map<std::tuple<Operation *, StringRef, bool>, int64_t> counts;
  const auto countOf = [&](ReduceScatterOp reduce) -> int64_t & {
    return counts[{reduce->getParentOp(), reduce.getBucket(),
                   reduce.getOver() == Over::Groups}];
  };
  for (ReduceScatterOp reduce : p.all<ReduceScatterOp>())
    ++countOf(reduce);
  for (ReduceScatterOp reduce : p.all<ReduceScatterOp>()) {
    const bool isOnce =
        p.given.stage < 2 ||
        (reduce.getOver() == Over::Groups && p.given.shardSize != 0);
    const int64_t count = countOf(reduce);
    if (failed(p.expect(reduce, count == (isOnce ? 1 : p.microSteps),
                        "a bucket reduced " + Twine(count) + " times")))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Tiers
//===----------------------------------------------------------------------===//

static Tier tierOf(StringRef place) {
  return place == "nvme"  ? Tier::Nvme
         : place == "cpu" ? Tier::Host
                          : Tier::Device;
}

static LogicalResult isOn(const Claims &p, const State &state, Tier tier) {
  const Tier found = getTier(state.type);
  return p.expect(state.program, found == tier || !isa<ShardType>(state.type),
                  state.describe() + " on the " + stringifyTier(found));
}

/// Parameters that several ranks hold whole lie on the device; at least one is
/// offloaded.
LogicalResult judge::hasParameterTiers(Claims &p) {
  const Tier tier = tierOf(p.word);
  bool isAny = tier == Tier::Device;
  for (const State &state : p.all<State>())
    if (auto shard = dyn_cast<ShardType>(state.type);
        shard && state.isParameter()) {
      const bool mayMove = p.ranks == 1 || shard.getRanks() > 1;
      if (failed(isOn(p, state, mayMove ? tier : Tier::Device)))
        return failure();
      isAny |= mayMove;
    }
  return p.expect(findMainProgram(p.plan), isAny,
                  "all parameters on the device");
}

/// Pending gradients lie in host memory, where updates run.
LogicalResult judge::isOnGradientTier(Claims &p, State state) {
  return state.isGradient()
             ? isOn(p, state, p.isPending ? Tier::Host : tierOf(p.word))
             : success();
}

/// Whether --offload-ratio leaves the optimizer state of a bucket one tier
/// nearer: that of the first of the module that are trained, as long as all of
/// them have no more than the other part of all elements of such buckets.
static bool staysNearer(const Claims &p, StringRef name) {
  double all = 0, elements = 0;
  for (BucketOp bucket : p.all<BucketOp>())
    all += bucket.getFrozen() ? 0 : double(bucket.getElements());
  const double most = (1 - p.given.offloadRatio) * all;
  for (BucketOp bucket : p.all<BucketOp>()) {
    elements += bucket.getFrozen() ? 0 : double(bucket.getElements());
    if (bucket.getSymName() == name)
      return !bucket.getFrozen() && elements <= most;
  }
  return false;
}

LogicalResult judge::isOnOptimizerTier(Claims &p, State state) {
  if (state.isParameter() || state.isGradient())
    return success();
  const Tier tier = tierOf(p.word);
  const bool isNearer =
      tier != Tier::Device && staysNearer(p, state.attr.getBucket().getValue());
  return isOn(p, state, isNearer ? Tier(int(tier) - 1) : tier);
}

/// Only tensors count: scalars are spilled to the host for updates.
LogicalResult judge::hasActivationTier(Claims &p) {
  auto farthest = Tier::Device;
  for (SpillOp spill : p.all<SpillOp>())
    if (Type type = spill.getResult().getType();
        !spill.getBucket() && getHeldTensor(type).getRank() > 0)
      farthest = std::max(farthest, getTier(type));
  return p.expect(findMainProgram(p.plan), farthest == tierOf(p.word),
                  farthest == Tier::Device
                      ? Twine("no activations in another tier")
                      : "activations on the " + stringifyTier(farthest));
}

//===----------------------------------------------------------------------===//
// Elements of collectives
//===----------------------------------------------------------------------===//

/// Returns true if `value` is quantized, or gathered of what is.
static bool isQuantized(Value value) {
  while (auto gather = value.getDefiningOp<AllGatherOp>())
    value = gather.getSource();
  return value.getDefiningOp<QuantizeOp>() != nullptr;
}

/// bf16 leaves values that have 16 bits already.
static LogicalResult sendsForm(const Claims &p, Operation *op, Wire form) {
  Value sent = op->getOperand(0);
  Type element = getElementType(sent.getType());
  auto block = dyn_cast<QuantizedBlockType>(element);
  const bool holds =
      form == Wire::Full ? !block && !isQuantized(sent)
      : form == Wire::BF16
          ? element.isBF16() || element.isF16()
          : block && block.getBits() == (form == Wire::Int8 ? 8 : 4);
  return holds ? success()
               : p.expect(op, false,
                          "a collective of " + debugString(element) +
                              ", where its form is " + stringify(form));
}

/// Gathers of parameters at stage 3, but those of packed buckets, are of the
/// option's elements; all other gathers are of values as they are.
LogicalResult judge::gathersForm(Claims &p, AllGatherOp gather) {
  const bool isPacked = getElementType(gather.getType()).isSignlessInteger(8);
  return sendsForm(p, gather,
                   p.given.stage == 3 && !gather.isInPlace() && !isPacked
                       ? p.given.wireParams
                       : Wire::Full);
}

/// So are reductions, with groups of ranks those over groups.
LogicalResult judge::reducesForm(Claims &p, ReduceScatterOp reduce) {
  const bool isMeant =
      p.layouts.countGroups() == 1 || reduce.getOver() == Over::Groups;
  return sendsForm(p, reduce, isMeant ? p.given.wireGradients : Wire::Full);
}

/// Values are quantized only from one collective to the next, and state and
/// gradients are not made of what was quantized.
LogicalResult judge::isQuantizedOnce(Claims &, Operation *op) {
  const bool isGathered = isa<AllGatherOp>(op), isWide = isa<DequantizeOp>(op);
  if (isGathered && !isQuantized(op->getResult(0)))
    return success();
  for (Operation *user : op->getResult(0).getUsers())
    if (isWide       ? !isa<ViewOp>(user)
        : isGathered ? !isa<AllGatherOp, DequantizeOp>(user)
                     : !isa<AllGatherOp, ReduceScatterOp>(user)) // (S7)
      return op->emitOpError(isWide ? "dequantizes" : "is quantized")
             << " for '" << user->getName()
             << "' (S7); values are quantized for one collective, and views of "
                "parameters alone read what is dequantized";
  return success();
}

//===----------------------------------------------------------------------===//
// Sums in the tree of virtual shards
//===----------------------------------------------------------------------===//

// (V13) checks the trees over micro-steps and segments.

static LogicalResult isTree(const Claims &p, Operation *op, bool tree) {
  return p.expect(op, tree == (p.given.virtualShards != 0),
                  tree ? "a sum in a tree" : "a sum in the order of ranks");
}

/// Reductions give f32, so that a sum is not rounded where another plan does
/// not round it, and only the last one scales.
LogicalResult judge::reducesInTree(Claims &p, ReduceScatterOp reduce) {
  const bool isIn = p.given.virtualShards != 0,
             isLast = p.microSteps == 1 && reduce.getOver() != Over::Members;
  const double scale = isLast ? 1 / double(p.given.virtualShards) : 1;
  return failure(
      failed(isTree(p, reduce, reduce.getTree())) ||
      failed(p.expect(reduce, !isIn || getElementType(reduce.getType()).isF32(),
                      "a sum that is rounded to 16 bits")) ||
      failed(p.expect(reduce,
                      !isIn || reduce.getScale().convertToDouble() == scale,
                      "a scale in another place of the tree")));
}

/// The sum of squares goes by slices, since that is the order of segments.
LogicalResult judge::addsInTree(Claims &p, AllReduceOp all) {
  const bool isOfSquares = all.getValue().getDefiningOp<TotalOp>() != nullptr;
  return failure(
      failed(isTree(p, all, all.getTree())) ||
      failed(p.expect(all,
                      !p.given.virtualShards || all.getBySlice() == isOfSquares,
                      "a tree of ranks in another order")));
}
