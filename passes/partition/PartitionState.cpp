//===- PartitionState.cpp - Turns parameters into state -------------------===//
//
// 1. The parameters are laid out in buckets (BucketLayout.h).
// 2. @step, which returns loss and gradients until here, becomes the programs
//    of a training step (ProgramBuilder.h), each emitted once per bucket.
//
//===----------------------------------------------------------------------===//

#include "passes/model/ModelFunction.h"
#include "passes/partition/LayerMicroSteps.h"
#include "passes/partition/Optimizers.h"
#include "passes/partition/Passes.h"
#include "passes/partition/ProgramBuilder.h"

#include "dialect/nn/Precision.h"
#include "dialect/zero/Locations.h"
#include "dialect/zero/PlanOptions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/model/InitialValues.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "zero-partition-state"

namespace mlir::zero {
#define GEN_PASS_DEF_PARTITIONSTATE
#include "passes/partition/Passes.h.inc"
} // namespace mlir::zero

using namespace mlir;
using namespace mlir::zero;

/// @count: exchanges the values that the loss is averaged over.
static void buildCount(func::FuncOp function, const Partition &partition) {
  ProgramBuilder program(function, partition);
  program.outputAverages();
  program.placeParameters(); // for counts that depend on them
  program.finish();
}

/// @micro: forward, backward, gradients added to the sums.  @step, the last:
/// the same, and the update.
static void buildStep(func::FuncOp function, const Partition &partition,
                      bool isLast) {
  ProgramBuilder program(function, partition);
  program.placeParameters();
  program.replaceAverages();
  program.emitGradients(isLast);
  program.emitLoss();
  if (isLast)
    program.emitUpdates();
  program.finish();
}

/// @eval: the loss of other batches, and the values that it is averaged over.
static void buildEval(func::FuncOp function, const Partition &partition) {
  ProgramBuilder program(function, partition);
  program.dropBackward();
  program.placeParameters();
  program.averageOverRanks();
  program.emitLoss();
  program.finish();
}

/// @prefill, @decode: a row of logits for each slot, and the next caches.
/// @score: values of samples.
static void buildForward(func::FuncOp function, const Partition &partition) {
  ProgramBuilder program(function, partition);
  program.placeParameters();
  program.emitResult();
  program.finish();
}

/// The functions beside @step that a plan with this option needs.
static ArrayRef<StringLiteral> functionsOf(Sample sample) {
  switch (sample) {
  case Sample::Off:
    return {};
  case Sample::On:
  case Sample::Only:
    return kDecodings;
  case Sample::Score:
    break;
  }
  return ArrayRef(kScore);
}

/// Drops inputs that nothing reads: no other program takes them.
static void dropUnread(func::FuncOp function) {
  BitVector unread(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty() &&
        function.getArgAttr(argument.getArgNumber(), kInputAttr))
      unread.set(argument.getArgNumber());
  (void)function.eraseArguments(unread);
}

/// Gives `function` the arguments of `step`, in their order, before its caches.
/// If `step` has all micro-steps, `function` reads the inputs of the first.
static void takeArguments(func::FuncOp function, func::FuncOp step) {
  auto keyOf = [](func::FuncOp function, unsigned i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, kParamAttr);
    return name ? std::pair('p', name)
                : std::pair('i', function.getArgAttrOfType<StringAttr>(
                                     i, kInputAttr));
  };
  Block &block = function.front();
  unsigned old = block.getNumArguments();
  SmallVector<Attribute> attrs(step.getArgAttrsAttr().getValue());
  DenseMap<std::pair<char, StringAttr>, BlockArgument> known;
  for (BlockArgument argument : step.getArguments()) {
    BlockArgument fresh =
        block.addArgument(argument.getType(), argument.getLoc());
    known.try_emplace(keyOf(step, argument.getArgNumber()), fresh);
  }
  for (unsigned i = 0; i < old; ++i) {
    BlockArgument argument = block.getArgument(i);
    if (!function.getArgAttr(i, kCacheAttr)) {
      argument.replaceAllUsesWith(known.lookup(keyOf(function, i)));
      continue;
    }
    argument.replaceAllUsesWith(
        block.addArgument(argument.getType(), argument.getLoc()));
    attrs.push_back(function.getArgAttrDict(i));
  }
  block.eraseArguments(0, old);
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             block.getArgumentTypes(),
                                             function.getResultTypes()));
  function.setAllArgAttrs(ArrayAttr::get(function.getContext(), attrs));
}

