//===- Options.cpp - The command line of zeroc ----------------------------===//
#include "tools/zeroc/options/Options.h"

#include "abi/CompileOptions.h"
#include "tools/zeroc/options/CommandLine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstdlib>
#include <utility>

using namespace mlir;
using namespace mlir::zero;

void zero::fail(const Twine &message) {
  llvm::errs() << "zeroc: error: " << message << "\n";
  exit(1);
}

bool zero::isSameFile(StringRef a, StringRef b) {
  return a != "-" && (a == b || llvm::sys::fs::equivalent(a, b));
}

/// "16" or "16:32".
static llvm::Error readLora(StringRef given, PipelineOptions &options) {
  auto [rank, alpha] = given.split(':');
  const bool hasAlpha = given.contains(':');
  if (rank.getAsInteger(10, options.loraRank) || options.loraRank < 1 ||
      options.loraRank > 65536)
    return llvm::createStringError(
        "must be a rank from 1 to 65536, or RANK:ALPHA, got " + given);
  options.loraAlpha = double(options.loraRank);
  if (hasAlpha && (alpha.getAsDouble(options.loraAlpha) ||
                   !(options.loraAlpha > 0 && options.loraAlpha <= 1e6)))
    return llvm::createStringError(
        "must have an alpha above 0 and at most 1000000, got " + given);
  return llvm::Error::success();
}

/// One number of ranks, which `values` reads into `ranks`, or several such as
/// "8,4,2".
static Values falling(const Values &values, int64_t &ranks,
                      SmallVector<int64_t> &sizes) {
  auto read = [&, one = values.read](StringRef text) -> llvm::Error {
    sizes.clear();
    for (StringRef part : llvm::split(text, ',')) {
      if (llvm::Error error = one(part))
        return error;
      if (!sizes.empty() && ranks >= sizes.back())
        return llvm::createStringError(
            "must fall from one number of ranks to the next, as in 8,4,2, "
            "got " +
            text);
      sizes.push_back(ranks);
    }
    ranks = sizes.front();
    return llvm::Error::success();
  };
  return {read, values.otherwise};
}

PipelineOptions DriverOptions::pipelineOf(int64_t ranks) const {
  PipelineOptions p = pipeline;
  p.accumulate = pipeline.accumulate * pipeline.worldSize / ranks;
  p.worldSize = ranks;
  // What is left of one group has no other to exchange with.
  for (int64_t *group : {&p.ranksPerHost, &p.shardSize, &p.secondaryShard})
    if (ranks < pipeline.worldSize && ranks <= *group && *group % ranks == 0)
      *group = 0;
  if (ranks > 1 || pipeline.worldSize == 1)
    return p;
  // One rank gathers nothing, but may fetch.
  const bool fetches = p.offloadParams != Offload::None;
  if (p.virtualShards == 0)
    p.persistBelow = p.maxLive = 0;
  if (p.virtualShards == 0 && !fetches)
    p.reuseDistance = 0;
  if (!fetches && p.offloadOptimizer == Offload::None &&
      p.offloadActivations == Offload::None)
    p.prefetch = PlanOptions().prefetch;
  return p;
}

CommandLine::CommandLine() {
  declareDriver();
  declareSubcommands();
  dropAlienOptions();
}

void CommandLine::printAllHelp() {
  for (Flag &flag : flags)
    if (flag.getOptionHiddenFlag() != cl::ReallyHidden)
      flag.setHiddenFlag(cl::NotHidden);
  cl::PrintHelpMessage(/*Hidden=*/false, /*Categorized=*/true);
  std::exit(EXIT_SUCCESS);
}

