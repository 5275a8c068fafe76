//===- Weights.cpp - How weights begin, and where they end ----------------===//
#include "runtime/main/Weights.h"

#include "runtime/Error.h"
#include "runtime/Vocabulary.h"
#include "runtime/initialize/InitializeParameters.h"
#include "runtime/main/StandardStreams.h"
#include "runtime/world/Agree.h"

using namespace zrt;

Weights::Weights(const zrt_plan &plan, const TrainOptions &options,
                 World &world, zrt_context *ctx, bool delaysUpdates)
    : options(options), world(world), ctx(ctx),
      all(findState(plan, world.rank(), delaysUpdates)) {
  if (world.rank() == 0 && !options.save.empty())
    checkSave(parameters(), options.save, options.saveType);
}

void Weights::initialize() const {
  for (const auto *each : {&parameters(), &all.roundings})
    if (options.init.empty())
      initializeParameters(*each, options.seed, zrt_threads(ctx), memory());
    else if (!each->empty())
      load(*each);
}

void Weights::load(const std::vector<Parameter> &into) const {
  const std::string warning = loadParameters(into, options.init, memory());
  if (world.rank() == 0 && &into == &parameters() && !warning.empty())
    complain(fmt::format("{}: warning: {}", options.program, warning));
}

void Weights::checkInitial(const std::string &source) const {
  for (const auto *each : {&parameters(), &all.roundings})
    if (const std::string found = zrt::firstNonfinite(*each, memory());
        !found.empty())
      fail("{}: {}{}; no training starts from that", source, found,
           each == &all.roundings ? ", rounded to 16 bits" : "");
}

std::string Weights::firstNonfinite() const {
  return zrt::firstNonfinite(parameters(), memory());
}

zrt_dtype Weights::saveType() const {
  if (options.saveType == ZRT_F32)
    return ZRT_F32;
  try {
    together(world, [&] {
      const std::string found =
          firstBeyond(parameters(), memory(), options.saveType);
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
  saveParameters(parameters(), options.save, memory(), world, type);
  return type == options.saveType;
}
