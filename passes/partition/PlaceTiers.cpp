//===- PlaceTiers.cpp - Places state in memory tiers ----------------------===//
//
// State is placed in the tier that an option names, and moved to the tier that
// uses it:
//
//   device   forward, backward, the norm, collectives between ranks
//   host     updates, if any of the optimizer's state is not on the device
//   nvme     nothing
//
// With a ratio below 1 the optimizer's state of the first buckets stays one
// tier nearer: buckets with so many elements in all, and not more.
//
//   1. The types of state name the tier: !zero.shard<... on host>.
//   2. A gather or a view of parameters that lie elsewhere gets a fetch before
//      it.  (RegatherParameters adds fetches for later uses.)
//   3. A sum of gradients over micro-steps that lies elsewhere is fetched
//      before a gradient is added to it, and spilled back.
//   4. An update moves to the host.  Its gradient is spilled where it is
//      finished, its slots are fetched and spilled back, scalars are moved to
//      the host, and the next parameter is moved to the tier of the parameters.
//
// An update computes the same bits wherever it runs.
//
//===----------------------------------------------------------------------===//

#include "passes/partition/Passes.h"

#include "dialect/zero/BucketUse.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Storage.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/Builders.h"

namespace mlir::zero {
#define GEN_PASS_DEF_PLACETIERS
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

namespace {

/// The tiers of state.
struct Places {
  Tier parameters = Tier::Device, farOptimizer = Tier::Device,
       sums = Tier::Device;
  /// Buckets whose optimizer state stays one tier nearer.
  DenseSet<Attribute> near;

  Tier optimizer(FlatSymbolRefAttr bucket) const {
    return near.contains(bucket) ? Tier(int(farOptimizer) - 1) : farOptimizer;
  }
  /// The tier in which a bucket is updated; never NVMe.
  Tier updates(FlatSymbolRefAttr bucket) const {
    return std::min(optimizer(bucket), Tier::Host);
  }
  /// The tier in which all buckets are updated, or the nearest of several.
  Tier allUpdates() const {
    return std::min(near.empty() ? farOptimizer : Tier(int(farOptimizer) - 1),
                    Tier::Host);
  }
  Tier of(StateAttr state) const {
    if (state.getSlot() == "param")
      return parameters;
    return isSumSlot(state.getSlot()) ? sums : optimizer(state.getBucket());
  }
};

Type inTier(Type type, Tier tier) {
  if (auto shard = dyn_cast<ShardType>(type))
    return shard.inTier(tier);
  RankedTensorType tensor = getHeldTensor(type);
  if (tier == Tier::Device)
    return tensor;
  return StoredType::get(type.getContext(), tensor, tier);
}

/// Moves the values of one program between tiers.
class Placement {
public:
  Placement(ProgramOp program, const Places &places, int64_t ranks)
      : program(program), places(places), ranks(ranks), b(program) {}

  void run() {
    placeState();
    if (places.parameters != Tier::Device)
      sinkNames();
    for (auto &[argument, state, next] : findNextStates(program))
      if (state.getSlot() == "param" &&
          getTier(argument.getType()) != Tier::Device)
        fetchForUse(argument, state.getBucket());
    if (places.sums != Tier::Device)
      placeSums();
    if (places.farOptimizer != Tier::Device ||
        places.parameters != Tier::Device)
      for (auto update :
           llvm::make_early_inc_range(program.front().getOps<UpdateOp>()))
        moveUpdate(update);
    program.setFunctionType(
        b.getFunctionType(program.front().getArgumentTypes(),
                          program.front().getTerminator()->getOperandTypes()));
  }

private:
  ProgramOp program;
  const Places &places;
  int64_t ranks;
  OpBuilder b;
  /// Scalars that were spilled to the host.
  DenseMap<Value, Value> onHost;

  void placeState() {
    for (BlockArgument argument : program.getArguments()) {
      unsigned i = argument.getArgNumber();
      if (StateAttr state = program.getState(i)) {
        // Parameters that several ranks hold are exchanged on the device.
        if (state.getSlot() == "param" && ranks > 1 &&
            !zero::detail::isSlice(argument.getType()))
          continue;
        argument.setType(inTier(argument.getType(), places.of(state)));
      } else if (auto scalar = program.getScalar(i);
                 scalar && isOfUpdates(scalar)) {
        argument.setType(inTier(argument.getType(), places.allUpdates()));
      }
    }
  }

  /// Returns true if, in all programs, only updates read the scalar.
  bool isOfUpdates(StringAttr scalar) {
    auto module = program->getParentOfType<ModuleOp>();
    return llvm::all_of(findPrograms(module), [&](ProgramOp other) {
      return llvm::all_of(other.getArguments(), [&](BlockArgument argument) {
        return other.getScalar(argument.getArgNumber()) != scalar ||
               llvm::all_of(argument.getUsers(), llvm::IsaPred<UpdateOp>);
      });
    });
  }