void CommandLine::declareDriver() {
  PipelineOptions &p = options.pipeline;
  Place update{training, Emit::Partitioned};
  declareOptimizer(update);
  declarePlanOptions();
  add("skip-nonfinite=on|off",
      text(p.skips, {"on", "off"}).showing("on with 16 bits"),
      "skip the update of a step whose gradients are not\n"
      "finite",
      update);
  Values adapters{[&p](StringRef given) { return readLora(given, p); }, ""};
  add("lora=RANK[:ALPHA]", adapters,
      "freeze the model and train adapters of this rank; their\n"
      "output is multiplied by ALPHA / RANK [ALPHA = RANK]",
      {loss, Emit::Step});
  add("rslora", given(p.rankStabilized),
      "with --lora: multiply by ALPHA / sqrt(RANK) instead",
      {loss, Emit::Step});
  add("dora", given(p.dora),
      "with --lora: train the norms of the rows of weights, too",
      {loss, Emit::Step});
  add("lora-dropout=RATE",
      number(p.loraDropout, 0, 0.9999999, "from 0 to below 1"),
      "with --lora: dropout of the inputs of adapters", {loss, Emit::Step});
  add("lora-targets=REGEX", text(p.loraTargets),
      "linear layers that get an adapter: a regular expression\n"
      "of Python that matches the whole name; by default all\n"
      "but the head",
      {loss, Emit::Step});
  add("modules-to-save=REGEX", text(p.modulesToSave),
      "with --lora: modules that are trained whole, by name,\n"
      "such as .*embed_tokens|lm_head",
      {loss, Emit::Step});
  add("base-storage=nf4|int8", text(p.baseStorage, {"nf4", "int8"}),
      "with --lora: store the weights of experts and of linear\n"
      "layers, except the head, in 4 or 8 bits; they are\n"
      "unpacked before each use",
      {loss, Emit::Step});
  add("offload=TIER",
      several("offload",
              orAuto(choice(offloadAll, ""), options.plan.free.offload),
              [this] {
                const Offload tier = std::exchange(offloadAll, Offload::None);
                return [this, tier](PipelineOptions &p) { offload(p, tier); };
              }),
      "where optimizer state and parameters are kept: none (on\n"
      "the device), cpu or nvme; on several ranks below stage 3\n"
      "only optimizer state; auto: where a step is fastest, and\n"
      "activations, too",
      {ranks, Emit::Partitioned});
  add("ds-config=FILE", text(deepSpeedFile).showing(""),
      "take options from a DeepSpeed config; --ds-config=keys\n"
      "prints how each DeepSpeed key is treated",
      {training});

  add("sample", given(p.sample, Sample::On),
      "also compile text generation, for train --sample",
      {training, Emit::Step});
  add("sample-only", given(p.sample, Sample::Only),
      "compile only text generation: no training, and no\n"
      "gradients or optimizer state in memory",
      {training, Emit::Step});

  add("score-only", given(p.sample, Sample::Score),
      "compile only the values of samples, the second result of\n"
      "the model, as zeroc import --objective makes it",
      {training, Emit::Step});

  ArgumentMarks &m = options.marks;
  add("function=NAME", text(m.function).showing("the only public one"),
      "the function that is the model", {foreign});
  add("params=LIST", text(m.params).showing(""),
      "arguments that are parameters: 0..17, or NAME:0,NAME:1,\n"
      "or FILE.json, a list of names for the first arguments",
      {foreign});
  add("inputs=LIST", text(m.inputs).showing("all others"),
      "arguments that are inputs, by name and number, such as\n"
      "tokens:18,targets:19",
      {foreign});
  add("loss=NUMBER",
      count(m.loss, 0, INT32_MAX, "the number of a result, from 0")
          .showing("the only one"),
      "number of the function's result that is the loss", {foreign});
  add("constants-as-params=FILE", text(m.constants).showing(""),
      "turn constant tensors into parameters and write their\n"
      "values to FILE.safetensors; start with\n"
      "train --init=FILE.safetensors",
      {foreign});

  add("cpu=NAME", text(options.cpu),
      "target CPU: x86-64-v3, x86-64-v4, znver4, or another\n"
      "name that LLVM knows",
      {machine, Emit::LLVM});
  add("target=cpu|cuda", text(target, getTargetNames()),
      "compile for cpu, or for cuda: one NVIDIA GPU per rank",
      {machine, Emit::Memory});
  add("cuda-arch=ARCH", text(cudaArch, getCudaTarget().getArchs()),
      "the GPU of --target=cuda: sm_80, sm_86, sm_87, sm_89,\n"
      "sm_90, sm_100, sm_103, sm_110, sm_120, sm_121 (later\n"
      "GPUs run the program, too); emulated: for tests without\n"
      "a GPU",
      {machine, Emit::Memory});
  add("attention=f32|TYPE|tensor-cores",
      text(options.targetOptions.attention,
           {"f32", "bf16", "fp16", "tensor-cores", kCudnn})
          .showing("as products where that is fast"),
      "how attention of 16 bits multiplies: f32 (same bits\n"
      "everywhere), bf16 (CPUs with AMX or fast AVX512_BF16),\n"
      "fp16 (CPUs with AMX-FP16), tensor-cores (GPUs), or\n"
      "cudnn (GPUs, by that library)",
      {machine, Emit::LLVM});
  add("collectives=host|nccl|direct",
      text(options.targetOptions.collectives, {"host", "nccl", "direct"}),
      "how GPUs exchange data (same bits in all ways): nccl,\n"
      "direct (GPUs of one host read each other's memory), or\n"
      "host (through host memory)",
      {machine, Emit::Memory});
  add("device-memory=BYTES", bytes(p.deviceMemory, 0, "no limit"),
      "most device memory that a rank may use, such as 80GB\n"
      "(10^9 bytes each) or 80GiB (2^30); a plan that needs\n"
      "more is an error",
      {machine, Emit::Scheduled});
  add("host-memory=BYTES", bytes(p.hostMemory, 0, "no limit"),
      "most host memory that a rank may use; a plan that needs\n"
      "more is an error",
      {machine, Emit::Scheduled});

  declarePrediction();
  add("o=OUT", text(options.output),
      "the file to write; default: the model's name without\n"
      ".mlir for a program, standard output for text",
      {output});
  add("force", given(force), kForceHelp, {output});
  add("emit=LEVEL", text(emit, emitNames()),
      "stop at a level and print it: model, step, kernels,\n"
      "partitioned, scheduled, memory, llvm; or write obj,\n"
      "exe",
      {output});
  add("certificate=text|json", text(options.certificate, {"text", "json"}),
      "format of the memory certificate; json is printed\n"
      "alone on standard output",
      {output, Emit::Object});
  add("batch=B",
      count(options.plan.batch, 1, INT32_MAX,
            "an integer from 1 to " + std::to_string(INT32_MAX)),
      "of a model's folder: sequences of a\n"
      "micro-batch; --batch-tokens chooses them",
      {output});
  add("seq=T",
      count(options.plan.sequence, 1, INT32_MAX,
            "an integer from 1 to " + std::to_string(INT32_MAX))
          .showing(""),
      "of a model's folder: tokens of a sequence\n"
      "[2048, or the model's positions]",
      {output});
  add("timing", given(options.timing), "print where compile time is spent",
      {output});
}

