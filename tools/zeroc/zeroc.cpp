//===- zeroc.cpp - The compiler driver ------------------------------------===//
//
//   zeroc MODEL.mlir [options] [-o OUT]
//   zeroc COMMAND ...
//
//===----------------------------------------------------------------------===//

#include "tools/zeroc/Commands.h"
#include "tools/zeroc/EmitExecutable.h"
#include "tools/zeroc/model/Messages.h"
#include "tools/zeroc/model/ModelText.h"
#include "tools/zeroc/model/OlderNames.h"
#include "tools/zeroc/model/OptimizerFile.h"
#include "tools/zeroc/options/CommandLine.h"
#include "tools/zeroc/plan/PlanCommand.h"
#include "tools/zeroc/plan/PlanNotes.h"
#include "tools/zeroc/plan/Simulate.h"
#include "tools/zeroc/plan/SmallerPlans.h"

#include "dialect/zero/Zero.h"
#include "frontend/OutputFile.h"
#include "frontend/PrintModel.h"
#include "frontend/families/HuggingFace.h"
#include "lld/Common/Driver.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/Timing.h"
#include "passes/certify/Certificate.h"
#include "runtime/system/Memory.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

#include <csignal>

using namespace mlir;
using namespace mlir::zero;
using llvm::createStringError;

/// A printed level keeps the options that shaped it.  Such options would now be
/// ignored, so they are errors.
static llvm::Error checkResumed(ModuleOp module, const DriverOptions &options) {
  std::optional<Level> level = getLevel(module);
  if (!level)
    return llvm::Error::success(); // The pipeline reports it.
  for (const auto &[option, changes] : options.given) {
    // A plan is judged whenever it is read.
    if (int(*level) < int(changes) || changes >= Emit::Memory)
      continue;
    std::string fixed = getPlanOptions(module);
    return createStringError(
        option + " comes too late for " + options.input + ": at level " +
        stringifyLevel(*level) + " its " +
        (changes == Emit::Kernels ? "kernels" : "state and update") +
        " are fixed" + (fixed.empty() ? "" : " as " + fixed) +
        "; drop the option or start from level " +
        stringifyLevel(Level(int(changes) - 1)) + " or before");
  }
  if (options.marks.isGiven() && *level != Level::Model)
    return createStringError(
        "what arguments are comes too late for " + options.input +
        ": it is at level " + stringifyLevel(*level) +
        "; drop --function, --params, --inputs, --loss and "
        "--constants-as-params, or start from the model");
  return llvm::Error::success();
}

/// Warns of a stage on one rank, if the plan is made here.
static void warnOfStage(const DriverOptions &options) {
  const PipelineOptions &p = options.pipeline;
  if (p.stage == 0 || p.worldSize > 1)
    return;
  for (const auto &[option, changes] : options.given)
    if (StringRef(option).ends_with("--stage"))
      llvm::errs() << "zeroc: warning: " << option << "=" << p.stage
                   << " shards nothing on one rank; add --world-size=N for N "
                      "ranks, or drop it\n";
}

/// Checks that the micro-batch of --ds-config is the model's, the first
/// dimension of its inputs.
static llvm::Error checkBatch(ModuleOp module, const DriverOptions &options) {
  const deepspeed::Config &config = *options.deepSpeed;
  if (!config.microBatch || getLevel(module) != Level::Model)
    return llvm::Error::success();
  for (auto loss : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i != loss.getNumArguments(); ++i) {
      auto type = dyn_cast<RankedTensorType>(loss.getArgument(i).getType());
      if (!loss.getArgAttr(i, kInputAttr) || !type || !type.getRank() ||
          type.getDimSize(0) == config.microBatch)
        continue;
      return createStringError(
          config.microBatchSource + " is a micro-batch of " +
          Twine(config.microBatch) + ", and that of " + options.input + " is " +
          Twine(type.getDimSize(0)) +
          "; change one of them, a model by zeroc import --batch=" +
          Twine(config.microBatch));
    }
  return llvm::Error::success();
}

/// An MLIR file may begin with "{-#", but not with another "{".
static bool isJson(StringRef text) {
  text = text.ltrim();
  return text.starts_with("{") && !text.starts_with("{-#");
}

/// Checks that the rule of a plan is the one that --optimizer says.
static llvm::Error checkRule(ModuleOp plan, StringRef hash) {
  auto options = plan->getAttrOfType<OptionsAttr>(kOptionsAttr);
  for (const OptionsAttr::Word &word :
       options ? options.getWords() : SmallVector<OptionsAttr::Word>())
    if (word.option == "--optimizer" && !StringRef(word.value).ends_with(hash))
      return createStringError("--optimizer=..." + hash +
                               " was another rule than the one that is there "
                               "now, " +
                               word.value + "; leave " + hash + " out");
  return llvm::Error::success();
}

