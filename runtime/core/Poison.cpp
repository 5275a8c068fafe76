//===- Poison.cpp - Overwrites dead memory between programs ---------------===//
#include "runtime/core/Poison.h"

#include <algorithm>

using namespace zrt;

std::vector<zrt_ref> zrt::temporaries(const zrt_plan &plan, uint32_t tier) {
  std::vector<zrt_ref> kept;
  const auto keep = [&](const zrt_ref &ref) {
    if (ref.tier == tier)
      kept.push_back(ref);
  };
  for (uint32_t i = 0; i < plan.state_count; ++i)
    keep(plan.states[i].ref);
  for (uint32_t i = 0; i < plan.input_count; ++i)
    keep(plan.inputs[i].ref);
  for (uint32_t i = 0; i < plan.output_count; ++i)
    keep(plan.outputs[i].ref);
  // An empty range at the end closes the last gap.
  kept.push_back({tier, 0, plan.arena_bytes[tier], 0});
  std::sort(kept.begin(), kept.end(), [](const zrt_ref &x, const zrt_ref &y) {
    return x.offset < y.offset;
  });
  std::vector<zrt_ref> gaps;
  uint64_t begin = 0;
  for (const zrt_ref &ref : kept) {
    if (begin < ref.offset)
      gaps.push_back({tier, 0, begin, ref.offset - begin});
    begin = std::max(begin, ref.offset + ref.bytes);
  }
  return gaps;
}

void zrt::poisonTemporaries(const zrt_plan &plan, Device &device) {
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
    for (const zrt_ref &ref : temporaries(plan, tier))
      device.fill(ref, 0xff);
}