void CommandLine::declarePlanOptions() {
  PipelineOptions &p = options.pipeline;
  cl::OptionCategory &Training = training, &Loss = loss, &Ranks = ranks,
                     &Advanced = advanced, &Output = output;
#define ZERO_SWITCH(FIELD, GETTER, USAGE, GROUP, LEVEL, EFFECT, HELP)          \
  add(USAGE, given(p.FIELD), HELP, {GROUP, Emit::LEVEL});
#define ZERO_CHOICE(TYPE, FIELD, GETTER, USAGE, SHOWN, GROUP, LEVEL, EFFECT,   \
                    HELP)                                                      \
  add(USAGE,                                                                   \
      several(USAGE, Emit::LEVEL, mayBeAuto(USAGE, choice(p.FIELD, SHOWN)),    \
              &PlanOptions::FIELD),                                            \
      HELP, {GROUP, Emit::LEVEL});
#define ZERO_COUNT(FIELD, GETTER, USAGE, DEFAULT, LOW, HIGH, RANGE, GROUP,     \
                   LEVEL, EFFECT, HELP)                                        \
  add(USAGE,                                                                   \
      &p.FIELD == &p.worldSize                                                 \
          ? falling(count(p.FIELD, LOW, HIGH, RANGE), p.FIELD,                 \
                    options.worldSizes)                                        \
          : several(USAGE, Emit::LEVEL,                                        \
                    mayBeAuto(USAGE, count(p.FIELD, LOW, HIGH, RANGE)),        \
                    &PlanOptions::FIELD),                                      \
      HELP, {GROUP, Emit::LEVEL});
