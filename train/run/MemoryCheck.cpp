//===- MemoryCheck.cpp - Holds a plan against the memory ------------------===//
#include "train/run/MemoryCheck.h"

#include "runtime/text/Bytes.h"
#include "runtime/world/Agree.h"
#include "runtime/world/Process.h"

#include <string_view>
#include <vector>

using namespace zrt;

namespace {

/// Options of zeroc with which `plan` may need less, and that it lacks.
std::string smallerPlans(const zrt_plan &plan) {
  const std::string_view options = plan.options ? plan.options : "";
  std::string text = "a smaller --batch or --seq of zeroc import";
  for (const char *option : {"--remat=block", "--offload=nvme"})
    if (options.find(option) == std::string_view::npos)
      text += fmt::format(", {}", option);
  return text;
}

struct HostCard {
  uint64_t host, available;
  bool isChecked;
};

} // namespace

std::string zrt::memoryRefusal(const zrt_plan &plan, uint64_t ranks,
                               const AvailableMemory &available) {
  // A GPU has the first arena in its own memory.
  const uint64_t arenas = plan.arena_bytes[ZRT_HOST] +
                          (plan.make_device ? 0 : plan.arena_bytes[ZRT_DEVICE]);
  if (arenas <= mostArenaBytes(available, ranks))
    return "";
  std::string need = withUnit(arenas + kProgramMemory);
  if (ranks > 1)
    need = fmt::format("{} for each of {} ranks on this host", need, ranks);
  return fmt::format(
      "the plan needs {} (arenas of {}, and {} for the program), and {} can be "
      "taken of the {} that {} has as available; compile it with {}, or start "
      "it anyway with --memory-check=off",
      need, shownBytes(arenas), withUnit(kProgramMemory),
      withUnit(takeableBytes(available)), withUnit(available.bytes),
      available.source, smallerPlans(plan));
}

void zrt::checkMemory(World &world, const zrt_plan &plan, bool isChecked) {
  AvailableMemory available = availableMemory();
  const HostCard mine = {hostIdentity(), available.bytes, isChecked};
  uint64_t ranks = 0;
  // The ranks of a host take what the first one found, so that they all say the
  // same, which is printed once.
  for (const HostCard &card : world.gather(mine))
    if (card.host == mine.host && ranks++ == 0) {
      available.bytes = card.available;
      isChecked = card.isChecked;
    }
  const std::string refusal =
      isChecked ? memoryRefusal(plan, ranks, available) : "";
  agree(world, refusal.empty() ? std::nullopt : std::optional(refusal));
}
