//===- Pipeline.cpp - The pipeline from a model to a plan -----------------===//
//
// Lists the passes of each level.  Each level after the model ends in a pass
// that checks what it promises: zero-verify-level, and for level memory the
// judge.  MLIR's verifier runs once, before the judge: after each pass it would
// take as long as the passes.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipeline.h"

#include "dialect/nn/NN.h"
#include "dialect/tm_tensor/TMTensor.h"
#include "dialect/zero/Origin.h"
#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Sizes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/UpstreamDialects.h"
#include "passes/certify/Passes.h"
#include "passes/kernels/Passes.h"
#include "passes/model/Derivatives.h"
#include "passes/model/Passes.h"
#include "passes/plan/Passes.h"
#include "passes/verify/Passes.h"

using namespace mlir;
using namespace mlir::zero;

namespace {
constexpr StringRef kNames[] = {"model",       "step",      "kernels",
                                "partitioned", "scheduled", "memory"};
} // namespace

std::optional<Level> zero::parseLevel(StringRef name) {
  for (auto [i, known] : llvm::enumerate(kNames))
    if (known == name)
      return static_cast<Level>(i);
  return std::nullopt;
}

StringRef zero::stringifyLevel(Level level) {
  return kNames[static_cast<int>(level)];
}

std::optional<Level> zero::getLevel(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(kLevelAttr);
  return name ? parseLevel(name) : Level::Model;
}

static SmallVector<StringRef> getGiven(ModuleOp module) {
  auto given = module->getAttrOfType<ArrayAttr>(kGivenAttr);
  return given ? llvm::to_vector(given.getAsValueRange<StringAttr>())
               : SmallVector<StringRef>();
}

std::string zero::getPlanOptions(ModuleOp module) {
  auto options = module->getAttrOfType<OptionsAttr>(kOptionsAttr);
  if (!options)
    return "";
  std::string text = options.getText();
  SmallVector<OptionsAttr::Word> words = options.getWords();
  for (StringRef given : getGiven(module)) {
    auto [name, value] = given.split('=');
    auto same = llvm::find_if(words, [&](const OptionsAttr::Word &word) {
      return word.option == name;
    });
    if (same == words.end()) {
      text +=
          (" " + name).str() + (value.empty() ? "" : "=") + quoteWord(value);
    } else if (StringRef(same->value).starts_with("@") &&
               value != same->value) {
      // Of a rule of its own: the file, and the rule that it had.
      const std::string file = (value.split('#').first + "#" +
                                StringRef(same->value).split('#').second)
                                   .str();
      text.replace(text.find(same->value), same->value.size(), quoteWord(file));
    }
  }
  return text;
}

void zero::addGiven(ModuleOp module, ArrayRef<std::string> words) {
  SmallVector<StringRef> all = getGiven(module);
  llvm::append_range(all, words);
  if (!all.empty())
    module->setAttr(kGivenAttr, Builder(module).getStrArrayAttr(all));
}

bool zero::isReference(ModuleOp module) {
  return module->hasAttr(kReferenceAttr);
}

void zero::registerPipelineDialects(DialectRegistry &registry) {
  registerUpstreamDialects(registry);
  // tm_tensor is a dialect of torch-mlir; some models contain its operations.
  registry.insert<nn::NNDialect, ZeroDialect, tm_tensor::TMTensorDialect>();
  registerDerivatives(registry);
}

void zero::registerPipelinePasses() {
  registerUpstreamPasses();
  registerZeroModelPasses();
  registerZeroKernelPasses();
  registerZeroPartitionPasses();
  registerZeroPlanPasses();
  registerZeroCertifyPasses();
  registerZeroVerifyPasses();
  registerZeroPipelinePasses();
}

/// Updates of the host work on masters where parameters are the device's.
static std::unique_ptr<Pass> partitionState(const PipelineOptions &options) {
  bool isFetched = options.offloadParams != Offload::None;
  PartitionStateOptions others;
  others.sample = options.sample;
  others.optimizer = options.optimizer;
  others.beta1 = options.beta1;
  others.beta2 = options.beta2;
  others.eps = options.eps;
  others.momentum = options.momentum;
  others.skipNonfinite = options.skips;
  others.fetched = isFetched;
  others.masters = options.offloadOptimizer != Offload::None && !isFetched;
  return createPartitionState(options, others);
}

static Rotation getRotation(const PipelineOptions &options) {
  return options.delayedUpdate   ? Rotation::Delayed
         : options.overlapUpdate ? Rotation::Overlap
                                 : Rotation::None;
}