#define ZERO_BYTES(FIELD, GETTER, USAGE, DEFAULT, LOW, SHOWN, GROUP, LEVEL,    \
                   EFFECT, HELP)                                               \
  add(USAGE,                                                                   \
      several(USAGE, Emit::LEVEL,                                              \
              mayBeAuto(USAGE, bytes(p.FIELD, LOW, SHOWN)),                    \
              &PlanOptions::FIELD),                                            \
      HELP, {GROUP, Emit::LEVEL});
#define ZERO_NUMBER(FIELD, GETTER, USAGE, DEFAULT, LOW, HIGH, RANGE, GROUP,    \
                    LEVEL, EFFECT, HELP)                                       \
  add(USAGE,                                                                   \
      several(USAGE, Emit::LEVEL, number(p.FIELD, LOW, HIGH, RANGE),           \
              &PlanOptions::FIELD),                                            \
      HELP, {GROUP, Emit::LEVEL});
#include "abi/PlanOptions.def"
}

void CommandLine::dropAlienOptions() {
  declarePassOptions(passes);
  SmallVector<cl::SubCommand *> commands = {&cl::SubCommand::getTopLevel()};
  for (const Subcommand &one : subcommands)
    commands.push_back(&one.command);
  for (cl::SubCommand *command : commands) {
    auto &known = cl::getRegisteredOptions(*command);
    for (auto [name, option] : llvm::make_early_inc_range(known))
      if (name == "help") {
        option->setDescription("this text");
        helpAll.addCategory(*option->Categories.front());
      } else if (name == "version")
        option->setDescription("the versions of zeroc and of LLVM");
      else if (option != &helpAll && name != "h" && name != "help-hidden" &&
               !isPassOption(*option) &&
               llvm::none_of(flags,
                             [&](const Flag &flag) { return &flag == option; }))
        known.erase(name);
  }
}

//===----------------------------------------------------------------------===//
// Options together
//===----------------------------------------------------------------------===//

void CommandLine::checkSizes() {
  if (options.worldSizes.size() == 1)
    return;
  const PipelineOptions &p = options.pipeline;
  const std::string given =
      "--world-size=" +
      llvm::join(
          llvm::map_range(options.worldSizes,
                          [](int64_t ranks) { return std::to_string(ranks); }),
          ",");
  auto alone = [&](const Twine &what) {
    fail(given + " is for a program with several plans, and " + what +
         "; give one number of ranks");
  };
  if (options.isPlanned || options.isSimulated)
    alone((options.isPlanned ? "zeroc plan" : "zeroc simulate") +
          Twine(" prints times or bytes of one"));
  if (options.emit != Emit::Executable)
    alone("--emit=" + Twine(emit) + " writes one");
  if (options.plan.free.any())
    alone("auto chooses one");
  if (p.sample == Sample::Only || p.sample == Sample::Score)
    alone("--sample-only and --score-only have no steps to share");
  const int64_t batches = p.worldSize * p.accumulate;
  for (int64_t ranks : options.worldSizes)
    if (batches % ranks)
      fail(given + ": a step has " + Twine(batches) + " micro-batches (" +
           Twine(p.worldSize) + " ranks x --accumulate=" + Twine(p.accumulate) +
           "), which " + Twine(ranks) +
           " ranks cannot share evenly; give a number of ranks that divides "
           "them, or another --accumulate");
}

/// Whether an option of a plan is not its default.
static bool isChanged(const PlanOptions &options, StringRef name) {
  bool isChanged = false;
  visitOptions(options,
               [&](StringRef one, const auto &value, const auto &otherwise) {
                 isChanged |= one == name && value != otherwise;
               });
  return isChanged;
}