/// Brings `module` to its level with the options `p`, or writes the table of
/// zeroc plan.  `timed` runs a part, whose time --timing prints.
template <typename Timed>
static llvm::Error compilePlan(ModuleOp module, const DriverOptions &options,
                               PipelineOptions p, Timed timed) {
  if (options.isPlanned || options.plan.free.any()) {
    if (llvm::Error error = timed("plans", [&](PassManagerSetup setup) {
          return planModel(module, options, p, setup);
        }))
      return error;
    if (options.isPlanned)
      return llvm::Error::success();
  }
  // Copies, for smaller plans if this one is too large, and for plans without
  // an option.
  OwningOpRef<ModuleOp> model, kernels;
  SmallVector<std::string> early, late;
  const bool makesPlan =
      options.getLevel() == Level::Memory &&
      getLevel(module).value_or(Level::Memory) <= Level::Kernels;
  if (makesPlan && p.worldSize == options.pipeline.worldSize)
    for (const auto &[option, changes] : options.given)
      if (mayBeIdle(option))
        (changes < Emit::Partitioned ? early : late).push_back(option);
  if (!early.empty())
    model = module.clone();
  if (failed(timed("model to plan", [&](PassManagerSetup setup) {
        if (makesPlan &&
            (p.deviceMemory >= 0 || p.hostMemory >= 0 || !late.empty())) {
          if (failed(runPipeline(module, Level::Kernels, p, setup)))
            return failure();
          kernels = module.clone();
        }
        return runPipeline(module, options.getLevel(), p, setup);
      }))) {
    if (kernels && exceedsBudget(module))
      timed("smaller plans", [&](PassManagerSetup) {
        const std::string plans = findSmallerPlans(*kernels, p);
        llvm::errs() << "zeroc: note: " << plans;
      });
    return createStringError(options.input +
                             " does not compile; the errors are above");
  }
  if (model)
    noteIdle(module, *model, p, early);
  if (kernels)
    noteIdle(module, *kernels, p, late);
  return llvm::Error::success();
}

static llvm::Error compileModel(const DriverOptions &options, StringRef argv0) {
  if (llvm::Error error = frontend::checkOutput(options.output))
    return error;

  DialectRegistry registry;
  registerPipelineDialects(registry);
  // Neither the context nor the module is freed: the process ends, and a deep
  // model has millions of operations.
  MLIRContext &context = *new MLIRContext(registry);
  llvm::BuryPointer(&context);
  // Our messages name the operation; MLIR would print the whole module.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  Messages messages(sources, context, options.input);
  ExplainErrors explanations(context);
  if (options.isPlanned && options.isFolder())
    return planFolder(context, options);
  auto buffer =
      llvm::MemoryBuffer::getFileOrSTDIN(options.input, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read " + options.input + ": " +
                             buffer.getError().message());
  if (isJson((*buffer)->getBuffer()))
    return createStringError(
        options.input +
        " is JSON, not MLIR; the model of a Hugging Face config.json "
        "comes from zeroc import " +
        options.input + " --batch=B --seq=T -o model.mlir");
  sources.AddNewSourceBuffer(replaceOlderNames(std::move(*buffer)),
                             llvm::SMLoc());

  DefaultTimingManager timing;
  timing.setEnabled(options.timing);
  TimingScope all = timing.getRootScope();
  auto timed = [&](StringRef part, auto work) {
    TimingScope scope = all.nest(part);
    return work([&](PassManager &passes) {
      passes.enableTiming(scope);
      return applyPassManagerCLOptions(passes);
    });
  };

  ModuleOp module = timed("parse", [&](PassManagerSetup) {
    return parseSourceFile<ModuleOp>(sources, ParserConfig(&context)).release();
  });
  if (!module)
    return createStringError(options.input +
                             " is not valid MLIR; the errors are above");
  llvm::BuryPointer(module.getOperation());
  readNames(module, *sources.getMemoryBuffer(sources.getMainFileID()));
  if (llvm::Error error = checkResumed(module, options))
    return error;
  if (options.getLevel() == Level::Memory) {
    const std::string &arch = options.targetOptions.arch;
    if (getLevel(module) != Level::Memory)
      setTarget(module, *options.target, arch);
    else if (llvm::Error error =
                 checkTarget(module, options.input, *options.target, arch))
      return error;
  }
  warnOfStage(options);
  if (options.marks.isGiven())
    if (llvm::Error error = markArguments(module, options.marks, options.input))
      return error;
  // A model that is printed as one says its origin when it is compiled.
  if (options.emit != Emit::Model) {
    if (getLevel(module) == Level::Model)
      addModelText(module);
    addGiven(module, options.words);
  }
  if (std::optional<Level> level = getLevel(module);
      level && *level < Level::Partitioned)
    if (llvm::Error error = options.optimizerFile.empty()
                                ? completeOptimizers(module, options.input)
                                : adoptOptimizer(module, options.optimizerFile,
                                                 options.optimizerNumbers))
      return error;
  if (options.deepSpeed) {
    if (llvm::Error error = checkBatch(module, options))
      return error;
    llvm::errs() << options.deepSpeed->report();
  }
  std::vector<GeneratedPlan> plans;
  for (int64_t ranks : options.worldSizes) {
    ModuleOp plan = module;
    if (ranks != options.worldSizes.back())
      llvm::BuryPointer((plan = module.clone()).getOperation());
    llvm::Error error =
        compilePlan(plan, options, options.pipelineOf(ranks), timed);
    noteRaisedLive(plan, options);
    if (!error && options.isPlanned)
      return llvm::Error::success();
    if (!error)
      error = checkRule(plan, options.optimizerHash);
    if (!error && options.isSimulated)
      return simulatePlan(plan, options.prediction, options.input,
                          options.output);
    if (!error && options.isText())
      return frontend::writeOutput(options.output, frontend::printModel(plan));
    if (!error)
      error =
          timed("kernels and plan", [&](PassManagerSetup setup) -> llvm::Error {
            auto generated = generatePlan(plan, options, setup);
            if (!generated)
              return generated.takeError();
            plans.push_back(std::move(*generated));
            return llvm::Error::success();
          });
    if (error)
      return options.worldSizes.size() == 1
                 ? std::move(error)
                 : createStringError("--world-size=" + Twine(ranks) + ": " +
                                     llvm::toString(std::move(error)));
  }
  return timed("link", [&](PassManagerSetup) {
    return writePlans(plans, options, argv0);
  });
}