/// The elements that ranks exchange; null: those that they have.
static Type getWireElement(MLIRContext *context, Wire form) {
  if (form == Wire::Full)
    return {};
  if (form == Wire::BF16)
    return BFloat16Type::get(context);
  return QuantizedBlockType::get(context, form == Wire::Int8 ? 8 : 4);
}

namespace {

struct PartitionStatePass : zero::impl::PartitionStateBase<PartitionStatePass> {
  using PartitionStateBase::PartitionStateBase;
  /// Options are copied by the pass manager.
  PartitionStatePass(const PartitionStatePass &other)
      : PartitionStateBase(other) {}
  PartitionStatePass(const PlanOptions &given, PartitionStateOptions options)
      : PartitionStateBase(std::move(options)) {
#define ZERO_FIELD(TYPE, FIELD, GETTER, USAGE, EFFECT)
#define ZERO_CHOICE(TYPE, FIELD, ...) this->FIELD = given.FIELD;
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)               \
  if (given.FIELD != TYPE(DEFAULT))                                            \
    this->FIELD.setValue(optionText(given.FIELD));
#include "abi/PlanOptions.def"
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp step = findStep(module);
    if (!step || failed(readOptions(step)))
      return signalPassFailure();
    Partition partition{plan.stage, plan.accumulate, plan.weightDecay,
                        plan.gradClip};
    partition.virtualShards = plan.virtualShards;
    partition.isLayered = plan.accumulateOrder == AccumulateOrder::Block;
    partition.isForward =
        plan.sample == Sample::Only || plan.sample == Sample::Score;
    SmallVector<LayoutParameter> parameters;
    if (failed(readParameters(step, parameters, partition.arguments)) ||
        failed(checkGradients(step)) ||
        failed(layOutState(step, parameters, partition)))
      return signalPassFailure();
    Builder attrs(&getContext());
    module->setAttr(kStageAttr, attrs.getI64IntegerAttr(plan.stage));
    module->setAttr(kMicroStepsAttr, attrs.getI64IntegerAttr(plan.accumulate));
    if (partition.isLayered)
      layer(step, partition);
    for (auto op : step.front().getOps<AverageOp>())
      if (auto micro = op->getAttrOfType<IntegerAttr>(kMicroAttr);
          !micro || micro.getInt() == 0)
        partition.averages.push_back({op.getType(), op.getLoc()});
    SmallVector<StringRef> forwards(functionsOf(plan.sample));
    if (plan.eval && module.lookupSymbol<func::FuncOp>(kScore))
      forwards.push_back(kScore);
    for (StringRef name : forwards) {
      auto function = module.lookupSymbol<func::FuncOp>(name);
      takeArguments(function, step);
      if (plan.sample == Sample::Score)
        dropUnread(function);
      buildForward(function, partition);
    }
    if (partition.isForward) {
      step.erase();
      return eraseUnusedKernels(module);
    }
    if (plan.accumulate > 1 &&
        !step.getBody().front().getOps<AverageOp>().empty())
      buildCount(cloneAs(step, "count"), partition);
    if (partition.hasSums())
      buildStep(cloneAs(step, "micro"), partition, /*isLast=*/false);
    if (plan.eval)
      buildEval(cloneAs(step, "eval"), partition);
    buildStep(step, partition, /*isLast=*/true);
  }

private:
  /// Numbers are options as text, of which a pipeline is made and printed: MLIR
  /// would print 7 digits of them.
  // A declaration.  NOLINTBEGIN(bugprone-macro-parentheses)
#define ZERO_FIELD(TYPE, FIELD, GETTER, USAGE, EFFECT)
#define ZERO_CHOICE(TYPE, FIELD, GETTER, USAGE, ...)                           \
  Option<TYPE> FIELD{*this, getOptionName(USAGE),                              \
                     llvm::cl::desc("that of zeroc"), llvm::cl::init(TYPE()),  \
                     WordsOf<TYPE>()};
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)               \
  Option<std::string> FIELD{*this, getOptionName(USAGE),                       \
                            llvm::cl::desc("that of zeroc")};
