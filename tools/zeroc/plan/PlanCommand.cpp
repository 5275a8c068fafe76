//===- PlanCommand.cpp - zeroc plan, and options that are auto ------------===//

#include "tools/zeroc/plan/PlanCommand.h"

#include "dialect/zero/PlanPrograms.h"
#include "frontend/OutputFile.h"
#include "frontend/families/HuggingFace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "numerics/NcclMemory.h"
#include "tools/zeroc/plan/PlanTable.h"
#include "tools/zeroc/plan/Simulate.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::zero;
using llvm::createStringError;

/// Bytes of a device that are left to libraries: the CUDA context and cuBLAS,
/// and NCCL.
static int64_t headRoom(const PlanOptions &options) {
  int64_t own = int64_t{1} << 30;
  const int64_t ranks = options.worldSize, members = getGroupSize(options);
  if (ranks == 1)
    return own;
  if (options.context > 1)
    own += zrt::ncclRingBytes(options.context) +
           zrt::ncclExchangeBytes(options.context, zrt::kNcclChannels);
  if (members == 0)
    return own + zrt::ncclShardBytes(ranks);
  return own + zrt::ncclShardBytes(members) +
         zrt::ncclShardBytes(ranks / members) + zrt::ncclRingBytes(ranks);
}

/// The machine whose times are predicted; none without --machine.
static llvm::Expected<std::optional<Machine>>
findMachine(const DriverOptions &options, ModuleOp module) {
  if (options.prediction.machine.empty())
    return std::nullopt;
  auto machine = readMachine(options.prediction.machine, module);
  if (!machine)
    return machine.takeError();
  return std::move(*machine);
}

static PlanSearch::Predict predictOn(const std::optional<Machine> &machine,
                                     const SimulateRequest &request) {
  if (!machine)
    return {};
  return [&](ModuleOp plan) -> llvm::Expected<StepTime> {
    auto predicted = predict(plan, *machine, request);
    if (!predicted)
      return predicted.takeError();
    return std::move(predicted->step);
  };
}

/// "" if plans have no times.
static std::string nameOf(const std::optional<Machine> &machine) {
  if (!machine)
    return "";
  return machine->name.empty() ? machine->file : machine->name;
}

/// Brings `module` to level kernels.
static llvm::Error formKernels(ModuleOp module, StringRef input,
                               const PipelineOptions &pipeline,
                               PassManagerSetup setup) {
  if (getLevel(module).value_or(Level::Memory) > Level::Kernels)
    return createStringError(input + " is a plan already, and has nothing to "
                                     "choose; start from the model");
  if (failed(runPipeline(module, Level::Kernels, pipeline, setup)))
    return createStringError(input + " does not compile; the errors are above");
  return llvm::Error::success();
}

/// The limits of a plan, by default those of the machine.
static void takeLimits(const std::optional<Machine> &machine,
                       PipelineOptions &pipeline) {
  if (pipeline.deviceMemory < 0 && machine && machine->deviceBytes)
    pipeline.deviceMemory =
        std::max<int64_t>(machine->deviceBytes - headRoom(pipeline), 0);
}

/// Searches the plans of `model` by the name `name`.  Where the request leaves
/// it open and none of them fits, so many more ranks share a sequence that one
/// does; a step of so many tokens then has as many more micro-steps.
static llvm::Error searchModel(PlanSearch &search, ModuleOp model,
                               const DriverOptions &options,
                               const std::optional<Machine> &machine,
                               const PipelineOptions &pipeline,
                               StringRef name = "") {
  const bool choosesContext =
      options.plan.choosesContext && options.plan.compared.empty() &&
      getLevel(model).value_or(Level::Memory) == Level::Model;
  for (int64_t ranks = pipeline.context;
       ranks == pipeline.context ||
       (choosesContext && ranks <= pipeline.worldSize && !search.getBest(name));
       ++ranks) {
    if (pipeline.worldSize % ranks)
      continue;
    PipelineOptions shared = pipeline;
    shared.context = ranks;
    if (options.plan.batchTokens)
      shared.accumulate *= ranks / pipeline.context;
    takeLimits(machine, shared);
    OwningOpRef<ModuleOp> kernels = model.clone();
    std::string why;
    std::optional<ScopedDiagnosticHandler> listen;
    if (ranks != pipeline.context)
      listen.emplace(model.getContext(), [&](Diagnostic &one) {
        why = why.empty() ? one.str() : why;
        return success();
      });
    if (llvm::Error error = formKernels(*kernels, options.input, shared, {})) {
      if (!listen)
        return error;
      llvm::consumeError(std::move(error));
      search.leaveOut("--context=" + std::to_string(ranks) + ": " + why);
      continue;
    }
    listen.reset();
    search.run(*kernels, shared, name);
  }
  return llvm::Error::success();
}

static llvm::Error writeTable(const PlanSearch &search, const PlanTable &table,
                              const DriverOptions &options) {
  if (search.getTried().empty() && !options.plan.compared.empty())
    return createStringError(search.getFailures().front());
  if (llvm::Error error = frontend::writeOutput(
          options.output,
          options.prediction.isJson ? table.toJson() : table.print()))
    return error;
  if (search.getBest())
    return llvm::Error::success();
  return createStringError(
      "no plan of " + options.input +
      " fits; use more ranks, a smaller --batch or a shorter --seq of " +
      (options.isFolder() ? "zeroc plan" : "zeroc import") +
      ", or more memory");
}