/// Appends the passes that lead from the previous level to `level`.
static void addPasses(OpPassManager &pm, Level level,
                      const PipelineOptions &options) {
  switch (level) {
  case Level::Model:
    return;
  case Level::Step:
    // Rewrites models of other front ends in the smaller language of later
    // passes.
    pm.addPass(createNormalizeModel());
    // Runs while the uses of inputs, which bound them, are as the user wrote
    // them.
    pm.addPass(createBoundInputs());
    // Before gathers are lowered: an element that is extracted in a body can
    // become an operand, a captured one cannot.
    pm.addPass(createSinkScalars());
    pm.addPass(createLowerGathers());
    // Runs while it is visible which parameters are weights of norms.
    pm.addPass(createSetInitialValues());
    if (options.loraRank > 0)
      pm.addPass(createAddAdapters({options.loraRank, options.loraAlpha,
                                    options.rankStabilized, options.loraDropout,
                                    options.loraTargets, options.modulesToSave,
                                    options.baseStorage, options.dora}));
    // Runs while errors can still name the model's own lines.
    pm.addPass(createVerifyPositions());
    // Every cast is part of the model from here on, and has a derivative.
    pm.addPass(createSetPrecision({options.precision}));
    pm.addPass(
        createAddScoring({options.sample == Sample::Score, options.eval}));
    // While logits are those of a loss, as they are rounded.
    if (options.sample == Sample::On || options.sample == Sample::Only)
      pm.addPass(createAddDecoding());
    // Only the loss that is trained, and before it is differentiated: the
    // exchanges of the backward are adjoints.
    if (options.context > 1)
      pm.addPass(createSplitContext({options.context}));
    // Reverse mode works on whole tensors, before anything is lowered: there
    // is no memory yet that could alias.
    pm.addPass(createDifferentiateLoss(
        {options.precision == Precision::FP16, options.gradDtype}));
    break;
  case Level::Kernels: {
    FormKernelsOptions kernels;
    kernels.whole = options.reference;
    kernels.room = options.givesRoom;
    if (!options.reference) {
      // Products first: all other operations are elementwise or reductions, and
      // fusing those cannot absorb a contraction.
      pm.addPass(createLowerMatmuls());
      // Runs while a loss is one operation, and its products are operations,
      // too.
      pm.addPass(createChunkLoss({options.lossChunk}));
      // Losses are whole or in chunks now; later operations of a loss have no
      // rule for the gradient.
      pm.addPass(createFuseLoss());
      // Chunked losses have their own products now; all other products are
      // final.
      pm.addPass(createAddIntoMatmuls());
      // While the backward of attention is beside its forward, and what only
      // kernels need is no kernel.
      if (options.libraryAttention)
        pm.addPass(createCallAttention({options.libraryAttention}));
      pm.addPass(createLowerToGenerics());
    }
    // Before partitioning, because this fixes the arithmetic: every plan of a
    // model computes the same bits.
    pm.addPass(createFormKernels(kernels));
    // When all operations that could need dense rows are products or kernels.
    if (options.padsRows)
      pm.addPass(createPadRows());
    break;
  }
  case Level::Partitioned:
    // Runs while @step is only the model: the judge compares the plan with this
    // copy.
    pm.addPass(createKeepModel());
    // While forward and backward are one function of whole tensors.
    if (options.remat != Remat::None)
      pm.addPass(
          createRematerializeBlocks({options.remat, options.rematRatio}));
    if (options.offloadActivations != Offload::None)
      pm.addPass(createStashActivations({options.offloadActivations}));
    pm.addPass(partitionState(options));
    // While an update is one operation, and a bucket is gathered once.
    pm.addPass(
        createPlaceTiers({options.offloadParams, options.offloadOptimizer,
                          options.offloadRatio, options.offloadGradients}));
    // Until here a program gathers each bucket once, for all of its uses.
    pm.addPass(createRegatherParameters(
        {options.reuseDistance, options.secondaryShard > 0}));
    break;
  case Level::Scheduled:
    pm.addPass(createAssignStreams());
    pm.addPass(createMoveTransfers({options.deviceMemory, options.hostMemory,
                                    options.prefetch, options.maxLive,
                                    getRotation(options)}));
    // Runs when all operations but the updates have their final places.
    if (options.overlapUpdate || options.delayedUpdate)
      pm.addPass(createRotateUpdates({options.delayedUpdate}));
    break;
  case Level::Memory:
    pm.addPass(createMultiplyPacked());
    // Ranges first: the waits for reused bytes depend on them.
    pm.addPass(createAssignMemory());
    pm.addPass(createInsertEvents());
    return; // judged when MLIR's verifier has passed
  }
  pm.addPass(createVerifyLevel({stringifyLevel(level).str()}));
}