void CommandLine::takeTarget() {
  options.target = &getTarget(target);
  TargetOptions &given = options.targetOptions;
  const bool asksPairs = given.attention == "bf16" || given.attention == "fp16";
  if (options.target->getArchs().empty()) {
    for (const auto &[flag, value, isAsked] :
         {std::tuple("--cuda-arch=", cudaArch, isGiven("--cuda-arch")),
          {"--collectives=", given.collectives, isGiven("--collectives")},
          {"--attention=", given.attention,
           given.attention == "tensor-cores" || given.attention == kCudnn}})
      if (isAsked)
        fail(flag + value + " is for GPUs; add --target=cuda");
    given.collectives = "host";
    if (asksPairs && options.pipeline.reference)
      fail("--reference has no kernel for --attention=" + given.attention +
           "; drop one of them");
    return;
  }
  if (options.pipeline.virtualShards && options.pipeline.worldSize > 1 &&
      given.collectives != "host")
    fail("--virtual-shards adds up ranks on the host; take "
         "--collectives=host instead of " +
         given.collectives);
  for (const zrt::CompileOption &option : zrt::kCompileOptions) {
    const StringRef name = option.name;
    if (!option.is(zrt::CompileOption::Processors) ||
        !isChanged(options.pipeline, name.drop_front(2)))
      continue;
    if (!options.isSimulated)
      fail(name + " is for processors; GPUs exchange what they have, drop it");
    llvm::errs() << "zeroc: note: programs for GPUs do not have " << name
                 << "; simulated as if they had\n";
  }
  if (asksPairs)
    fail("--attention=" + given.attention +
         " is for processors; use f32, tensor-cores or cudnn");
  if (options.pipeline.reference)
    fail("--reference computes on one thread of the processors; drop "
         "--target=" +
         target);
  given.arch = cudaArch;
  // cuDNN 9.19 has a backward of wider heads for Hopper alone.
  if (given.attention == kCudnn)
    options.pipeline.libraryAttention =
        given.arch == "sm_90" || given.arch == "emulated" ? 256 : 128;
  options.pipeline.padsRows = options.pipeline.givesRoom = true;
  // Products of few rows leave most of a GPU idle.
  constexpr int64_t kLossChunkOfGpu = int64_t{512} << 20;
  if (!isGiven("--loss-chunk"))
    options.pipeline.lossChunk = kLossChunkOfGpu;
}