#include "abi/PlanOptions.def"
  // NOLINTEND(bugprone-macro-parentheses)
  PlanOptions plan;

  LogicalResult readOptions(func::FuncOp step) {
    auto error = [&] { return step->getParentOp()->emitError(); };
    auto read = [&](StringRef name, StringRef text, auto &field) {
      return text.empty() || readOption(text, field)
                 ? success()
                 : error() << name << "=" << text << " is no value of it";
    };
    plan = PlanOptions();
#define ZERO_FIELD(TYPE, FIELD, GETTER, USAGE, EFFECT)
#define ZERO_CHOICE(TYPE, FIELD, ...) plan.FIELD = this->FIELD;
#define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)               \
  if (failed(read(getOptionName(USAGE), this->FIELD.getValue(), plan.FIELD)))  \
    return failure();
#include "abi/PlanOptions.def"
    plan.sample = sample;
    if (!llvm::is_contained({"adamw", "lion", "sgd"}, optimizer.getValue()))
      return error() << "unknown optimizer " << optimizer.getValue()
                     << "; use adamw, lion or sgd";
    if (!llvm::is_contained({"auto", "on", "off"}, skipNonfinite.getValue()))
      return error() << "skip-nonfinite=" << skipNonfinite.getValue()
                     << "; use auto, on or off";
    if (std::optional<Conflict> wrong = findOutOfRange(plan))
      return error() << wrong->text;
    for (StringRef name : functionsOf(plan.sample))
      if (!step->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(name))
        return error() << "sample=" << stringify(sample)
                       << " needs a function @" << name << "; run zero-add-"
                       << (name == kScore ? "scoring" : "decoding")
                       << " before zero-differentiate-loss";
    return success();
  }

  LogicalResult readParameters(func::FuncOp step,
                               SmallVectorImpl<LayoutParameter> &parameters,
                               SmallVectorImpl<unsigned> &arguments) {
    if (failed(setInitialValues(step))) // for hand-written steps
      return failure();
    for (BlockArgument arg : step.getArguments()) {
      unsigned i = arg.getArgNumber();
      auto name = step.getArgAttrOfType<StringAttr>(i, kParamAttr);
      if (!name)
        continue;
      auto type = cast<RankedTensorType>(arg.getType());
      Type element = type.getElementType();
      if (!element.isF32() && !element.isBF16() && !element.isF16())
        return emitError(arg.getLoc(), "parameter ")
               << name << " is " << type
               << "; training binaries hold parameters of f32, bf16 and f16";
      bool frozen = step.getArgAttr(i, kFrozenAttr) != nullptr;
      auto packing = step.getArgAttrOfType<PackingAttr>(i, kPackingAttr);
      if (!parameters.empty() &&
          element != parameters.front().type.getElementType())
        return emitError(arg.getLoc(), "parameter ")
               << name << " is " << type << ", and " << parameters.front().name
               << " is " << parameters.front().type
               << "; the parameters of a model have one element type";
      parameters.push_back(
          {name, type, step.getArgAttr(i, kInitAttr),
           step.getArgAttrOfType<StringAttr>(i, kBlockAttr),
           type.getRank() >= 2 && plan.weightDecay != 0 && !frozen, frozen,
           packing ? std::optional(packing.getValue()) : std::nullopt});
      arguments.push_back(i);
    }
    bool hasInputs = false;
    for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
      hasInputs |= step.getArgAttr(i, kInputAttr) != nullptr;
    if (plan.accumulateOrder == AccumulateOrder::Block && !hasInputs)
      return step.emitError("has no inputs, so all micro-steps are the same; "
                            "drop accumulate-order");
    if (parameters.empty())
      return step.emitError(
          "has no parameters; mark arguments with zero.param");
    return success();
  }

  /// Sets the element types of state, gradients and their sums, and whether
  /// there are masters.
  LogicalResult setElements(func::FuncOp step,
                            ArrayRef<LayoutParameter> parameters,
                            Partition &partition) {
    auto error = [&] { return step->getParentOp()->emitError(); };
    partition.element = parameters.front().type.getElementType();
    readOption(stringifyPrecision(partition.element), plan.precision);
    if (std::optional<Conflict> wrong = findConflict(plan, /*isKnown=*/true))
      return error() << wrong->text;
    bool isHalf = nn::isHalf(partition.element);
    // Gradients follow the loss in the order of parameters that are trained.
    auto returned =
        cast<func::ReturnOp>(step.getBody().front().getTerminator());
    auto trained = llvm::make_filter_range(
        parameters, [](const LayoutParameter &each) { return !each.frozen; });
    for (auto [parameter, gradient] :
         llvm::zip(trained, returned.getOperands().drop_front())) {
      Type element = getElementTypeOrSelf(gradient.getType());
      if (partition.gradElement && partition.gradElement != element)
        return emitError(gradient.getLoc(), "the gradient of ")
               << parameter.name << " is " << gradient.getType()
               << ", and others are of " << partition.gradElement
               << "; gradients have one element type";
      partition.gradElement = element;
    }
    StringRef dtype = plan.virtualShards ? "" : stringify(plan.gradDtype);
    partition.sumElement = dtype.empty() ? Type(Float32Type::get(&getContext()))
                                         : partition.gradElement;
    if (!dtype.empty() &&
        parseElementType(&getContext(), dtype) != partition.gradElement)
      return error() << "grad-dtype=" << dtype
                     << ", and the gradients of @step are "
                     << partition.gradElement
                     << "; give zero-differentiate-loss the same";
    partition.slotElement =
        parseElementType(&getContext(), stringify(plan.stateDtype));
    bool hasNone = plan.master == Masters::None;
    if (hasNone && masters)
      return error() << "master=none and masters; use one of them";
    partition.masters = masters || (isHalf && !hasNone);
    return success();
  }

  /// Creates the axis, the optimizer and the buckets, before `step`.
  LogicalResult layOutState(func::FuncOp step,
                            ArrayRef<LayoutParameter> parameters,
                            Partition &partition) {
    OpBuilder b(step);
    Location loc = step.getLoc();
    if (failed(setElements(step, parameters, partition)))
      return failure();
    auto shared = getOperation()->getAttrOfType<IntegerAttr>(kContextAttr);
    if (int64_t ranks = shared ? shared.getInt() : 1; ranks != plan.context)
      return step->getParentOp()->emitError("is a step of ")
             << ranks << " ranks for a sequence, got context=" << plan.context
             << "; give zero-split-context the same";
    partition.skipNonfinite = skipNonfinite == "auto"
                                  ? nn::isHalf(partition.element)
                                  : skipNonfinite == "on";
    for (unsigned i = 0, e = step.getNumArguments(); i != e; ++i)
      if (auto name = step.getArgAttrOfType<StringAttr>(i, kScalarAttr))
        partition.scalesLoss |= name == kLossScale;
    const int64_t group = getGroupSize(plan);
    partition.axis = AxisOp::create(
        b, loc, "dp", plan.worldSize,
        group ? b.getI64IntegerAttr(group) : IntegerAttr(),
        plan.context > 1 ? b.getI64IntegerAttr(plan.context) : IntegerAttr());
    partition.hasPartsAtRest = plan.shardSize > 0;
    partition.paramWire = getWireElement(&getContext(), plan.wireParams);
    partition.gradWire = getWireElement(&getContext(), plan.wireGradients);
    if (auto own = getOperation().getOps<OptimizerOp>(); !own.empty()) {
      partition.rule = *own.begin();
      partition.rule->moveBefore(step);
      if (partition.clips())
        addClip(partition.rule);
    } else {
      Location named = NameLoc::get(b.getStringAttr(optimizer));
      partition.rule =
          optimizer == "adamw"
              ? buildAdamW(b, named, {beta1, beta2, eps}, partition.clips())
          : optimizer == "lion"
              ? buildLion(b, named, beta1, beta2, partition.clips())
              : buildSgd(b, named, momentum, partition.clips());
    }
    inheritLocation(partition.rule);
    FailureOr<BucketLayout> layout = layOutBuckets(
        parameters,
        {partition.axis.getSymName(), plan.worldSize, plan.stage,
         std::max(plan.worldSize, plan.virtualShards), plan.bucketSize,
         plan.persistBelow, fetched && plan.worldSize == 1,
         isa_and_present<QuantizedBlockType>(partition.paramWire) ||
             isa_and_present<QuantizedBlockType>(partition.gradWire)},
        [&] { return step->getParentOp()->emitError(); });
    if (failed(layout))
      return failure();
    partition.layout = std::move(*layout);
    if (partition.paramWire &&
        llvm::all_of(partition.layout.buckets, [](const LayoutBucket &bucket) {
          return bucket.whole || bucket.packing;
        }))
      return step->getParentOp()->emitError("wire-params=")
             << stringify(plan.wireParams)
             << " finds no parameter that ranks gather; it needs a "
                "persist-below, now "
             << plan.persistBelow << ", that does not keep all of them whole";
    for (const LayoutBucket &bucket : partition.layout.buckets) {
      SmallVector<Attribute> members;
      for (const LayoutMember &member : bucket.members)
        members.push_back(member.attr);
      LDBG() << "bucket " << bucket.name << ": " << members.size()
             << " members, " << bucket.elements << " elements"
             << (bucket.whole ? ", whole on all ranks" : "");
      unsigned first = partition.arguments[bucket.members.front().parameter];
      partition.buckets.push_back(BucketOp::create(
          b, step.getArgument(first).getLoc(), bucket.name, bucket.axis,
          bucket.elements, bucket.frozen,
          bucket.packing ? PackingAttr::get(b.getContext(), *bucket.packing)
                         : PackingAttr(),
          b.getArrayAttr(members)));
    }
    return success();
  }

  /// Turns `step` into a step of all micro-steps.  If buckets are gathered or
  /// fetched, it is cut only between those, otherwise between all.
  void layer(func::FuncOp step, const Partition &partition) {
    auto isBrought = [&](const LayoutBucket &bucket) {
      return !bucket.whole || (fetched && plan.worldSize == 1);
    };
    bool any = llvm::any_of(partition.layout.buckets, isBrought);
    llvm::DenseMap<unsigned, SmallVector<unsigned>> buckets;
    for (auto [argument, places] :
         llvm::zip_equal(partition.arguments, partition.layout.places))
      for (const LayoutPlace &place : places)
        if (!any || isBrought(partition.layout.buckets[place.bucket]))
          buckets[argument].push_back(place.bucket);
    layerMicroSteps(step, plan.accumulate, [&](unsigned argument) {
      return buckets.lookup(argument);
    });
  }

  /// Erases the kernels of training, in a plan that does not train.
  static void eraseUnusedKernels(ModuleOp module) {
    llvm::DenseSet<StringAttr> used;
    for (auto program : module.getOps<ProgramOp>())
      for (auto launch : program.front().getOps<LaunchOp>())
        used.insert(launch.getKernelAttr().getAttr());
    for (auto kernel : llvm::make_early_inc_range(module.getOps<KernelOp>()))
      if (!used.contains(kernel.getSymNameAttr()))
        kernel.erase();
  }

  /// Clones `step`, before it, as `name`.
  func::FuncOp cloneAs(func::FuncOp step, StringRef name) {
    auto copy = cast<func::FuncOp>(OpBuilder(step).clone(*step));
    copy.setName(name);
    return copy;
  }
};

} // namespace

std::unique_ptr<Pass>
zero::createPartitionState(const PlanOptions &plan,
                           PartitionStateOptions options) {
  return std::make_unique<PartitionStatePass>(plan, std::move(options));
}