llvm::Error zero::planModel(ModuleOp module, const DriverOptions &options,
                            PipelineOptions &pipeline, PassManagerSetup setup) {
  auto machine = findMachine(options, module);
  if (!machine)
    return machine.takeError();
  PlanSearch search(options.plan, predictOn(*machine, options.prediction));
  if (options.isPlanned) {
    if (llvm::Error error =
            searchModel(search, module, options, *machine, pipeline))
      return error;
    return writeTable(search, PlanTable(search, options, nameOf(*machine)),
                      options);
  }
  takeLimits(*machine, pipeline);
  if (llvm::Error error = formKernels(module, options.input, pipeline, setup))
    return error;
  search.run(module, pipeline);
  const PlanTable table(search, options, nameOf(*machine));
  const TriedPlan *best = search.getBest();
  if (!best) {
    llvm::errs() << table.print();
    return createStringError("no plan of " + options.input +
                             " fits its limits");
  }
  llvm::errs() << "zeroc: note: " << table.describeChoice() << "\n";
  pipeline = best->options;
  return llvm::Error::success();
}

/// The tokens of a sequence of an imported `module`.
static int64_t countTokens(ModuleOp module) {
  for (auto loss : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i != loss.getNumArguments(); ++i)
      if (auto name = loss.getArgAttrOfType<StringAttr>(i, kInputAttr);
          name && name.getValue() == "tokens")
        return cast<RankedTensorType>(loss.getArgument(i).getType())
            .getDimSize(1);
  return 0;
}

namespace {

/// What is trained, where the options leave it open.
struct Training {
  StringLiteral flags;
  int64_t rank;
  double alpha;
  StringLiteral storage;
};
constexpr Training kTrainings[] = {
    {"", 0, 0, "model"},
    {"--lora=16:32", 16, 32, "model"},
    {"--lora=16:32 --base-storage=nf4", 16, 32, "nf4"}};

/// The models of a folder: micro-batches, precisions and trainings.
class FolderSearch {
public:
  FolderSearch(MLIRContext &context, const DriverOptions &options)
      : context(context), options(options), request(options.plan) {}

  llvm::Error run() {
    for (int64_t batch = request.choosesBatch ? 1 : request.batch;;
         batch *= 2) {
      auto model = frontend::importHuggingFace(
          context, frontend::findConfig(options.input),
          {batch, request.sequence}, [](StringRef) {});
      if (!model)
        return model.takeError();
      sequence = countTokens(**model);
      const int64_t tokens =
          batch * sequence *
          (options.pipeline.worldSize / options.pipeline.context);
      least = least ? least : tokens;
      if (request.batchTokens && tokens > request.batchTokens)
        break;
      setTarget(**model, *options.target, options.targetOptions.arch);
      if (llvm::Error error = start(**model))
        return error;
      if (!request.batchTokens || request.batchTokens % tokens == 0)
        if (llvm::Error error = addModels(**model, batch, tokens))
          return error;
      if (!request.choosesBatch)
        break;
    }
    if (!isSearched)
      return createStringError(llvm::formatv(
          "--batch-tokens={0} is no step: {1} ranks with one sequence each "
          "take {2} tokens, and a step is a multiple of them",
          request.batchTokens, options.pipeline.worldSize, least));
    return writeTable(*search,
                      PlanTable(*search, options, nameOf(machine), sequence),
                      options);
  }

private:
  /// Reads the machine, with the first model.
  llvm::Error start(ModuleOp model) {
    if (search)
      return llvm::Error::success();
    auto read = findMachine(options, model);
    if (!read)
      return read.takeError();
    machine = std::move(*read);
    search.emplace(request, predictOn(machine, options.prediction));
    return llvm::Error::success();
  }

  /// Searches the plans of `model`, of `tokens` a micro-step of all ranks.
  llvm::Error addModels(ModuleOp model, int64_t batch, int64_t tokens) {
    SmallVector<Precision> precisions = {options.pipeline.precision};
    if (request.choosesPrecision && machine)
      precisions = {Precision::FP32, Precision::BF16};
    else if (request.choosesPrecision)
      precisions = {Precision::BF16};
    for (Precision precision : precisions)
      for (const Training &training : kTrainings) {
        PipelineOptions pipeline = options.pipeline;
        pipeline.precision = precision;
        if (request.batchTokens)
          pipeline.accumulate = request.batchTokens / tokens;
        if (request.choosesTraining) {
          pipeline.loraRank = training.rank;
          pipeline.loraAlpha = training.alpha;
          pipeline.baseStorage = training.storage.str();
        }
        SmallVector<std::string> name;
        if (request.choosesBatch)
          name.push_back(llvm::formatv("--batch={0}", batch));
        if (request.choosesPrecision)
          name.push_back(
              llvm::formatv("--precision={0}", stringify(precision)));
        if (request.choosesTraining && training.rank)
          name.push_back(training.flags.str());
        if (llvm::Error error = searchModel(*search, model, options, machine,
                                            pipeline, llvm::join(name, " ")))
          return error;
        isSearched = true;
        if (!request.choosesTraining)
          break;
      }
    return llvm::Error::success();
  }

  MLIRContext &context;
  const DriverOptions &options;
  const PlanRequest &request;
  std::optional<Machine> machine;
  std::optional<PlanSearch> search;
  bool isSearched = false;
  int64_t sequence = 0;
  int64_t least = 0; ///< tokens of a step with the smallest micro-batch
};

} // namespace

llvm::Error zero::planFolder(MLIRContext &context,
                             const DriverOptions &options) {
  return FolderSearch(context, options).run();
}