/// The factor of adapters is a constant of the type that they compute in.
void CommandLine::checkFactor() const {
  const PipelineOptions &p = options.pipeline;
  if (p.loraRank == 0)
    return;
  const double rank = double(p.loraRank),
               factor =
                   p.loraAlpha / (p.rankStabilized ? std::sqrt(rank) : rank);
  const bool isHalf = p.precision == Precision::FP16;
  llvm::APFloat rounded(factor);
  bool losesInfo;
  rounded.convert(isHalf ? llvm::APFloat::IEEEhalf()
                         : llvm::APFloat::IEEEsingle(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  if (rounded.isZero())
    fail("--lora multiplies by " + optionText(factor) + ", which is 0 in " +
         (isHalf ? "f16" : "f32") + "; raise ALPHA");
}

DriverOptions CommandLine::check() {
  if (!deepSpeedFile.empty())
    takeDeepSpeed();
  if (options.input.empty())
    fail("no model given; usage: zeroc MODEL.mlir -o OUT (see zeroc --help)");
  SmallVector<StringRef> names = emitNames();
  options.emit = static_cast<Emit>(llvm::find(names, emit) - names.begin());
  takePrediction();
  // cuDNN's attention is other operations of the plan, not other code.
  auto changesOf = [&](const Flag &flag) {
    return flag.getName() == "--attention" &&
                   options.targetOptions.attention == kCudnn
               ? Emit::Kernels
               : *flag.changes;
  };
  for (const Flag &flag : flags) {
    if (!flag.changes || !flag.isSet())
      continue;
    // A file is for all levels, and a table has its own form.
    if ((options.isSimulated || options.isPlanned) &&
        flag.getName() == "--certificate")
      continue;
    // Ranks that share sequences change the step.
    const bool isOfContext =
        flag.getName() == "--world-size" && options.pipeline.context > 1;
    const Emit changes = changesOf(flag);
    if (options.emit < changes && flag.getNumOccurrences() && !isOfContext)
      fail(flag.getName() + " changes nothing before --emit=" +
           names[static_cast<int>(changes)] + ", and --emit=" + emit +
           " stops before that; drop one of them");
    std::string owner = flag.getNumOccurrences() ? "" : deepSpeedFile + "'s ";
    options.given.emplace_back(owner + flag.getName(), changes);
  }

  checkOptimizer();
  const PipelineOptions &p = options.pipeline;
  for (const zrt::CompileOption &option : zrt::kCompileOptions)
    if (p.loraRank == 0 && !option.ofLora.empty() && isGiven(option.name))
      fail(StringRef(option.name) + " is for " + StringRef(option.ofLora) +
           "; add --lora=RANK");
  checkFactor();
  if (p.dora && p.loraDropout != 0)
    fail("--dora has no dropout; drop --dora or --lora-dropout");
  if (isGiven("--sample") && isGiven("--sample-only"))
    fail("--sample-only has the program of --sample and no other; drop one of "
         "them");
  for (StringRef mode : {"--sample-only", "--score-only"})
    for (const zrt::CompileOption &option : zrt::kCompileOptions)
      if (option.is(zrt::CompileOption::Update |
                    zrt::CompileOption::Training) &&
          isGiven(mode) && isGiven(option.name))
        fail(mode + " is for a program that does not train; drop " +
             StringRef(option.name));
  takeTarget();
  checkInput();
  checkSizes();
  if (isGiven("--offload"))
    offload(options.pipeline, offloadAll);
  for (int64_t ranks : options.worldSizes) {
    PlanOptions checked = options.pipelineOf(ranks);
    if (options.plan.free.stage)
      checked.stage = 3; // has the options of all stages
    if (std::optional<Conflict> conflict =
            findConflict(checked, /*isKnown=*/false);
        conflict && options.plan.compared.empty())
      fail(conflict->text);
  }
  if (p.reference && isGiven("--loss-chunk"))
    fail("--reference computes the loss whole; drop --loss-chunk");

  if (llvm::Error error = checkPassOptions())
    fail(llvm::toString(std::move(error)));

  options.words = listShaping();
  bool isPrinted = options.emit <= Emit::LLVM;
  if (!isPrinted && options.output == "-")
    fail("a program or an object needs a file; name it with -o OUT");
  if (options.output.empty() && isPrinted)
    options.output = "-";
  if (options.output.empty())
    options.output =
        (options.input == "-" ? StringRef("train")
                              : llvm::sys::path::stem(options.input))
            .str() +
        (options.emit == Emit::Object ? ".o" : "");
  const std::string inputs[] = {options.input, deepSpeedFile,
                                options.optimizerFile,
                                options.prediction.machine};
  checkOutput(options.output,
              options.isPlanned || options.isSimulated ? zrt::kPredictionFile
              : isPrinted                              ? zrt::kModelFile
              : options.emit == Emit::Object           ? zrt::kObjectFile
                                                       : zrt::kProgramFile,
              inputs);
  if (!options.prediction.trace.empty())
    checkOutput(options.prediction.trace + ".0.jsonl", zrt::kTraceFile);
  if (!options.marks.constants.empty())
    checkOutput(options.marks.constants, zrt::kWeightsFile, inputs);
  return options;
}

void CommandLine::checkOutput(const std::string &output,
                              const zrt::FileKind &kind,
                              ArrayRef<std::string> inputs) const {
  if (output.empty() || output == "-")
    return;
  for (const std::string &input : inputs)
    if (isSameFile(output, input))
      fail("the output " + Twine(output) + " would overwrite " + input +
           "; name another file");
  if (const std::string why = zrt::whyNotReplaced(output, kind, force);
      !why.empty())
    fail(why);
}

/// The name of the option that LLVM does not know; "" if something else is
/// wrong.
static StringRef findUnknown(StringRef wrong) {
  if (!wrong.consume_front("Unknown command line argument '--"))
    return "";
  return wrong.take_until([](char c) { return c == '=' || c == '\''; });
}

/// What LLVM says, without a name that is nothing like the unknown one.
static StringRef withoutFarNames(StringRef wrong) {
  StringRef unknown = findUnknown(wrong);
  auto [first, rest] = wrong.split("\nzeroc: Did you mean '--");
  StringRef meant =
      rest.take_until([](char c) { return c == '=' || c == '\''; });
  const size_t most = std::max<size_t>(2, unknown.size() / 3);
  return !unknown.empty() && !meant.empty() && !unknown.starts_with(meant) &&
                 unknown.edit_distance(meant) > most
             ? first
             : wrong;
}

std::string CommandLine::explainUnknown(StringRef name) const {
  for (const auto &[command, check] : subcommands)
    for (const Flag &flag : flags)
      if (flag.getName() == ("--" + name).str() && flag.Subs.contains(&command))
        return ("--" + name + " is an option of zeroc " + command.getName() +
                "; see zeroc " + command.getName() + " --help")
            .str();
  return explainOptionOfOthers(
      name, llvm::none_of(subcommands,
                          [](const auto &one) { return bool(one.command); }));
}

int zero::printVersion() {
  llvm::outs() << "zeroc " ZEROC_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
  return 0;
}

Command zero::parseCommandLine(int argc, char **argv, StringRef overview) {
  cl::SetVersionPrinter([](llvm::raw_ostream &) { printVersion(); });
  // Not freed: the library keeps pointers to options until the process ends.
  CommandLine &line = *new CommandLine;
  // It has the options of the compiler, which those of a subcommand are not.
  SmallVector<char *> words(argv, argv + argc);
  const StringRef first = argc > 1 ? argv[1] : "";
  std::string program = "zeroc";
  if (first == "simulate" || first == "plan") {
    words.erase(words.begin() + 1);
    line.predict(first);
    argc = int(words.size());
    // The help says it.
    if (llvm::any_of(words, [](StringRef word) {
          return word.starts_with("--help") || word == "-h";
        }))
      words[0] = (program += " " + first.str()).data();
    argv = words.data();
  }
  line.hideOthers();
  std::string text;
  for (const CommandLine::Subcommand &one : line.getSubcommands())
    if (one.command.getName() != first)
      one.command.unregisterSubCommand();
  llvm::raw_string_ostream errors(text);
  bool isRight = cl::ParseCommandLineOptions(
      argc, argv, overview, &errors, /*VFS=*/nullptr, /*EnvVar=*/nullptr,
      /*LongOptionsUseDoubleDash=*/true);
  // What an option says of itself is printed before.
  StringRef wrong = text;
  wrong.consume_front("zeroc: ");
  // Subcommands have some of these names.
  if (StringRef name = findOptionOfTrain({argv + 1, argv + argc});
      !isRight && !name.empty() && wrong.contains(("--" + name).str()))
    fail("--" + name +
         " is an option of the program that zeroc makes; compile without it, "
         "then ./train --" +
         name + " ...");
  if (StringRef unknown = findUnknown(wrong); !unknown.empty())
    if (std::string text = line.explainUnknown(unknown); !text.empty())
      fail(text);
  wrong = withoutFarNames(wrong);
  if (wrong.starts_with("Too many positional arguments"))
    fail("too many files are given; zeroc takes one MODEL.mlir, zeroc import "
         "one CONFIG.json; see zeroc --help");
  if (!isRight)
    fail(wrong.empty() ? "an option is wrong; see zeroc --help" : wrong.trim());
  for (const auto &[command, check] : line.getSubcommands())
    if (command) {
      line.checkOptionsOf(command);
      return (line.*check)();
    }
  return line.check();
}
