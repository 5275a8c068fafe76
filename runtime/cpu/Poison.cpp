//===- Poison.cpp - Forgets what a program left behind --------------------===//
#include "runtime/cpu/Poison.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace zrt;

void zrt::poisonTemporaries(const zrt_plan &plan, uint32_t tier,
                            std::byte *arena) {
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
  // Ends the last gap.
  kept.push_back({tier, 0, plan.arena_bytes[tier], 0});
  std::sort(kept.begin(), kept.end(), [](const zrt_ref &x, const zrt_ref &y) {
    return x.offset < y.offset;
  });
  uint64_t begin = 0;
  for (const zrt_ref &ref : kept) {
    if (begin < ref.offset)
      std::memset(arena + begin, 0xff, ref.offset - begin);
    begin = std::max(begin, ref.offset + ref.bytes);
  }
}
