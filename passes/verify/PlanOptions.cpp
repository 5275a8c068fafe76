//===- PlanOptions.cpp - A plan matches its options -----------------------===//
//
// A plan carries the options that it was made with (zero.options), and its
// binary prints them on request.  (S7) compares them with the plan, by a table:
// the row of an option says what a plan with it looks like, and one without it.
// The first check that does not hold is reported.
//
// The table is the judge's own.  abi/PlanOptions.def, from which zeroc has its
// options, gives only their names: a plan is refused if one has no row.
//
// A plan that zeroc made, which has a level, must have options.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/PlanPrograms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "passes/verify/Claims.h"
#include "passes/verify/KnownOperations.h"
#include "passes/verify/Rules.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

//===----------------------------------------------------------------------===//
// What rows are made of
//===----------------------------------------------------------------------===//

/// The plan has `what`, which is the option's word `found`.
static LogicalResult isWord(Claims &p, StringRef found, const Twine &what) {
  return p.expect(p.plan, p.word == found, what);
}
static LogicalResult isNumber(Claims &p, StringRef what, int64_t found) {
  return isWord(p, std::to_string(found), what + " " + Twine(found));
}

static LogicalResult isThere(Claims &p, StringRef program, bool isExpected,
                             StringRef option = "") {
  return p.expect(p.plan, hasProgram(p.plan, program) == isExpected,
                  (isExpected ? "no program @" : "a program @") + program,
                  option);
}

static LogicalResult hasSamplePrograms(Claims &p) {
  const bool isOn = p.given.sample == Sample::On,
             isOnly = p.given.sample == Sample::Only,
             isScore = p.given.sample == Sample::Score;
  ModuleOp model = findModel(p.plan);
  const bool isMeasured = p.given.eval && model &&
                          model.lookupSymbol<func::FuncOp>(kScore) != nullptr;
  StringRef option = isOnly ? "sample-only" : isScore ? "score-only" : "sample";
  return failure(failed(isThere(p, kPrefill, isOn || isOnly, option)) ||
                 failed(isThere(p, kDecode, isOn || isOnly, option)) ||
                 failed(isThere(p, kScore, isScore || isMeasured,
                                isMeasured ? "eval" : option)) ||
                 failed(isThere(p, "step", !isOnly && !isScore, option)));
}

/// Groups have as many ranks as the option says; if none says a number, there
/// are no groups.  One group of all ranks is none.
static LogicalResult hasGroups(Claims &p) {
  const int64_t size = p.layouts.getGroupSize();
  const bool isOne = p.layouts.countGroups() == 1;
  return p.expect(p.plan,
                  p.word == std::to_string(size) ||
                      (p.word == "0" && (isOne || getGroupSize(p.given) != 0)),
                  (isOne ? "no groups of its " : "groups of ") + Twine(size) +
                      " ranks");
}

/// Checks the elements of `found`, which are `what`.
static LogicalResult hasElement(const Claims &p, Operation *op, Type found,
                                Type expected, StringRef what) {
  Type element = getElementType(found);
  return element == expected
             ? success()
             : p.expect(op, false, what + " of " + debugString(element));
}

/// Of what begins a sum over micro-steps, or adds to one.
static LogicalResult isSum(Claims &p, Operation *op) {
  return hasElement(p, op, op->getResult(0).getType(),
                    p.options.getSumElement(), "sums of gradients");
}

/// Sums are shards.
static LogicalResult isGradient(Claims &p, FlattenOp flatten) {
  return isa<ShardType>(flatten.getType())
             ? isSum(p, flatten)
             : hasElement(p, flatten, flatten.getType(),
                          p.options.getGradientElement(), "gradients");
}

/// What is added to a sum may have another type.
static LogicalResult isReduced(Claims &p, ReduceScatterOp reduce) {
  if (reduce.getInto())
    return isSum(p, reduce);
  Operation *def = reduce.getSource().getDefiningOp();
  Value source = def && has(def, Fact::ForCollective) ? def->getOperand(0)
                                                      : reduce.getSource();
  return p.given.virtualShards
             ? success()
             : hasElement(p, reduce, reduce.getType(),
                          getElementType(source.getType()), "a result");
}

static LogicalResult isGradientState(Claims &p, State state) {
  const bool isSum =
      !p.isPending || p.microSteps > 1 || p.given.virtualShards > 0;
  return !state.isGradient()
             ? success()
             : hasElement(p, state.program, state.type,
                          isSum ? p.options.getSumElement()
                                : p.options.getGradientElement(),
                          isSum ? "sums of gradients" : "gradients");
}

