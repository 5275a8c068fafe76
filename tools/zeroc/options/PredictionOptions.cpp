//===- PredictionOptions.cpp - Options of predicted times and of plan -----===//
#include "abi/CompileOptions.h"
#include "tools/LibraryFile.h"
#include "tools/zeroc/options/CommandLine.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Options of one of zeroc, zeroc plan and zeroc simulate, which have all
/// others.
struct OwnOption {
  StringLiteral name;
  enum Command { Compile, Plan, Simulate } command;
};
constexpr OwnOption kOwnOptions[] = {{"--emit", OwnOption::Compile},
                                     {"--timing", OwnOption::Compile},
                                     {"--cpu", OwnOption::Compile},
                                     {"--attention", OwnOption::Compile},
                                     {"--collectives", OwnOption::Compile},
                                     {"--batch", OwnOption::Plan},
                                     {"--seq", OwnOption::Plan},
                                     {"--batch-tokens", OwnOption::Plan},
                                     {"--trace", OwnOption::Simulate},
                                     {"--list-work", OwnOption::Simulate},
                                     {"--jitter", OwnOption::Simulate},
                                     {"--straggler", OwnOption::Simulate},
                                     {"--jitter-seed", OwnOption::Simulate}};

/// The options of zeroc simulate alone.
auto ofSimulate() {
  return llvm::make_filter_range(kOwnOptions, [](const OwnOption &one) {
    return one.command == OwnOption::Simulate;
  });
}

} // namespace

void CommandLine::hideOthers() {
  const OwnOption::Command command = options.isPlanned     ? OwnOption::Plan
                                     : options.isSimulated ? OwnOption::Simulate
                                                           : OwnOption::Compile;
  for (Flag &flag : flags)
    if (flag.Subs.contains(&cl::SubCommand::getTopLevel()))
      for (const OwnOption &own : kOwnOptions)
        if (own.name == flag.getName() && own.command != command)
          flag.setHiddenFlag(cl::ReallyHidden);
}

void CommandLine::declarePrediction() {
  SimulateRequest &simulated = options.prediction;
  add("machine=FILE", text(simulated.machine).showing(""),
      "the machine whose time a step is predicted for: a file of\n"
      "zeroc calibrate, or one of machines/, as h100",
      {machine});
  add("threads-per-rank=N",
      count(simulated.threads, 1, 4096, "an integer from 1 to 4096")
          .showing("cores / ranks"),
      "with --machine: threads that compute for a rank", {machine});
  add("network=BYTES", bytes(simulated.network, 1, "all on one host"),
      "with simulate, plan and auto: collectives go over a\n"
      "network; a rank's link carries so many bytes a second\n"
      "each way",
      {machine});
  add("jitter=PART",
      number(simulated.jitter.mean, 0, 10, "a number from 0 to 10"),
      "the mean part by which each operation of\n"
      "each rank takes longer, at random",
      {machine});
  add("straggler=FACTOR",
      number(simulated.jitter.straggler, 1, 1000, "a number from 1 to 1000"),
      "how much longer the last rank computes", {machine});
  add("jitter-seed=N", count(jitterSeed, 0, INT32_MAX, "an integer, 0 or more"),
      "seed of --jitter", {machine});
  add("batch-tokens=N",
      count(options.plan.batchTokens, 1, int64_t(1) << 40,
            "an integer from 1 to 2^40")
          .showing(""),
      "of a model's folder: tokens of a step of all\n"
      "ranks; micro-batches and --accumulate are chosen",
      {output});
  add("trace=PREFIX", text(simulated.trace).showing(""),
      "write the predicted times to\n"
      "PREFIX.0.jsonl, for zeroc trace",
      {output});
  add("list-work", given(simulated.listWork),
      "print the work of each operation, as JSON,\n"
      "instead of the time",
      {output});
}

/// The value "auto" of the options that a search may choose.
Values CommandLine::mayBeAuto(StringRef usage, Values values) {
  FreeOptions &free = options.plan.free;
  for (auto [name, isFree] : {std::pair{StringRef("stage"), &free.stage},
                              {"remat", &free.remat},
                              {"bucket-size", &free.bucketSize},
                              {"reuse-distance", &free.reuseDistance},
                              {"persist-below", &free.persistBelow},
                              {"prefetch", &free.prefetch}})
    if (getOptionName(usage) == name)
      return orAuto(std::move(values), *isFree);
  return values;
}

/// What zeroc simulate and zeroc plan need; their options are errors elsewhere.
void CommandLine::takePrediction() {
  SimulateRequest &simulated = options.prediction;
  if (!simulated.machine.empty())
    simulated.machine = findMachineFile(simulated.machine);
  takeSearch();
  if (options.isSimulated || options.isPlanned) {
    takeModelToPredict();
    return;
  }
  for (const OwnOption &own : ofSimulate())
    if (isGiven(own.name))
      fail(own.name + " is for zeroc simulate MODEL.mlir; drop it, or write "
                      "simulate before the model");
  if (isGiven("--network") && !options.plan.free.any())
    fail("--network is for zeroc simulate or plan MODEL.mlir, and for options "
         "that are auto; drop it, or write simulate before the model");
  if (isGiven("--threads-per-rank") && simulated.machine.empty())
    fail("--threads-per-rank is for predicted times; add --machine=FILE. A "
         "program's threads are those of ./train --threads");
  if (!simulated.machine.empty() && !options.plan.free.any() &&
      options.emit < Emit::Object)
    fail("--machine predicts the time of a program that is written; drop it, "
         "or see zeroc simulate");
}