static llvm::Error run(const Command &command, StringRef argv0) {
  if (auto *action = std::get_if<Action>(&command))
    return (*action)();
  return compileModel(std::get<DriverOptions>(command), argv0);
}

LLD_HAS_DRIVER(elf)

/// In place of the other targets of a static build (CMakeLists.txt).
extern "C" void zeroc_no_target() {}

/// Links as ld.lld does.  zeroc runs itself for this, since lld may end its
/// process.
static int runLinker(ArrayRef<char *> argv) {
  std::vector<const char *> args = {"ld.lld"};
  llvm::append_range(args, argv.drop_front(2));
  return lld::elf::link(args, llvm::outs(), llvm::errs(), /*exitEarly=*/true,
                        /*disableOutput=*/false)
             ? 0
             : 1;
}

int main(int argc, char **argv) {
  noteIgnoredSignals();
  llvm::InitLLVM init(argc, argv);
  if (argc > 1 && StringRef(argv[1]) == "lld")
    return runLinker({argv, size_t(argc)});
  // What commands in Python know of options and commands.
  if (argc > 1 && StringRef(argv[1]) == "--options") {
    llvm::outs() << CommandLine().listOptions() << listCommands();
    return 0;
  }
  // What is available on this machine, what each of some ranks may have of it
  // in arenas, and the file that says so.
  uint64_t ranks = 0;
  if (argc == 3 && StringRef(argv[1]) == "--memory" &&
      llvm::to_integer(argv[2], ranks)) {
    const zrt::AvailableMemory available = zrt::availableMemory();
    llvm::outs() << available.bytes << " "
                 << zrt::mostArenaBytes(available, ranks) << " "
                 << available.source << "\n";
    return 0;
  }
  // zeroc help COMMAND
  SmallVector<char *> words(argv, argv + argc);
  static char help[] = "--help";
  if (argc > 1 && StringRef(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    words.insert(words.begin() + std::min<size_t>(words.size(), 2), help);
    argv = words.data();
  }
  // Writes beyond the file size limit then fail like writes to a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  const CommandEntry *command = argc > 1 ? findCommand(argv[1]) : nullptr;
  const bool isVersion = argc > 2 && StringRef(argv[2]) == "--version";
  if (command && command->isPython && isVersion)
    return printVersion();
  if (command && (command->isPython || readsFromHub({argv, size_t(argc)})))
    fail(llvm::toString(runPythonCommand({argv, size_t(argc)})));
  if (argc > 1)
    if (llvm::Error error = checkWords({argv, size_t(argc)}))
      fail(llvm::toString(std::move(error)));
  const std::string overview =
      command ? command->summary.str() : describeCommands();
  if (llvm::Error error = run(parseCommandLine(argc, argv, overview), argv[0]))
    fail(llvm::toString(std::move(error)));
  return 0;
}