/// Members of two or more dimensions decay.
static LogicalResult decays(Claims &p, BucketOp bucket) {
  const bool isAny = p.given.weightDecay != 0 && !bucket.getFrozen();
  for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
    if (failed(p.expect(bucket,
                        member.getDecay() ==
                            (isAny && member.getParameterShape().size() >= 2),
                        "a member \"" + member.getName().getValue() +
                            (member.getDecay() ? "\" that decays"
                                               : "\" that does not decay"))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct Row {
  StringRef option;
  std::vector<Check> checks;
};
} // namespace

static ArrayRef<Row> getRows() {
  // `p` is the plan, p.given its options, p.word that of the row.
  static const Row rows[] = {
      // What runs
      {"world-size", {[](Claims &p) { return isNumber(p, "ranks", p.ranks); }}},
      {"accumulate",
       {[](Claims &p) { return isNumber(p, "micro-steps", p.microSteps); }}},
      {"accumulate-order", {[](Claims &p) {
         return isLayered(p.plan)
                    ? isWord(p, "block", "all micro-steps in one program")
                    : isWord(p, "batch", "a micro-step in a program");
       }}},
      {"eval", {[](Claims &p) { return isThere(p, "eval", p.given.eval); }}},
      {"sample", {hasSamplePrograms}},
      {"overlap-update", {[](Claims &p) {
         return isThere(p, "first", p.isPending,
                        p.given.delayedUpdate ? "delayed-update" : "");
       }}},
      // As --overlap-update.  (V13) checks which parameters the model reads.
      {"delayed-update", {}},
      {"reference", {[](Claims &p) {
         const bool isOne = p.plan->hasAttr(kReferenceAttr);
         return p.expect(p.plan, isOne == p.given.reference,
                         kReferenceAttr + Twine(isOne ? "" : " not") +
                             " among its attributes");
       }}},
      {"loss-chunk", {[](Claims &p) {
         auto chunk = p.model
                          ? p.model->getAttrOfType<IntegerAttr>(kLossChunkAttr)
                          : IntegerAttr();
         const int64_t bytes = chunk ? chunk.getInt() : kLossChunk;
         return p.expect(p.plan, !p.model || bytes == p.given.lossChunk,
                         "a loss in chunks of " + Twine(bytes) + " bytes");
       }}},
      // Recomputation, in ModelClaims.cpp: whether any term is computed again.
      {"remat", {}},
      {"remat-ratio", {}},

      // Ranks
      {"virtual-shards",
       {[](Claims &p) {
          const int64_t shards = p.given.virtualShards;
          return p.expect(p.plan,
                          shards == 0 || (shards == p.ranks * p.microSteps &&
                                          llvm::isPowerOf2_64(shards)),
                          Twine(p.ranks) + " ranks of " + Twine(p.microSteps) +
                              " micro-steps");
        },
        at<ReduceScatterOp>(reducesInTree), at<AllReduceOp>(addsInTree),
        at<SumSquaresOp>([](Claims &p, SumSquaresOp squares) {
          const int64_t found = squares.getSegments(),
                        shards = p.given.virtualShards,
                        expected = shards ? shards / p.ranks : 1;
          return p.expect(squares, found == expected,
                          "squares of " + Twine(found) +
                              " segments of a slice, not " + Twine(expected));
        })}},
      {"ranks-per-host", {hasGroups}},
      {"shard-size", {hasGroups}},
      // (V15) compares the model's split.
      {"context", {[](Claims &p) {
         return isNumber(p, "ranks for a sequence", getContextSize(p.plan));
       }}},
      // How often a plan gathers over groups changes no value, and its
      // certificate counts it.
      {"secondary-shard", {hasGroups}},
      {"stage",
       {[](Claims &p) {
          auto stage = p.plan->getAttrOfType<IntegerAttr>(kStageAttr);
          return isNumber(p, "stage", stage ? stage.getInt() : 0);
        },
        at<State>(isPortion), at<ReduceScatterOp>(givesPortion),
        reducesAsOften}},
      {"persist-below", {}}, // as --stage
      {"wire-params",
       {at<QuantizeOp>(isQuantizedOnce), at<DequantizeOp>(isQuantizedOnce),
        at<AllGatherOp>(isQuantizedOnce), at<AllGatherOp>(gathersForm)}},
      {"wire-gradients", {at<ReduceScatterOp>(reducesForm)}},
      // Layout only: they size and order collectives.  The order itself is
      // judged, and the certificate counts calls, and gathered bytes.
      {"bucket-size", {}},
      {"reuse-distance", {}},
      {"prefetch", {}},
      {"max-live", {}},

      // Types
      {"precision", {at<State>([](Claims &p, State state) {
         auto bucket = p.plan.lookupSymbol<BucketOp>(state.attr.getBucket());
         return !state.isParameter() || bucket.getPacking()
                    ? success()
                    : hasElement(p, state.program, state.type,
                                 p.options.getParameterElement(), "parameters");
       })}},
      {"grad-dtype",
       {at<State>(isGradientState), at<FlattenOp>(isGradient),
        at<ZerosOp>(isSum), at<AccumulateOp>(isSum),
        at<ReduceScatterOp>(isReduced)}},
      {"state-dtype", {at<State>([](Claims &p, State state) {
         return state.isParameter() || state.isGradient() || state.isMaster()
                    ? success()
                    : hasElement(p, state.program, state.type,
                                 p.options.getStateElement(),
                                 ("a slot " + state.slot()).str());
       })}},
      {"master",
       {at<State>([](Claims &p, State state) {
          return p.expect(state.program,
                          p.options.hasMasters() || !state.isMaster(),
                          "master parameters");
        }),
        // A master of f32 parameters takes their place in the update.
        at<UpdateOp>([](Claims &p, UpdateOp update) {
          const bool rounds = p.options.hasMasters() &&
                              p.given.precision != Precision::FP32,
                     isOne = update.getMaster() != nullptr;
          return p.expect(update, isOne == rounds,
                          isOne ? "a master" : "no master");
        })}},

      // Tiers
      {"offload-params", {hasParameterTiers}},
      {"offload-gradients", {at<State>(isOnGradientTier)}},
      {"offload-optimizer", {at<State>(isOnOptimizerTier)}},
      {"offload-ratio", {}}, // as --offload-optimizer
      {"offload-activations", {hasActivationTier}},

      // The update
      {"weight-decay",
       {at<BucketOp>(decays), at<UpdateOp>([](Claims &p, UpdateOp update) {
          const double decay = update.getDecay().convertToDouble();
          return p.expect(update, decay == p.given.weightDecay,
                          llvm::formatv("decay {0}", decay).str());
        })}},
      {"grad-clip", {at<ClipOp>([](Claims &p, ClipOp clip) {
         std::optional<APFloat> most = clip.getMaxNorm();
         return p.expect(
             clip, (most ? most->convertToDouble() : 0) == p.given.gradClip,
             most ? "another max_norm" : "no max_norm");
       })}},
      {"skip-nonfinite", {at<ClipOp>([](Claims &p, ClipOp clip) {
         return p.expect(clip, clip.maySkip() == p.given.skipNonfinite,
                         clip.maySkip() ? "limits" : "no limits");
       })}},
      {"optimizer", {hasUpdateRule}}, // beside the names of the list
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

Claims::Claims(ModuleOp plan, ModuleOp model, OptionsAttr options,
               const BucketLayouts &layouts)
    : plan(plan), model(model), options(options), given(options.getValues()),
      layouts(layouts), ranks(layouts.getRanks()),
      microSteps(getMicroSteps(plan)),
      isPending(given.overlapUpdate || given.delayedUpdate) {
  const auto add = [&](Operation &op) {
    operations[op.getName().getTypeID()].push_back(&op);
  };
  llvm::for_each(*plan.getBody(), add);
  for (auto program : plan.getOps<ProgramOp>()) {
    if (program.isExternal())
      continue;
    for (auto &[argument, state, next] : findNextStates(program))
      states.push_back({program, state, argument.getType()});
    llvm::for_each(program.front(), add);
  }
}

static OptionsAttr::Word findWord(OptionsAttr options, StringRef option) {
  for (const OptionsAttr::Word &word : options.getWords())
    if (word.option.drop_front(2) == option)
      return word;
  return {};
}

LogicalResult Claims::judge() {
  std::string unknown;
  visitOptions(given, [&](StringRef name, auto, auto) {
    if (llvm::none_of(getRows(), [&](auto &row) { return row.option == name; }))
      unknown = name;
  });
  if (!unknown.empty()) // (S7)
    return plan.emitError("has the option --")
           << unknown << ", of which the judge knows nothing (S7)";
  for (const Row &row : getRows()) {
    option = row.option;
    word = findWord(options, option).value;
    for (const Check &check : row.checks)
      if (failed(check(*this)))
        return failure();
  }
  return success();
}

LogicalResult Claims::expect(Operation *op, bool holds, const Twine &has,
                             StringRef other) const {
  return holds ? success()
               : LogicalResult(contradicts(op, has, options,
                                           other.empty() ? option : other));
}

InFlightDiagnostic judge::contradicts(Operation *op, const Twine &has,
                                      OptionsAttr options, StringRef option) {
  const OptionsAttr::Word word = findWord(options, option);
  const bool isOff = word.isImplied && word.value.empty();
  InFlightDiagnostic diagnostic = op->emitOpError("has ");
  diagnostic << has << ", and the plan says that it was made "
             << (isOff ? "without " : "with ") << word.option
             << (word.value.empty() ? "" : "=") << word.value << " (S7)";
  return diagnostic;
}

LogicalResult judge::judgeOptions(ModuleOp plan, ModuleOp model,
                                  const BucketLayouts &layouts) {
  Attribute given = plan->getAttr(kOptionsAttr);
  // A hand-written plan may have no options.
  if (!given && !plan->hasAttr(kLevelAttr))
    return success();
  auto options = dyn_cast_or_null<OptionsAttr>(given);
  if (!options) // (S7)
    return plan.emitError("does not say in ")
           << kOptionsAttr << " which options it was made with (S7)";
  return Claims(plan, model, options, layouts).judge();
}