void CommandLine::takeModelToPredict() {
  SimulateRequest &simulated = options.prediction;
  const std::string command =
      options.isSimulated ? "zeroc simulate" : "zeroc plan";
  for (StringRef name : {"--emit", "--timing"})
    if (isGiven(name))
      fail(command + " prints times and no plan; drop " + name);
  if (simulated.machine.empty() && options.isSimulated)
    fail(command + " needs --machine=FILE: zeroc calibrate -o machine.json "
                   "measures this machine, and machines/ has published ones");
  for (StringRef name : {"--network", "--threads-per-rank", "--batch-tokens"})
    if (simulated.machine.empty() && isGiven(name))
      fail(name + " is for predicted times; add --machine=FILE");
  for (StringRef name : {"--trace", "--network", "--jitter", "--straggler",
                         "--threads-per-rank"})
    if (simulated.listWork && isGiven(name))
      fail("--list-work counts work and predicts no time; drop " + name);
  for (const OwnOption &own : ofSimulate())
    if (options.isPlanned && isGiven(own.name))
      fail(own.name + " is for zeroc simulate, of one plan; drop it");
  if (isGiven("--jitter-seed") && !isGiven("--jitter"))
    fail("--jitter-seed is the seed of --jitter; add --jitter=PART");
  if (isGiven("--network") && options.pipeline.worldSize == 1)
    fail("--network is between ranks; add --world-size=N");
  for (StringRef name : {"--cpu", "--attention", "--collectives"})
    if (isGiven(name) &&
        (name != "--attention" || options.targetOptions.attention != kCudnn))
      fail(command + " makes no code, so " + name +
           " changes nothing; drop it");
  options.emit = Emit::Memory;
  simulated.isJson = options.certificate == "json";
  simulated.jitter.seed = uint64_t(jitterSeed);
}

/// What is free to choose: what is auto; with zeroc plan, all that is not
/// given.
void CommandLine::takeSearch() {
  FreeOptions &free = options.plan.free;
  auto findTier = [&]() -> StringRef {
    for (const zrt::CompileOption &option : zrt::kCompileOptions)
      if (option.is(zrt::CompileOption::Tier) && isGiven(option.name))
        return option.name;
    return "";
  };
  if (free.offload && !findTier().empty())
    fail("--offload=auto chooses tiers, and " + findTier() +
         " is one; drop one of them");
  auto needMachine = [&] {
    if (options.prediction.machine.empty())
      fail("auto chooses by predicted time; add --machine=FILE: zeroc "
           "calibrate -o machine.json measures this machine, and machines/ has "
           "published ones");
  };
  // Of zeroc plan the others are chosen by memory, too.
  if (options.isPlanned && (free.bucketSize || free.reuseDistance ||
                            free.persistBelow || free.prefetch))
    needMachine();
  PlanRequest &plan = options.plan;
  if (isGiven("--batch-tokens") && !(options.isPlanned && options.isFolder()))
    fail("--batch-tokens is for zeroc plan MODEL_DIR; a model.mlir has its "
         "batch, and --accumulate=K");
  if (options.isPlanned && options.isFolder() &&
      (!deepSpeedFile.empty() || !options.optimizerFile.empty()))
    fail((deepSpeedFile.empty() ? "--optimizer=" + options.optimizerFile
                                : "--ds-config=" + deepSpeedFile) +
         " is for a model.mlir; import " + options.input + " first");
  if (options.isPlanned) {
    if (isGiven("--batch-tokens") && isGiven("--accumulate"))
      fail("--batch-tokens chooses micro-steps, and --accumulate says them; "
           "drop one of them");
    plan.choosesBatch = plan.batchTokens && !isGiven("--batch");
    plan.choosesPrecision = options.isFolder() && !isGiven("--precision");
    plan.choosesContext = !isGiven("--context");
    plan.choosesTraining = options.isFolder() &&
                           options.prediction.machine.empty() &&
                           !isGiven("--lora");
    std::vector<std::string> typed = {
        "-o",        "--machine",     "--threads-per-rank",
        "--network", "--certificate", "--batch",
        "--seq",     "--batch-tokens"};
    for (const std::vector<NamedValue> &values : plan.compared)
      typed.push_back(StringRef(values.front().text).split('=').first.str());
    plan.given = listTyped(typed);
    if (!plan.compared.empty())
      return takeCompared();
    free.stage |= !isGiven("--stage") && !isGiven("--persist-below");
    free.persistBelow |= !isGiven("--persist-below");
    free.accumulateOrder |= !isGiven("--accumulate-order");
    free.offload |= !isGiven("--offload") && findTier().empty();
    free.remat |= !isGiven("--remat");
    free.bucketSize |= !isGiven("--bucket-size");
    free.reuseDistance |= !isGiven("--reuse-distance");
    free.prefetch |= !isGiven("--prefetch");
  }
  if (!free.any() || options.isPlanned)
    return;
  if (options.pipeline.reference)
    fail("--reference has no choices; drop it");
  needMachine();
}