/// The precision of the parameters of `module` that are not packed.
static StringRef getPrecision(ModuleOp module) {
  for (auto program : module.getOps<ProgramOp>())
    for (BlockArgument argument : program.getArguments())
      if (auto state = program.getState(argument.getArgNumber());
          state && state.getSlot() == "param" &&
          !module.lookupSymbol<BucketOp>(state.getBucket()).getPacking())
        return stringifyPrecision(getElementType(argument.getType()));
  return "fp32";
}

/// The options of a plan of `module`, whose state is laid out; null, with an
/// error, if they conflict.
static OptionsAttr getOptionsAttr(ModuleOp module,
                                  const PipelineOptions &options) {
  MLIRContext *context = module.getContext();
  auto number = [](double value) { return APFloat(value); };
  Attribute optimizer =
      !options.rule.empty() ? StringAttr::get(context, options.rule)
      : options.optimizer == "adamw"
          ? Attribute(AdamWAttr::get(context, number(options.beta1),
                                     number(options.beta2),
                                     number(options.eps)))
      : options.optimizer == "lion"
          ? Attribute(LionAttr::get(context, number(options.beta1),
                                    number(options.beta2)))
          : SGDAttr::get(context, number(options.momentum));
  PlanOptions values = options;
  values.skipNonfinite = skipsNonfinite(module);
  readOption(getPrecision(module), values.precision);
  values.reference = isReference(module);
  auto chunk = module->getAttrOfType<IntegerAttr>(kLossChunkAttr);
  values.lossChunk = chunk ? chunk.getInt() : kLossChunk;
  return OptionsAttr::getChecked([&] { return module.emitError(); }, context,
                                 optimizer, values);
}

/// Lowers the limits of `options` until the arenas of `module`, at level
/// partitioned, fit: MoveTransfers counts bytes that are alive at once, and
/// their layout may take more.  If that is in vain, as where more bytes are
/// alive at once, (V8) refuses the plan.
static LogicalResult aimBelowLimits(ModuleOp module, PipelineOptions &options) {
  constexpr int kTries = 6;
  const PipelineOptions given = options;
  for (int i = 0; i != kTries; ++i) {
    OwningOpRef<ModuleOp> draft = module.clone();
    PassManager pm(module->getName());
    pm.enableVerifier(false);
    addPasses(pm, Level::Scheduled, options);
    addPasses(pm, Level::Memory, options);
    if (failed(pm.run(*draft)))
      return failure();
    auto arenas = (*draft)->getAttrOfType<DenseI64ArrayAttr>(kArenaAttr),
         alive = (*draft)->getAttrOfType<DenseI64ArrayAttr>(kLivePeakAttr);
    bool fits = true;
    for (auto [tier, field] :
         {std::pair(Tier::Device, &PipelineOptions::deviceMemory),
          {Tier::Host, &PipelineOptions::hostMemory}}) {
      const int64_t limit = given.*field, excess = arenas[int(tier)] - limit;
      if (limit < 0 || excess <= 0)
        continue;
      if (alive[int(tier)] > limit)
        return success();
      fits = false;
      options.*field = std::max<int64_t>(options.*field - (excess << i), 0);
    }
    if (fits)
      return success();
  }
  return success();
}

/// Raises the limit of gathered parameters to what `module`, at level
/// partitioned, needs at one time.
static LogicalResult raiseLive(ModuleOp module, PipelineOptions &options) {
  OwningOpRef<ModuleOp> draft = module.clone();
  PassManager pm(module->getName());
  pm.enableVerifier(false);
  pm.addPass(createAssignStreams());
  if (failed(pm.run(*draft)))
    return failure();
  FailureOr<int64_t> least = findLeastGathered(*draft, getRotation(options));
  if (failed(least))
    return failure();
  options.maxLive = std::max(options.maxLive, *least);
  return success();
}

