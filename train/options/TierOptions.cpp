//===- TierOptions.cpp - Options of the host and the nvme tier ------------===//
#include "train/options/Options.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/text/Bytes.h"

#include <algorithm>

using namespace zrt;

bool zrt::worksOnHost(const zrt_plan &plan) {
  return std::any_of(plan.streams, plan.streams + plan.stream_count,
                     [](const zrt_stream_desc &stream) {
                       return stream.stream_class == ZRT_HOST_STREAM;
                     });
}

void zrt::checkTierOptions(const zrt_plan &plan, const TrainOptions &options) {
  if (options.hostThreads != 0 && !worksOnHost(plan))
    usage("--host-threads={}: this plan does nothing in "
          "host memory; compile the model with "
          "--offload=cpu, or drop the option",
          options.hostThreads);
  const uint64_t nvme = plan.arena_bytes[ZRT_NVME];
  if (nvme != 0 && options.nvmePath.empty())
    usage("--nvme-path is missing; this plan keeps {} "
          "of each rank on nvme: name a folder on "
          "the drive, or several as A,B",
          shownBytes(nvme));
  for (const auto &[option, isGiven] :
       {std::pair("--nvme-path", !options.nvmePath.empty()),
        {"--nvme-endurance", options.nvmeEndurance.has_value()},
        {"--verify-reads", options.verifyReads}})
    if (nvme == 0 && isGiven)
      usage("{}: this plan keeps nothing on nvme; "
            "compile the model with --offload=nvme, or "
            "drop the option",
            option);
}
