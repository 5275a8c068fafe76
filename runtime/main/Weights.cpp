//===- Weights.cpp - How weights begin, and where they end ----------------===//
#include "runtime/main/Weights.h"

#include "runtime/Error.h"
#include "runtime/Vocabulary.h"
#include "runtime/initialize/InitializeParameters.h"
#include "runtime/io/AdapterFolder.h"
#include "runtime/main/StandardStreams.h"
#include "runtime/world/Agree.h"

using namespace zrt;

namespace {

/// Those that are frozen, or those that are trained.
std::vector<Parameter> select(const std::vector<Parameter> &all, bool frozen) {
  std::vector<Parameter> some;
  for (const Parameter &parameter : all)
    if (parameter.frozen == frozen)
      some.push_back(parameter);
  return some;
}

} // namespace

Weights::Weights(const zrt_plan &plan, const TrainOptions &options,
                 World &world, zrt_context *ctx, bool delaysUpdates)
    : plan(plan), options(options), world(world), ctx(ctx),
      all(findState(plan, world.rank(), delaysUpdates)) {
  checkAdapters();
  if (world.rank() != 0 || options.save.empty())
    return;
  if (hasAdapters())
    makeFolder("--save", options.save);
  checkSave(select(parameters(), /*frozen=*/false), savePath(),
            options.saveType);
}

void Weights::checkAdapters() const {
  if (options.adapter.empty())
    return;
  if (!hasAdapters())
    fail("--adapter={}: this plan has no adapters; compile it with --lora=RANK",
         options.adapter);
  checkAdapterConfig(options.adapter, plan.adapters);
}

std::string Weights::savePath() const {
  return hasAdapters() ? options.save + "/" + kAdapterFile : options.save;
}

void Weights::initialize() const {
  initialize(parameters(), /*warns=*/true);
  // Roundings are read from the same files.
  initialize(all.roundings, /*warns=*/false);
}

void Weights::initialize(const std::vector<Parameter> &some, bool warns) const {
  const std::vector<Parameter> frozen = select(some, true),
                               trained = select(some, false);
  // Files of a base model do not have what is trained beside it.
  const bool isBase = !options.init.empty() &&
                      !select(parameters(), true).empty() &&
                      !holdsAny(options.init, trained);
  const bool isRandom = options.init.empty();
  if (isRandom)
    initializeParameters(frozen, options.seed, zrt_threads(ctx), memory());
  else
    load(isBase ? frozen : some, options.init, warns);
  if (!options.adapter.empty())
    load(trained, options.adapter + "/" + kAdapterFile, warns);
  else if (isRandom || isBase)
    initializeParameters(trained, options.seed, zrt_threads(ctx), memory());
}

void Weights::load(const std::vector<Parameter> &into, const std::string &path,
                   bool warns) const {
  if (into.empty())
    return;
  const std::string warning = loadParameters(into, path, memory());
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

bool Weights::save() const {
  const zrt_dtype type = saveType();
  saveParameters(select(parameters(), /*frozen=*/false), savePath(), memory(),
                 world, type);
  if (hasAdapters())
    together(world, [&] {
      if (world.rank() == 0)
        writeAdapterConfig(options.save, plan.adapters);
    });
  return type == options.saveType;
}