LogicalResult zero::runPipeline(ModuleOp module, Level target,
                                const PipelineOptions &given,
                                PassManagerSetup setup) {
  PipelineOptions options = given;
  std::optional<Level> known = getLevel(module);
  if (!known)
    return module.emitError("zero.level is ")
           << module->getAttr(kLevelAttr)
           << ", which is not a level of the pipeline";
  Level current = *known;
  if (current > target)
    return module.emitError("is at level ")
           << stringifyLevel(current) << " already, beyond "
           << stringifyLevel(target);
  if (failed(checkSizes(module)))
    return failure();
  // A printed level may be compiled further with another command line.
  if (isReference(module) && current < Level::Partitioned &&
      target >= Level::Partitioned &&
      (options.worldSize > 1 || options.accumulate > 1))
    return module.emitError("was compiled with --reference, which is one rank "
                            "and one micro-step, got --world-size=")
           << options.worldSize << " --accumulate=" << options.accumulate
           << "; drop them for the comparison";
  Builder attrs(module.getContext());
  auto take = [&](StringRef name, auto &field) -> LogicalResult {
    auto word = module->getAttrOfType<StringAttr>(name);
    return !word || readOption(word, field)
               ? success()
               : module.emitError("has ")
                     << name << " = " << word << ", which is no value of it";
  };
  if (failed(take(kGradDtypeAttr, options.gradDtype)) ||
      failed(take(kSampleAttr, options.sample)))
    return failure();
  if (auto shared = module->getAttrOfType<IntegerAttr>(kContextAttr))
    options.context = shared.getInt();
  if (auto made = module->getAttrOfType<OptionsAttr>(kOptionsAttr)) {
    options.overlapUpdate = made.getOverlapUpdate();
    options.delayedUpdate = made.getDelayedUpdate();
    options.prefetch = made.getPrefetch();
    options.maxLive = made.getMaxLive();
  }
  for (int level = static_cast<int>(current) + 1;
       level <= static_cast<int>(target); ++level) {
    // Keep the model's own rule as earlier levels simplified it, and before
    // partitioning adds a factor to it.
    if (static_cast<Level>(level) == Level::Partitioned)
      for (auto own : module.getOps<OptimizerOp>()) {
        llvm::raw_string_ostream os(options.rule);
        own.print(os, OpPrintingFlags().enableDebugInfo(false));
      }
    PipelineOptions aimed = options;
    if (static_cast<Level>(level) == Level::Scheduled &&
        (options.deviceMemory >= 0 || options.hostMemory >= 0) &&
        failed(aimBelowLimits(module, aimed)))
      return failure();
    PassManager pm(module->getName());
    pm.enableVerifier(false); // once, below
    addPasses(pm, static_cast<Level>(level), aimed);
    if (failed(runPasses(pm, module, setup)) || failed(checkSizes(module)))
      return failure();
    // A level that an option shaped says so: its text may be compiled later,
    // on another command line.
    if (static_cast<Level>(level) == Level::Step &&
        options.gradDtype != GradDtype::OfParameters)
      module->setAttr(kGradDtypeAttr,
                      attrs.getStringAttr(stringify(options.gradDtype)));
    if (static_cast<Level>(level) == Level::Step &&
        options.sample != Sample::Off)
      module->setAttr(kSampleAttr,
                      attrs.getStringAttr(stringify(options.sample)));
    if (static_cast<Level>(level) == Level::Kernels && options.reference)
      module->setAttr(kReferenceAttr, attrs.getUnitAttr());
    if (static_cast<Level>(level) == Level::Kernels &&
        options.lossChunk != kLossChunk)
      module->setAttr(kLossChunkAttr,
                      attrs.getI64IntegerAttr(options.lossChunk));
    if (static_cast<Level>(level) == Level::Partitioned) {
      if (options.raisesLive && options.maxLive > 0 &&
          failed(raiseLive(module, options)))
        return failure();
      OptionsAttr made = getOptionsAttr(module, options);
      if (!made)
        return failure();
      module->setAttr(kOptionsAttr, made);
      module->removeAttr(kLossChunkAttr);
      module->removeAttr(kGradDtypeAttr);
      module->removeAttr(kSampleAttr);
      module->removeAttr(kContextAttr);
    }
    module->setAttr(kLevelAttr,
                    StringAttr::get(module.getContext(),
                                    stringifyLevel(static_cast<Level>(level))));
  }
  if (options.isDraft)
    return success();
  if (failed(verify(module)))
    return failure();
  if (target < Level::Memory)
    return success();
  if (options.deviceMemory >= 0 || options.hostMemory >= 0)
    module->setAttr(kBudgetAttr,
                    attrs.getDenseI64ArrayAttr(
                        {options.deviceMemory, options.hostMemory, -1}));
  // The judge runs last and relies on no other pass.
  PassManager judge(module->getName());
  judge.addPass(createVerifyPlan());
  return runPasses(judge, module, setup);
}
