//===- PlanCommand.cpp - zeroc plan, and options that are auto ------------===//

#include "tools/zeroc/PlanCommand.h"

#include "frontend/OutputFile.h"
#include "frontend/families/HuggingFace.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/zeroc/Options.h"
#include "tools/zeroc/PlanTable.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::zero;
using llvm::createStringError;

static PlanSearch::Predict predictOn(const Machine &machine,
                                     const SimulateRequest &request) {
  return [&](ModuleOp plan) -> llvm::Expected<StepTime> {
    auto predicted = predict(plan, machine, request);
    if (!predicted)
      return predicted.takeError();
    return std::move(predicted->step);
  };
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
static void takeLimits(const Machine &machine, PipelineOptions &pipeline) {
  if (pipeline.deviceMemory < 0 && machine.deviceBytes)
    pipeline.deviceMemory =
        std::max<int64_t>(machine.deviceBytes - kHeadRoom, 0);
}

static llvm::Error writeTable(const PlanTable &table,
                              const DriverOptions &options) {
  return frontend::writeOutput(options.output, options.prediction.isJson
                                                   ? table.toJson()
                                                   : table.print());
}

llvm::Error zero::planModel(ModuleOp module, const DriverOptions &options,
                            PipelineOptions &pipeline, PassManagerSetup setup) {
  auto machine = readMachine(options.prediction.machine, module);
  if (!machine)
    return machine.takeError();
  takeLimits(*machine, pipeline);
  if (llvm::Error error = formKernels(module, options.input, pipeline, setup))
    return error;
  PlanSearch search(options.plan.free, predictOn(*machine, options.prediction));
  search.run(module, pipeline);
  const PlanTable table(search, options, machine->name);
  if (options.isPlanned)
    return writeTable(table, options);
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

llvm::Error zero::planFolder(MLIRContext &context,
                             const DriverOptions &options) {
  const PlanRequest &request = options.plan;
  std::optional<Machine> machine;
  std::optional<PlanSearch> search;
  bool isSearched = false;
  int64_t sequence = 0;
  int64_t least = 0; ///< tokens of a step with the smallest micro-batch
  for (int64_t batch = request.choosesBatch ? 1 : request.batch;; batch *= 2) {
    auto model = frontend::importHuggingFace(
        context, frontend::findConfig(options.input), {batch, request.sequence},
        [](StringRef) {});
    if (!model)
      return model.takeError();
    sequence = countTokens(**model);
    const int64_t tokens = batch * sequence * options.pipeline.worldSize;
    least = least ? least : tokens;
    if (request.batchTokens && tokens > request.batchTokens)
      break;
    setTarget(**model, *options.target, options.targetOptions.arch);
    if (!machine) {
      auto read = readMachine(options.prediction.machine, **model);
      if (!read)
        return read.takeError();
      machine = std::move(*read);
      search.emplace(request.free, predictOn(*machine, options.prediction));
    }
    SmallVector<Precision> precisions = {options.pipeline.precision};
    if (request.choosesPrecision)
      precisions = {Precision::FP32, Precision::BF16};
    for (Precision precision : precisions) {
      if (request.batchTokens && request.batchTokens % tokens)
        continue;
      PipelineOptions pipeline = options.pipeline;
      takeLimits(*machine, pipeline);
      pipeline.precision = precision;
      if (request.batchTokens)
        pipeline.accumulate = request.batchTokens / tokens;
      OwningOpRef<ModuleOp> kernels = (*model)->clone();
      if (llvm::Error error =
              formKernels(*kernels, options.input, pipeline, {}))
        return error;
      std::string name;
      if (request.choosesBatch)
        name += llvm::formatv("--batch={0}", batch);
      if (request.choosesPrecision)
        name += llvm::formatv("{0}--precision={1}", name.empty() ? "" : " ",
                              stringify(precision));
      search->run(*kernels, pipeline, name);
      isSearched = true;
    }
    if (!request.choosesBatch)
      break;
  }
  if (!isSearched)
    return createStringError(llvm::formatv(
        "--batch-tokens={0} is no step: {1} ranks with one sequence each take "
        "{2} tokens, and a step is a multiple of them",
        request.batchTokens, options.pipeline.worldSize, least));
  return writeTable(PlanTable(*search, options, machine->name, sequence),
                    options);
}