  /// Moves `value` to `tier`, with one transfer per link.  The last transfer
  /// writes into `into` if it is given.  With `slice`, the first one takes the
  /// rank's slice.
  Value move(Value value, Tier tier, FlatSymbolRefAttr bucket, Location loc,
             bool slice = false, Value into = {}) {
    while (getTier(value.getType()) != tier) {
      Tier from = getTier(value.getType());
      bool isUp = from > tier;
      auto next = static_cast<Tier>(static_cast<int>(from) + (isUp ? -1 : 1));
      Type type = value.getType();
      if (bucket) {
        auto shard = dyn_cast<ShardType>(type);
        if (slice || !shard)
          shard = ShardType::get(b.getContext(),
                                 zero::detail::flatElements(type, true),
                                 getElementType(type), slice ? ranks : 1);
        type = shard.inTier(next);
      } else {
        type = inTier(type, next);
      }
      Value target = next == tier ? into : Value();
      if (target)
        type = target.getType();
      value =
          isUp
              ? FetchOp::create(b, loc, type, value, bucket, target).getResult()
              : SpillOp::create(b, loc, type, value, bucket, target)
                    .getResult();
      slice = false;
    }
    return value;
  }

  /// Moves views, joins and reshapes of parameters before their first use,
  /// since fetches are inserted before them.
  void sinkNames() {
    SmallVector<Operation *> names;
    llvm::SmallPtrSet<Operation *, 16> known;
    for (Operation &op : program.front()) {
      bool isName = isOfParameters(dyn_cast<ViewOp>(op)) ||
                    (renamesParameter(&op) &&
                     llvm::all_of(op.getOperands(), [&](Value operand) {
                       return known.contains(operand.getDefiningOp());
                     }));
      if (!isName)
        continue;
      known.insert(&op);
      names.push_back(&op);
    }
    for (Operation *name : llvm::reverse(names))
      if (SmallVector<Operation *> users = getUsersInOrder(name->getResult(0));
          !users.empty())
        name->moveBefore(users.front());
  }

  /// Whether `view` is one of parameters, and not of a sum of gradients.
  bool isOfParameters(ViewOp view) {
    if (!view)
      return false;
    auto argument = dyn_cast<BlockArgument>(view.getFlat());
    return argument
               ? program.getState(argument.getArgNumber()).getSlot() == "param"
               : !isa<ZerosOp, FlattenOp>(view.getFlat().getDefiningOp());
  }

  /// Fetches parameters to the device where they are read.
  void fetchForUse(BlockArgument parameters, FlatSymbolRefAttr bucket) {
    Value whole; // shared by all views
    for (Operation *user : getUsersInOrder(parameters)) {
      if (isa<UpdateOp>(user) || user->hasTrait<OpTrait::IsTerminator>())
        continue;
      b.setInsertionPoint(user);
      Value here = whole;
      if (!here)
        here = move(parameters, Tier::Device, bucket, parameters.getLoc());
      if (isa<ViewOp>(user))
        whole = here;
      user->replaceUsesOfWith(parameters, here);
    }
  }

  /// Fetches sums of gradients where they are added to, and spills them back;
  /// where the step clears one, zeros take its place.
  void placeSums() {
    Operation *terminator = program.front().getTerminator();
    for (auto &[argument, state, next] : findNextStates(program)) {
      if (!isSumSlot(state.getSlot()))
        continue;
      FlatSymbolRefAttr bucket = state.getBucket();
      Location loc = argument.getLoc();
      SmallVector<Operation *> users = getUsersInOrder(argument);
      llvm::erase(users, terminator);
      if (users.empty())
        continue;
      b.setInsertionPoint(users.front());
      Value here = move(argument, Tier::Device, bucket, loc);
      for (Operation *user : users)
        user->replaceUsesOfWith(argument, here);
      // The next micro-step overwrites what a tree leaves of its sums.
      if (next == argument || next.getDefiningOp<SumLeavesOp>()) {
        for (OpOperand &returned : terminator->getOpOperands())
          if (returned.get() == next)
            returned.set(argument);
        continue;
      }
      Value sum = next;
      b.setInsertionPointAfterValue(sum);
      if (auto clear = sum.getDefiningOp<ClearOp>())
        sum = ZerosOp::create(b, loc, clear.getResult().getType(), bucket);
      Value back = move(sum, places.sums, bucket, loc, false, argument);
      for (OpOperand &returned : terminator->getOpOperands())
        if (returned.get() == next)
          returned.set(back);
      if (auto clear = next.getDefiningOp<ClearOp>())
        clear.erase();
    }
  }

  static SmallVector<Operation *> getUsersInOrder(Value value) {
    SmallVector<Operation *> users(value.getUsers());
    llvm::sort(users, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    users.erase(llvm::unique(users), users.end());
    return users;
  }

  /// `scalar` in the tier of an update; spilled once.
  Value scalarOf(Value scalar, Tier tier) {
    if (getTier(scalar.getType()) == tier)
      return scalar;
    Value &known = onHost[scalar];
    if (!known) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfterValue(scalar);
      known = move(scalar, tier, {}, scalar.getLoc());
    }
    return known;
  }

