//===- Mirror.cpp - Host memory for exchanged GPU data --------------------===//
#include "runtime/device/cuda/Mirror.h"

#include "runtime/device/cuda/collectives/GpuCollectives.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Bytes.h"

#include <algorithm>

using namespace zrt;
using namespace zrt::cuda;

namespace {

struct Range {
  uint64_t begin, end;
};

/// Returns the ranges of the device arena that collectives use: whole pages,
/// disjoint and in order.
std::vector<Range> exchanged(const zrt_plan &plan) {
  constexpr uint64_t kPage = 4096;
  std::vector<Range> all;
  const auto add = [&](const zrt_ref &ref) {
    if (ref.tier == ZRT_DEVICE && ref.bytes != 0)
      all.push_back(
          {ref.offset / kPage * kPage, roundUp(ref.offset + ref.bytes, kPage)});
  };
  forEachCollective(plan, [&](zrt_stream, const zrt_collective_desc &desc) {
    add(desc.source.ref);
    add(desc.result.ref);
  });
  std::ranges::sort(all, {}, &Range::begin);
  std::vector<Range> merged;
  for (const Range &range : all)
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  return merged;
}

} // namespace

Mirror::Mirror(const Gpu &gpu, const zrt_plan &plan) {
  const std::vector<Range> ranges = exchanged(plan);
  if (ranges.empty() || communicatesOnGpus(plan))
    return;
  const uint64_t bytes = plan.arena_bytes[ZRT_DEVICE];
  arena.allocate(bytes, ZRT_DEVICE,
                 plan.world_size > 1 ? plan.exported_begin : bytes);
  for (const Range &range : ranges)
    pinned.push_back(std::make_unique<PinnedMemory>(
        gpu, at(range.begin), range.end - range.begin,
        "what ranks exchange through host memory"));
}
