//===- Weights.cpp - Initializes and saves the weights of a run -----------===//
#include "train/run/Weights.h"

#include "runtime/files/OwnFiles.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "train/report/StandardStreams.h"
#include "train/state/initialize/InitializeParameters.h"
#include "train/state/initialize/Magnitudes.h"
#include "train/state/initialize/RandomFill.h"
#include "train/state/io/AdapterFolder.h"
#include "train/state/io/Json.h"

#include <algorithm>
#include <filesystem>
#include <set>

using namespace zrt;

/// The head of transformers' classes for sequence classification, which other
/// files of a model lack.
static constexpr std::string_view kScoreHead = "score.weight";

namespace {

/// The parameters that are frozen, or those that are trained.
std::vector<Parameter> select(const std::vector<Parameter> &all, bool frozen) {
  std::vector<Parameter> some;
  for (const Parameter &parameter : all)
    if (parameter.frozen == frozen)
      some.push_back(parameter);
  return some;
}

/// Whether the model predicts tokens, and so has an output layer.
bool predictsTokens(const zrt_plan &plan) {
  int64_t tokens = 0, targets = 0;
  for (const zrt_input &input : inputsOf(plan))
    if (std::string_view(input.name) == "tokens")
      tokens = input.bound;
    else if (std::string_view(input.name) == "targets")
      targets = input.bound;
  return (tokens != 0 && tokens == targets) ||
         std::ranges::any_of(outputsOf(plan), [](const zrt_output &output) {
           return std::string_view(output.name) == "logits";
         });
}

/// The folder of a Hugging Face model that `path` names or lies in, else
/// `path`.
std::string baseModel(const std::string &path) {
  std::error_code error;
  const std::filesystem::path base = absolutePath(path);
  const bool isFile =
      std::filesystem::exists(base.parent_path() / "config.json", error) &&
      !std::filesystem::is_directory(base, error);
  return isFile ? base.parent_path().string() : base.string();
}

} // namespace

Weights::Weights(const zrt_plan &plan, const TrainOptions &options,
                 World &world, zrt_context *ctx, bool delaysUpdates)
    : plan(plan), options(options), world(world), ctx(ctx),
      all(findState(plan, world.rank(), delaysUpdates)) {
  checkAdapters();
  if (world.rank() != 0 || options.save.empty())
    return;
  if (hasAdapters()) {
    OwnFolder(options.save)
        .check({kAdapterFile, kAdapterConfig}, options.force);
    makeFolder("--save", options.save);
  } else {
    checkReplaced(options.save, kWeightsFile, options.force);
  }
  checkSave(trainedInFile(parameters()), savePath(), options.saveType);
}

std::vector<Parameter>
Weights::trainedInFile(const std::vector<Parameter> &some) const {
  std::vector<Parameter> trained = select(some, /*frozen=*/false);
  if (hasAdapters()) {
    for (Parameter &parameter : trained)
      if (!isOfAdapter(parameter.name))
        parameter.name = std::string(kAdaptedModel) + parameter.name;
    std::ranges::sort(trained, {}, &Parameter::name);
  }
  return trained;
}

std::pair<std::vector<Parameter>, std::vector<Parameter>>
Weights::splitBase(const std::vector<Parameter> &some) const {
  std::pair<std::vector<Parameter>, std::vector<Parameter>> split;
  for (const Parameter &parameter : some) {
    const bool isAdded =
        hasAdapters() ? isOfAdapter(parameter.name) : !parameter.frozen;
    (isAdded ? split.second : split.first).push_back(parameter);
  }
  return split;
}

void Weights::checkAdapters() const {
  if (options.adapter.empty())
    return;
  if (!hasAdapters())
    fail("--adapter={}: this plan has no adapters; compile it with --lora=RANK",
         options.adapter);
  checkAdapterConfig(options.adapter, plan.adapters);
  std::set<std::string> names;
  for (const Parameter &parameter : trainedInFile(parameters()))
    names.insert(parameter.name);
  checkAdapterTensors(options.adapter, names);
}

std::string Weights::savePath() const {
  return hasAdapters() ? options.save + "/" + kAdapterFile : options.save;
}

void Weights::checkBase() const {
  if (hasAdapters() && options.init.empty() && !options.initIsRandom)
    fail("--init is missing: this plan trains adapters of a model, whose "
         "weights would be random; name its file or folder, or say "
         "--init=random");
}

void Weights::hashBase() {
  if (options.checkpoint.folder.empty() || options.init.empty() ||
      std::ranges::none_of(parameters(), &Parameter::frozen))
    return;
  std::unique_ptr<Base> found;
  together(world, [&] { found = std::make_unique<Base>(options.init); });
  const std::vector<char> replaces =
      world.gather(char(found->has(options.save)));
  if (std::ranges::count(replaces, 1) > 0)
    return;
  // Before they are read for the parameters, as this reads large pieces on all
  // threads.
  found->hash(world, zrt_threads(ctx));
  base = std::move(found);
}

void Weights::initialize() {
  initialize(parameters(), /*warns=*/true);
  // The roundings come from the same files.
  initialize(all.roundings, /*warns=*/false);
  if (const std::string file = changedBase(); !file.empty())
    fail("{} was changed while it was read; leave it as it is", file);
  if (base)
    leaveToBase(all, *base);
}

