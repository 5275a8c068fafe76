//===- Run.cpp - The state of a training run ------------------------------===//
#include "train/run/Run.h"

#include "runtime/text/Error.h"
#include "train/data/Feed.h"
#include "train/options/RunLength.h"

using namespace zrt;

void Run::open() {
  context.create(plan);
  if (options.drives) {
    auto rows = std::make_unique<GivenRows>(plan, options.seed);
    given = rows.get();
    feed = std::move(rows);
  } else {
    feed = std::make_unique<const Feed>(plan, options);
  }
  runner = std::make_unique<StepRunner>(plan, *feed, world.rank());
}

void Run::countEpochs() {
  if (options.epochs == 0)
    return;
  const EpochLength length = {options.epochs, feed->samples(),
                              samplesPerStep(plan)};
  const RunPosition from = resumed ? resumed->run : RunPosition();
  Schedule &schedule = options.schedule;
  schedule.steps = length.steps(from);
  const auto perStep = int64_t(samplesPerStep(plan));
  schedule.samples = {perStep, int64_t(begin.begunWith),
                      int64_t(from.sequences) +
                          (schedule.steps - from.step) * perStep};
  epochsText = fmt::format("epochs    {}\n", length.text(from));
  if (!schedule.hasRoom())
    fail("--warmup={} and --cooldown={} are more than the {} steps of "
         "--epochs={}",
         schedule.warmup, schedule.cooldown, schedule.steps, options.epochs);
}

uint64_t Run::arenaBytes() const {
  uint64_t bytes = 0;
  for (const uint32_t tier : {ZRT_DEVICE, ZRT_HOST}) // NVMe is not memory
    bytes += zrt_arena_bytes(context.get(), tier);
  return bytes;
}

void Run::checkWeights() {
  try {
    together(world, [&] {
      const std::string found = weights->firstNonfinite();
      if (!found.empty() && counts.done() > 0)
        fail("after step {}, the last: {}", counts.done() - 1, found);
    });
  } catch (const AgreedError &error) {
    divergence.emplace(error);
  }
}
