//===- Main.cpp - main() of every training program ------------------------===//
//
// The plan is attached to the program, or several are, of which the one for the
// number of ranks is loaded (runtime/program/Attachments.h).
//
//===----------------------------------------------------------------------===//
#include "runtime/program/Attachments.h"
#include "runtime/text/Error.h"
#include "train/options/Options.h"
#include "train/report/StandardStreams.h"
#include "train/run/Elastic.h"
#include "train/run/Mains.h"

using namespace zrt;

namespace {

const zrt_plan &loadPlan(const std::string &name) {
  // A plan for a GPU refers to a symbol of the CUDA device.
  loadAttachment(kCudaAttachment);
  const void *plan = nullptr;
  if (loadAttachment(name.c_str()))
    plan = findSymbol("zrt_compiled_plan");
  if (!plan)
    fail("this program has no plan; zeroc makes programs that have one, and "
         "tools such as strip remove it");
  return *static_cast<const zrt_plan *>(plan);
}

/// Chooses the plan for the number of ranks, and trains.
int trainPlan(int argc, const char *const *argv) {
  std::vector<uint32_t> sizes = planSizes();
  const zrt_plan *plan = sizes.empty() ? &loadPlan(kPlanAttachment) : nullptr;
  if (plan && (generatesOnly(*plan) || scoresOnly(*plan)))
    return trainMain(*plan, argc, argv);
  TrainOptions options = parseOptions(argc, argv);
  if (plan)
    sizes = {plan->world_size};
  const std::optional<Launched> launcher = findLauncher();
  uint32_t ranks = chooseRanks(sizes, options, launcher);
  if (options.elastic && !launcher) {
    if (plan)
      usage("--elastic goes on with other numbers of ranks, and this program "
            "has a plan for {} alone; compile it with --world-size={},...",
            ranks, ranks);
    ranks = startElastically(sizes, ranks, options);
  }
  try {
    return trainMain(plan ? *plan : loadPlan(planAttachmentName(ranks)),
                     options);
  } catch (const UsageError &) {
    if (options.startedRank > 0) // rank 0 prints it
      return kMisused;
    throw;
  }
}

} // namespace

int main(int argc, char **argv) {
  openStandardStreams();
  return guarded(programName(argc > 0 ? argv[0] : nullptr),
                 [&] { return trainPlan(argc, argv); });
}