void Weights::takeBase(CheckpointReader &reader) {
  base = reader.takeBase();
  if (base && !base->has(options.save))
    leaveToBase(all, reader.manifest(), base->path());
}

std::vector<Parameter> Weights::takeHead(std::vector<Parameter> &some,
                                         bool warns) const {
  std::vector<Parameter> heads;
  if (options.init.empty() ||
      (!plan.programs[ZRT_STEP].ops && options.adapter.empty()))
    return heads;
  std::erase_if(some, [&](const Parameter &parameter) {
    const bool lacks =
        parameter.name == kScoreHead && !holdsAny(options.init, {parameter});
    if (lacks)
      heads.push_back(parameter);
    return lacks;
  });
  if (!heads.empty() && options.adapter.empty() && warns && world.rank() == 0)
    complain(fmt::format("{}: note: {} has no {}, which begins random",
                         options.program, options.init, kScoreHead));
  return heads;
}

void Weights::initialize(const std::vector<Parameter> &wanted,
                         bool warns) const {
  std::vector<Parameter> some = wanted;
  const std::vector<Parameter> heads = takeHead(some, warns);
  initializeParameters(heads, options.seed, zrt_threads(ctx), memory());
  const auto [base, added] = splitBase(some);
  // Files of a base model do not contain the parameters that are added to it.
  const bool isBase = !options.init.empty() &&
                      !splitBase(parameters()).first.empty() &&
                      !holdsAny(options.init, added);
  const bool isRandom = options.init.empty();
  if (isRandom)
    initializeParameters(base, options.seed, zrt_threads(ctx), memory());
  else
    load(isBase ? base : some, options.init, warns);
  if (!options.adapter.empty())
    load(trainedInFile(wanted), options.adapter + "/" + kAdapterFile, warns);
  else if (isRandom || isBase) {
    initializeParameters(added, options.seed, zrt_threads(ctx), memory());
    if (hasAdapters())
      initializeMagnitudes(
          added, parameters(),
          parsePlanJson(plan.adapters).value("fan_in_fan_out", false),
          [&](const Parameter &weight) -> ElementSource {
            if (!isRandom)
              return elementsIn(options.init, weight);
            return [&](uint64_t first, uint64_t count, float *to) {
              fillInitial(weight.init, options.seed, weight.name, first, count,
                          to);
            };
          },
          memory());
  }
}

void Weights::load(const std::vector<Parameter> &into, const std::string &path,
                   bool warns) const {
  if (into.empty())
    return;
  const std::string warning =
      loadParameters(into, path, memory(), /*needsHead=*/predictsTokens(plan));
  if (world.rank() == 0 && warns && !warning.empty())
    complain(fmt::format("{}: warning: {}", options.program, warning));
}

void Weights::checkInitial(const std::string &resumed) const {
  for (const auto *each : {&parameters(), &all.roundings})
    for (const bool isFrozen : {false, true}) {
      const std::string found =
          zrt::firstNonfinite(select(*each, isFrozen), memory());
      const std::string &source = !resumed.empty() ? resumed
                                  : !isFrozen && !options.adapter.empty()
                                      ? options.adapter
                                      : options.init;
      if (!found.empty())
        fail("{}: {}{}; no training starts from that",
             source.empty() ? "initial weights" : source, found,
             each == &all.roundings ? ", rounded to 16 bits" : "");
    }
}

std::string Weights::firstNonfinite() const {
  return zrt::firstNonfinite(parameters(), memory());
}

zrt_dtype Weights::saveType() const {
  if (options.saveType == ZRT_F32)
    return ZRT_F32;
  try {
    together(world, [&] {
      const std::string found = firstBeyond(
          select(parameters(), /*frozen=*/false), memory(), options.saveType);
      if (!found.empty())
        fail("{}, more than {} holds", found, dtypeName(options.saveType));
    });
    return options.saveType;
  } catch (const AgreedError &error) {
    if (!error.printedElsewhere)
      complain(fmt::format("{}: warning: {}; the weights are saved as f32",
                           options.program, error.what()));
    return ZRT_F32;
  }
}

std::string Weights::adapterConfig() const {
  nlohmann::json config = parsePlanJson(plan.adapters);
  if (all.base)
    config["base_model_name_or_path"] = baseModel(all.base->path);
  else if (!options.init.empty())
    config["base_model_name_or_path"] = baseModel(options.init);
  else
    complain(fmt::format(
        "{}: warning: {}/adapter_config.json names no base model, as there is "
        "no --init: set \"base_model_name_or_path\" before others load it",
        options.program, options.save));
  return config.dump(2);
}

bool Weights::save() const {
  const zrt_dtype type = saveType();
  std::optional<OwnFolder> folder;
  together(world, [&] {
    if (hasAdapters() && world.rank() == 0)
      folder.emplace(options.save).begin(kAdapterFile);
  });
  saveParameters(trainedInFile(parameters()), savePath(), memory(), world,
                 type);
  together(world, [&] {
    if (!folder)
      return;
    folder->end(kAdapterFile);
    folder->begin(kAdapterConfig);
    writeAdapterConfig(options.save, adapterConfig());
    folder->end(kAdapterConfig);
  });
  return type == options.saveType;
}
