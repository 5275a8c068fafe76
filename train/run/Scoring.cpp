//===- Scoring.cpp - Runs a plan's program score --------------------------===//
#include "train/run/Scoring.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"
#include "runtime/world/Agree.h"
#include "train/data/HostAccess.h"

#include <algorithm>
#include <string_view>

using namespace zrt;

const zrt_output &zrt::findValues(const zrt_plan &plan) {
  for (const zrt_output &output : outputsOf(plan))
    if (std::string_view(output.name) == "values" && output.dtype == ZRT_F32)
      return output;
  fail("the plan scores samples, and has no output \"values\" of f32; compile "
       "the model again");
}

std::vector<float> zrt::scoreAll(const zrt_plan &plan, const BatchSource &feed,
                                 uint64_t samples, World &world,
                                 zrt_context *ctx) {
  const zrt_output &output = findValues(plan);
  const uint64_t batch = feed.samplesPerBatch(), ranks = plan.world_size,
                 atOnce = batch * ranks,
                 columns = output.ref.bytes / sizeof(float) / batch;
  std::vector<float> mine(batch * columns), all(ranks * mine.size()), found;
  for (uint64_t run = 0; run * atOnce < samples; ++run) {
    const std::string where = fmt::format("batch {}", run);
    together(world, [&] {
      feed.write(ctx,
                 {.step = run, .rank = uint64_t(world.rank()), .ranks = ranks},
                 /*micro=*/0, where);
    });
    if (zrt_run(ctx, ZRT_SCORE) != 0)
      fail("{}: {}", where, zrt_error_message(ctx));
    readBytes(ctx, output.ref, mine.data());
    world.allGather(mine.data(), mine.size() * sizeof(float), all.data());
    if (world.rank() == 0) // after the last sample, the first ones come again
      found.insert(found.end(), all.begin(),
                   all.begin() + long(std::min(atOnce, samples - run * atOnce) *
                                      columns));
  }
  return found;
}
