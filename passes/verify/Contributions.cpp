//===- Contributions.cpp - Each gradient reaches the update once ----------===//
//
// A step updates every bucket once, by the mean of the gradients of all ranks
// and micro-steps.  For each value of a bucket, (V13) tracks how much of these
// it contains:
//
//   before   the sum of earlier micro-steps
//   own      the gradients of the program's own micro-steps: of one micro-step,
//            or of all if a flatten names its micro-step
//   reduced  over which ranks it is reduced: none, those of a group, all
//   updates  the number of updates
//
//   state "grad"       {before: 1}      a flatten         {own: 1}
//   clear              {}               a flatten of sums the sum + scale x
//                                                         {own: 1}
//   update             {updates: 1}     gather, copy,
//                                       fetch, spill,
//                                       quantize,
//                                       dequantize        unchanged
//   reduction          scale x its operand, and reduced: over members within a
//                      group, then over groups, once each
//
//   @count   state is unchanged
//   @micro   sums end as {before: 1, own: unit}; other state is unchanged
//   @step    an update takes {own: mean}, and from a sum the share that weighs
//            earlier gradients alike; parameters and moments end as
//            {updates: 1}, sums as {}; parameters of frozen buckets are
//            unchanged
//
// A member's gradient is added to a view of a sum by a product whose `init` it
// is, or by zero.accumulate; once, and for all members of a flatten by one
// scale.  (V14) checks that the view is the member's.
//
// mean = 1 / (ranks x micro-steps).  A scale is 1, or the mean over ranks,
// micro-steps or both.  That of a reduction is over those ranks that it adds
// up; over groups it has no part of the mean over micro-steps, which earlier
// operations have.  Sums that are reduced later hold whole gradients (unit =
// 1), or, if only groups are left, each gradient's share of its group's mean
// (unit = 1 / (ranks of a group x micro-steps)); other sums hold each
// gradient's share of the mean (unit = mean).
//
// In a program with all micro-steps, sums begin as {} and an update takes
// {own: mean} of each micro-step.
//
// With virtual shards (#zero.options), sums "grad", "grad.1", ... of a bucket
// are those of one binary tree: add_leaf takes all of them, {before: 1}, and
// gradients {own: 1} of all ranks, and gives {before: 1, own: 1}; sum_leaves
// gives scale x that, and scale = mean.  A @step may leave anything in them.
// The squares of each segment are added up in module order, and then segments
// and ranks in a tree.
//
// If a step updates by the gradients of the previous step (there is a @first),
// state "grad" holds these pending gradients, {before: mean, reduced}:
//
//   @first   state "grad" ends as {own: mean, reduced}; the rest is unchanged
//   @step    likewise, and an update takes {before: mean, reduced}
//   @flush   an update takes {before: mean, reduced}; state "grad" is
//            unchanged, since nothing reads it afterwards
//
// The model reads parameters before their update; in a @step that updates by
// pending gradients it reads them after the update, unless updates are delayed.
// The norm covers every trained bucket once, in module order, since f64 sums
// depend on the order.  Other values are averaged over ranks.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Zero.h"
#include "passes/verify/Diagnostics.h"
#include "passes/verify/KnownOperations.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
/// The ranks whose gradients have been added up.
enum class Reduced { OfNone, OfGroup, OfAll };

struct Share {
  double before = 0;
  /// Indexed by the program's micro-steps; missing entries are 0.
  SmallVector<double, 1> own = {};
  Reduced reduced = Reduced::OfNone;
  int updates = 0;
  /// Whether the value is gradients of a bucket, or a member of these.
  bool isGradient = false;
  /// The scale by which a gradient was added to this member of a sum; 0: none.
  double added = 0;

  double ownOf(size_t micro) const {
    return micro < own.size() ? own[micro] : 0;
  }
};

/// sum + scale x more
SmallVector<double, 1> add(const Share &sum, double scale, const Share &more) {
  SmallVector<double, 1> own;
  for (size_t i = 0; i < std::max(sum.own.size(), more.own.size()); ++i)
    own.push_back(sum.ownOf(i) + scale * more.ownOf(i));
  return own;
}