  /// The gradient in the tier of its update, moved there where it is finished.
  Value gradientOf(UpdateOp op) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(op.getGrad());
    bool slice =
        op.isSliced() && !zero::detail::isSlice(op.getGrad().getType());
    return move(op.getGrad(), places.updates(op.getBucketAttr()),
                op.getBucketAttr(), op.getGrad().getLoc(), slice);
  }

  void moveUpdate(UpdateOp old) {
    FlatSymbolRefAttr bucket = old.getBucketAttr();
    Tier here = places.updates(bucket);
    Location loc = old.getLoc();
    bool isSliced = old.isSliced();
    Value gradient = gradientOf(old);
    SmallVector<Value> scalars = llvm::map_to_vector(
        old.getScalars(), [&](Value scalar) { return scalarOf(scalar, here); });

    b.setInsertionPoint(old);
    auto bring = [&](Value value) {
      return move(value, here, bucket, value.getLoc(),
                  isSliced && !zero::detail::isSlice(value.getType()));
    };
    Value oldParam = old.getParam(), oldMaster = old.getMaster();
    SmallVector<Value> slots = llvm::map_to_vector(old.getSlots(), bring);
    Value master = oldMaster ? bring(oldMaster) : Value();
    bool isElsewhere = getTier(oldParam.getType()) != here;
    Value param;
    if (!isElsewhere || !master)
      param = bring(oldParam);
    // A parameter of f32 equals its master, which is updated in its place.
    bool isMaster = !param && getElementType(oldParam.getType()).isF32();
    if (isMaster)
      std::swap(param, master);

    SmallVector<Type> types;
    if (param) {
      types.push_back(param.getType());
    } else {
      auto type = cast<ShardType>(master.getType());
      types.push_back(ShardType::get(b.getContext(), type.getElements(),
                                     getElementType(oldParam.getType()),
                                     type.getRanks(), type.getOf(), here));
    }
    llvm::append_range(types, ValueRange(slots).getTypes());
    if (master)
      types.push_back(master.getType());
    auto update =
        UpdateOp::create(b, loc, types, old.getOptimizerAttr(), bucket, param,
                         gradient, slots, master, scalars, old.getRounding(),
                         old.getDecayAttr(), old.getSkipNonfiniteAttr());
    update->setDiscardableAttrs(old->getDiscardableAttrDictionary());

    auto returnTo = [&](Value next, Value before) {
      return getTier(before.getType()) == here
                 ? next
                 : move(next, getTier(before.getType()), bucket, loc, false,
                        before);
    };
    SmallVector<Value> next;
    next.push_back(returnTo(update.getNext().front(), oldParam));
    for (auto [result, before] :
         llvm::zip(update.getNext().drop_front(), old.getSlots()))
      next.push_back(returnTo(result, before));
    if (oldMaster)
      next.push_back(returnTo(isMaster ? update.getNext().front()
                                       : update.getNext().back(),
                              oldMaster));
    old.replaceAllUsesWith(next);
    old.erase();
  }
};

struct PlaceTiersPass : zero::impl::PlaceTiersBase<PlaceTiersPass> {
  using PlaceTiersBase::PlaceTiersBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Places places{tierOf(offloadParams),
                  tierOf(offloadOptimizer),
                  tierOf(offloadGradients),
                  {}};
    if (places.parameters == Tier::Device &&
        places.farOptimizer == Tier::Device && places.sums == Tier::Device)
      return;
    if (places.farOptimizer != Tier::Device)
      keepNear(places);
    int64_t ranks = getNumRanks(module);
    if (places.parameters != Tier::Device && ranks > 1 && !hasShards(module)) {
      module.emitError("offload-params=")
          << stringify(offloadParams)
          << " finds no parameter that is cut into slices on " << ranks
          << " ranks; it needs stage 3, and a persist-below that does "
          << "not keep all of them whole";
      return signalPassFailure();
    }
    for (ProgramOp program : findPrograms(module))
      Placement(program, places, ranks).run();
  }

private:
  static Tier tierOf(Offload offload) {
    return offload == Offload::None  ? Tier::Device
           : offload == Offload::Cpu ? Tier::Host
                                     : Tier::Nvme;
  }

  void keepNear(Places &places) {
    double all = 0, sum = 0;
    auto buckets = llvm::make_filter_range(
        getOperation().getOps<BucketOp>(),
        [](BucketOp bucket) { return !bucket.getFrozen(); });
    for (BucketOp bucket : buckets)
      all += double(bucket.getElements());
    for (BucketOp bucket : buckets) {
      sum += double(bucket.getElements());
      if (sum > (1 - offloadRatio) * all)
        break;
      places.near.insert(FlatSymbolRefAttr::get(bucket.getSymNameAttr()));
    }
  }

  /// Whether any parameter is cut into slices.
  static bool hasShards(ModuleOp module) {
    for (ProgramOp program : findPrograms(module))
      for (auto &[argument, state, next] : findNextStates(program))
        if (state.getSlot() == "param" &&
            zero::detail::isSlice(argument.getType()))
          return true;
    return false;
  }
};

} // namespace