/// Compares scales, which are quotients of small integers, rounded a few times.
bool isNear(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

bool operator==(const Share &a, const Share &b) {
  for (size_t i = 0; i < std::max(a.own.size(), b.own.size()); ++i)
    if (!isNear(a.ownOf(i), b.ownOf(i)))
      return false;
  return isNear(a.before, b.before) && a.reduced == b.reduced &&
         a.updates == b.updates && a.added == b.added;
}

std::string textOf(double number) {
  return llvm::formatv("{0}", llvm::format("%.6g", number)).str();
}

std::string describeShare(const Share &share) {
  std::string text;
  auto add = [&](double n, const std::string &what) {
    if (n != 0)
      text += (text.empty() ? "" : " and ") + textOf(n) + " x " + what;
  };
  add(share.before, "the sum of earlier micro-steps");
  for (auto [micro, own] : llvm::enumerate(share.own))
    add(own, share.own.size() == 1
                 ? "this micro-step's gradient"
                 : "the gradient of micro-step " + std::to_string(micro));
  add(share.reduced == Reduced::OfAll, "a reduction over ranks");
  add(share.reduced == Reduced::OfGroup,
      "a reduction over the members of a group");
  add(share.updates, "an update");
  add(share.added, "a gradient that was added to it");
  return text.empty() ? "nothing" : text;
}

class Contributions {
public:
  Contributions(ProgramOp program, StringRef name, const BucketLayouts &layouts)
      : program(program), name(name), ranks(layouts.getRanks()),
        members(layouts.getGroupSize()), groups(layouts.countGroups()) {
    auto module = program->getParentOfType<ModuleOp>();
    microSteps = getMicroSteps(module);
    mean = 1.0 / double(ranks * microSteps);
    rotated = isRotated(module);
    delayed = isDelayed(module);
    if (isLayered(module))
      microStepsHere = microSteps;
    if (auto options = module->getAttrOfType<OptionsAttr>(kOptionsAttr))
      virtualShards = options.getVirtualShards();
  }

  LogicalResult run() {
    for (auto &[argument, state, next] : findNextStates(program)) {
      if (!isSum(state))
        continue;
      if (virtualShards && !rotated) {
        shares[argument] = {1, {}, overAll(), 0, /*isGradient=*/true};
        units[state.getBucket()] = 1;
        continue;
      }
      if (rotated) {
        shares[argument] = name == "first" ? Share() : pending();
        continue;
      }
      Reduced reduced = ofType(argument.getType());
      shares[argument] = {1, {}, reduced, 0, /*isGradient=*/true};
      units[state.getBucket()] = ranks == 1 || reduced == Reduced::OfAll ? mean
                                 : reduced == Reduced::OfGroup
                                     ? 1.0 / double(members * microSteps)
                                     : 1;
    }
    for (Operation &op : program.front())
      if (failed(visit(&op)))
        return failure();
    return success();
  }

private:
  /// Whether `state` is a sum of gradients over micro-steps.
  bool isSum(StateAttr state) {
    StringRef slot = state.getSlot();
    return slot == "grad" || (virtualShards && slot.starts_with("grad."));
  }

  bool isFrozen(FlatSymbolRefAttr name) {
    auto bucket = SymbolTable::lookupNearestSymbolFrom<BucketOp>(program, name);
    return bucket && bucket.getFrozen();
  }

  LogicalResult expect(Operation *op, Value value, const Share &expected) {
    Share found = shares.lookup(value);
    if (found == expected)
      return success();
    InFlightDiagnostic error = op->emitOpError("takes "); // (V13)
    error << judge::describe(value) << ", in which there is "
          << describeShare(found) << ", where it needs "
          << describeShare(expected) << " (V13)";
    if (Operation *def = value.getDefiningOp())
      error.attachNote(def->getLoc())
          << "made by '" << judge::describe(def) << '\'';
    return error;
  }

  /// `share` of the gradient of each of the program's micro-steps.
  SmallVector<double, 1> ofEach(double share) {
    return SmallVector<double, 1>(microStepsHere, share);
  }

  /// The ranks over which a gradient is reduced at an update.
  Reduced overAll() { return ranks > 1 ? Reduced::OfAll : Reduced::OfNone; }

  /// The ranks over which a sum of `type` is reduced, if it is reduced before
  /// it is added to.
  Reduced ofType(Type type) {
    constexpr Reduced kAll[] = {Reduced::OfAll, Reduced::OfGroup,
                                Reduced::OfNone};
    return ranks > 1 ? kAll[int(portionOf(type))] : Reduced::OfNone;
  }

  /// The gradient that the previous step left pending.
  Share pending() { return {mean, {}, overAll(), 0, /*isGradient=*/true}; }

  /// Returns true if `value` is a gradient that the program starts with: a sum
  /// or a pending one, which the next one replaces.
  bool isGradientState(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    StateAttr state =
        argument ? program.getState(argument.getArgNumber()) : StateAttr();
    return state && isSum(state);
  }

  /// Returns true if `value` contains no gradients.
  bool isZero(Value value) {
    Share share = shares.lookup(value);
    return share.before == 0 && share.own.empty() && share.updates == 0;
  }

  /// The mean gradient of `bucket`.
  Share whole(FlatSymbolRefAttr bucket) {
    auto unit = units.find(bucket);
    double before = microSteps == microStepsHere ? 0
                    : unit == units.end()        ? 1 // a sum is missing
                                                 : mean / unit->second;
    return {before, ofEach(mean), overAll(), 0};
  }

  /// Each scale must be a part of the mean by itself; a correct product of
  /// scales proves nothing: 1e-43 x 2.5e42 is 0.25, but a value scaled by the
  /// first factor has lost its bits.  The mean is over `count` of `what`, and
  /// over micro-steps unless these are groups.
  LogicalResult judgeScale(Operation *op, double scale, int64_t count,
                           StringRef what) {
    const bool isGroups = what == "groups";
    const int64_t steps = isGroups ? 1 : microSteps;
    for (double part : {1.0, 1.0 / double(count), 1.0 / double(steps),
                        1.0 / double(count * steps)})
      if (isNear(scale, part))
        return success();
    InFlightDiagnostic error = op->emitOpError("scales by "); // (V13)
    error << textOf(scale) << ", which is neither 1 nor "
          << (isGroups ? "the mean over " : "a part of the mean over ") << count
          << ' ' << what;
    if (!isGroups)
      error << " and " << steps << " micro-steps";
    return error << " (V13)";
  }

  /// `op` adds a gradient, scaled, to `sum`, a member of one.
  LogicalResult visitSum(Operation *op, Share sum, double scale) {
    sum.added = scale;
    shares[op->getResult(0)] = sum;
    return judgeScale(op, scale, ranks, "ranks");
  }

  LogicalResult visitAccumulate(AccumulateOp op) {
    Share sum = shares.lookup(op.getSum());
    if (!sum.isGradient || sum.added != 0) // (V13)
      return op.emitOpError("adds to ")
             << judge::describe(op.getSum()) << ", in which there is "
             << describeShare(sum)
             << ", where it needs a sum without this gradient (V13)";
    return failure(failed(expect(op, op.getMore(), {})) ||
                   failed(visitSum(op, sum, op.getScale().convertToDouble())));
  }

  /// A product whose `init` is a sum adds to it.  If a gradient is several
  /// products, each but the first adds to the one before it, and all are scaled
  /// alike.
  LogicalResult visitMatmul(nn::MatmulOp op) {
    Share init = op.getInit() ? shares.lookup(op.getInit()) : Share();
    if (!init.isGradient)
      return visitOther(op);
    for (Value operand : op->getOperands().drop_back())
      if (failed(expect(op, operand, {})))
        return failure();
    if (init.added != 0 && op.getFactor() != init.added) // (V13)
      return op.emitOpError("scales by ")
             << textOf(op.getFactor()) << " and adds to "
             << judge::describe(op.getInit()) << ", which is scaled by "
             << textOf(init.added) << " (V13)";
    return visitSum(op, init, op.getFactor());
  }

  /// A micro-step's gradients join the tree of virtual shards: `sums` are those
  /// that the program begins with, as many as micro-steps take.
  LogicalResult visitLeaves(Operation *op, Value leaf, ValueRange sums,
                            double scale) {
    if (failed(expect(op, leaf, {0, {1}, overAll(), 0})))
      return failure();
    for (Value sum : sums)
      if (failed(expect(op, sum, {1, {}, overAll(), 0})))
        return failure();
    const unsigned expected = llvm::Log2_64(uint64_t(microSteps));
    if (!virtualShards || sums.size() != expected) // (V13)
      return op->emitOpError("adds to ")
             << sums.size() << " sums (V13); " << microSteps
             << " micro-steps of virtual shards have " << expected;
    for (Value result : op->getResults())
      shares[result] = {scale, {scale}, overAll(), 0};
    return success();
  }

  LogicalResult visitReduce(ReduceScatterOp op) {
    const std::optional<Over> over = op.getOver();
    const double scale = op.getScale().convertToDouble();
    // (S7) says where the tree of virtual shards scales.
    if (!virtualShards &&
        failed(over == Over::Groups ? judgeScale(op, scale, groups, "groups")
               : over == Over::Members
                   ? judgeScale(op, scale, members, "members")
                   : judgeScale(op, scale, ranks, "ranks")))
      return failure();
    Share more = shares.lookup(op.getSource()), unreduced = more, into;
    unreduced.reduced =
        over == Over::Groups ? Reduced::OfGroup : Reduced::OfNone;
    if (failed(expect(op, op.getSource(), unreduced)))
      return failure();
    const Reduced result =
        over == Over::Members ? Reduced::OfGroup : Reduced::OfAll;
    if (op.getInto()) {
      into = shares.lookup(op.getInto());
      Share reduced = into;
      reduced.reduced = result;
      if (failed(expect(op, op.getInto(), reduced)))
        return failure();
    }
    shares[op.getResult()] = {into.before + scale * more.before,
                              add(into, scale, more), result, more.updates};
    return success();
  }

  /// All-reduces average over ranks, but they sum squares.
  LogicalResult visitAllReduce(AllReduceOp op) {
    Operation *made = op.getValue().getDefiningOp();
    bool squares = made && judge::has(made, judge::Fact::SumsSquares);
    double expected = squares ? 1 : 1.0 / ranks,
           scale = op.getScale().convertToDouble();
    if (!isNear(scale, expected)) // (V13)
      return op.emitOpError("scales by ")
             << textOf(scale) << " where it needs " << textOf(expected)
             << " (V13); squares are added over ranks, all else is averaged";
    return visitOther(op);
  }

  LogicalResult visitUpdate(UpdateOp op) {
    Share gradient = rotated ? pending() : whole(op.getBucketAttr());
    if (failed(expect(op, op.getGrad(), gradient)) ||
        (op.getParam() && failed(expect(op, op.getParam(), {}))))
      return failure();
    for (Value slot : op.getKept())
      if (failed(expect(op, slot, {})))
        return failure();
    for (Value next : op.getNext())
      shares[next].updates = 1;
    return success();
  }

  /// A flatten takes new gradients, which must not come from a bucket, or the
  /// members of one sum to which they were added.
  LogicalResult visitFlatten(FlattenOp op) {
    auto micro = op->getAttrOfType<IntegerAttr>(kMicroAttr);
    bool isOfOne = microStepsHere > 1;
    if (isOfOne != (micro != nullptr) ||
        (micro && (micro.getInt() < 0 || micro.getInt() >= microStepsHere)))
      return op.emitOpError("packs gradients of ") // (V13)
             << (micro ? "micro-step " + std::to_string(micro.getInt())
                       : std::string("no micro-step"))
             << ", where a program has " << microStepsHere << " (V13)";
    const Share member = shares.lookup(op.getMembers().front()),
                expected = member.added != 0 ? member : Share();
    for (Value one : op.getMembers())
      if (failed(expect(op, one, expected)))
        return failure();
    Share gradients;
    gradients.own.assign(isOfOne ? microStepsHere : 1, 0);
    gradients.own[micro ? micro.getInt() : 0] = 1;
    Share flat = expected;
    flat.own = add(expected, member.added != 0 ? member.added : 1, gradients);
    flat.added = 0;
    flat.isGradient = true;
    shares[op.getResult()] = flat;
    return success();
  }

  /// The model reads parameters before the program updates them; in a @step
  /// with pending gradients it reads them after the update, unless updates are
  /// delayed and run beside the model.
  LogicalResult visitView(ViewOp op) {
    Share share = shares.lookup(op.getFlat()), expected = share;
    expected.updates = rotated && !delayed && name == "step" &&
                       !share.isGradient && !isFrozen(op.getBucketAttr());
    share.updates = 0;
    shares[op.getResult()] = share;
    return expect(op, op.getFlat(), expected);
  }

  LogicalResult visitReturn(Operation *op) {
    for (auto &[argument, state, next] : findNextStates(program)) {
      Share expected = shares.lookup(argument);
      bool sum = isSum(state);
      if (virtualShards && !rotated && sum && name == "step")
        continue; // the next micro-step overwrites it
      if (name == "micro" && sum)
        expected.own = {units.lookup(state.getBucket())};
      if (isFrozen(state.getBucket()))
        expected = shares.lookup(argument);
      else if (name == "step" || (name == "flush" && !sum))
        // New zeros of a slice or a part count as reduced.
        expected = {0,
                    {},
                    sum && isZero(next) ? shares.lookup(next).reduced
                                        : Reduced::OfNone,
                    !sum};
      if (rotated && sum && (name == "first" || name == "step"))
        expected = {0, ofEach(mean), overAll(), 0};
      if (next && failed(expect(op, next, expected)))
        return failure();
    }
    return success();
  }

  /// No other operation may take updated values.  A view, a join or a split
  /// contains what its source does.
  LogicalResult visitOther(Operation *op) {
    for (Value operand : op->getOperands()) {
      Share share = shares.lookup(operand);
      if (namesBytes(op) && op->getNumResults()) {
        // All pieces of a join must have equal shares.
        share = shares.lookup(op->getOperand(0));
        shares[op->getResult(0)] = share;
      }
      share.updates = 0;
      if (failed(expect(op, operand, share)))
        return failure();
    }
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (has(op, Fact::KeepsState) || isa<CopyOp>(op)) {
      shares[op->getResult(0)] = shares.lookup(op->getOperand(0));
      return success();
    }
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](FlattenOp flatten) { return visitFlatten(flatten); })
        .Case<FetchOp, SpillOp>([&](auto transfer) {
          shares[transfer.getResult()] = shares.lookup(transfer.getSource());
          // What a sum held may be overwritten: what is returned is compared.
          return transfer.getInto() && !isGradientState(transfer.getInto())
                     ? expect(op, transfer.getInto(), {})
                     : success();
        })
        .Case([&](ReduceScatterOp reduce) { return visitReduce(reduce); })
        .Case([&](AccumulateOp sum) { return visitAccumulate(sum); })
        .Case([&](nn::MatmulOp product) { return visitMatmul(product); })
        .Case([&](AllReduceOp reduce) { return visitAllReduce(reduce); })
        .Case<ClearOp>([](auto) { return success(); }) // its share is {}
        .Case([&](ZerosOp zeros) {
          // Zeros of a slice or a part count as reduced, so that reduced values
          // may be added.
          shares[zeros.getResult()] = {
              0, {}, ofType(zeros.getType()), 0, /*isGradient=*/true};
          return success();
        })
        .Case([&](UpdateOp update) { return visitUpdate(update); })
        .Case([&](ViewOp view) { return visitView(view); })
        .Case([&](SumSquaresOp squares) {
          return expect(op, squares.getFlat(), whole(squares.getBucketAttr()));
        })
        .Case([&](TotalOp total) {
          // Those of virtual shards are judged from the norm on.
          return virtualShards ? success()
                               : judgeSquares(op, total.getPartials());
        })
        .Case([&](AddLeafOp add) {
          return visitLeaves(op, add.getLeaf(), add.getSums(), 1);
        })
        .Case([&](SumLeavesOp sum) {
          const double scale = sum.getScale().convertToDouble();
          if (!isNear(scale, mean)) // (V13)
            return LogicalResult(op->emitOpError("scales by ")
                                 << textOf(scale) << " where it needs "
                                 << textOf(mean) << " (V13)");
          return visitLeaves(op, sum.getLeaf(), sum.getSums(), scale);
        })
        .Case(
            [&](ClipOp clip) { return judgeNorm(clip, ranks, virtualShards); })
        .Case([&](ReturnOp) { return visitReturn(op); })
        .Case<LaunchOp, nn::GroupedMatmulOp, nn::GroupedMatmulBackwardOp,
              UnpackOp, AllToAllOp>([&](auto) { return visitOther(op); })
        .Default([&](Operation *) {
          return namesBytes(op) ? visitOther(op)
                                : op->emitOpError("is not known to (V13)");
        });
  }

  ProgramOp program;
  StringRef name;
  int64_t ranks, members, groups, microSteps, microStepsHere = 1;
  int64_t virtualShards = 0;
  double mean; ///< share of each gradient in the update
  bool rotated, delayed;
  DenseMap<Value, Share> shares;
  /// Share of each gradient in a bucket's sum over micro-steps, if it has a
  /// sum.
  DenseMap<Attribute, double> units;
};
} // namespace

LogicalResult judge::judgeContributions(ProgramOp program, StringRef name,
                                        const BucketLayouts &layouts) {
  return Contributions(program, name, layouts).run();
}
