//===- Report.cpp - The reports before and after training -----------------===//
#include "train/report/Report.h"

#include "abi/Counts.h"
#include "runtime/plan/PlanTable.h"
#include "train/report/StandardStreams.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <numeric>
#include <string_view>

using namespace zrt;

namespace {

std::string_view orUnknown(const char *text) {
  return text && *text ? text : "?";
}

/// The elements of all parameters, or of the trained ones.
uint64_t parameterCount(const zrt_plan &plan, bool trainedOnly) {
  uint64_t count = 0;
  for (const zrt_bucket &bucket : bucketsOf(plan))
    for (const zrt_member &member : membersOf(bucket))
      // Later members of a parameter are more rows of it.
      if (member.first == 0 && !(trainedOnly && bucket.frozen))
        count += std::accumulate(member.shape, member.shape + member.rank,
                                 uint64_t{1}, std::multiplies<uint64_t>());
  return count;
}

/// "842,496 parameters", "1,000 parameters, 10 of them trained"
std::string parametersText(const zrt_plan &plan) {
  const uint64_t all = parameterCount(plan, false),
                 trained = parameterCount(plan, true);
  return fmt::format("{} parameters", withCommas(all)) +
         (trained < all
              ? fmt::format(", {} of them trained", withCommas(trained))
              : "");
}

bool hasPeers(const zrt_plan &plan) { return plan.world_size > 1; }

/// "nvme_read each step"
std::string linkLine(uint32_t link) {
  return fmt::format("{} each step", streamClassName(link));
}

/// "parameters" for the device, "host parameters" for the host.
std::string categoryName(const zrt_category &category) {
  return category.tier == ZRT_DEVICE
             ? std::string(category.name)
             : fmt::format("{} {}", tierName(category.tier), category.name);
}

} // namespace

uint64_t zrt::wireBytesPerStep(const zrt_plan &plan) {
  uint64_t bytes = 0;
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p)
    for (const zrt_op &op : opsOf(plan.programs[p]))
      if (op.kind == ZRT_COLLECTIVE)
        bytes += runsPerStep(plan, p) * collectiveOf(op).wire_bytes;
  return bytes;
}

std::string zrt::ranksText(const zrt_plan &plan) {
  std::string text = fmt::format("{}", plan.world_size);
  if (plan.group_size)
    text += fmt::format(" in groups of {}", plan.group_size);
  text += fmt::format(", stage {}, {}", plan.stage,
                      plural(plan.accumulate, "micro-step"));
  if (plan.bucket_bytes)
    text += fmt::format(", bucket {}", plan.bucket_bytes);
  return text;
}

std::string zrt::certificate(const zrt_plan &plan, bool asJson) {
  if (asJson && !(plan.certificate && *plan.certificate))
    usage("--certificate=json is for plans of zeroc; this one was made "
          "otherwise and has --certificate=text");
  if (asJson)
    return plan.certificate;
  size_t width = 0;
  for (uint32_t i = 0; i < plan.category_count; ++i)
    width = std::max(width, categoryName(plan.categories[i]).size());
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
    width = std::max(width, std::string_view(tierName(tier)).size() + 6);
  for (const uint32_t link : {ZRT_H2D, ZRT_D2H, ZRT_NVME_READ, ZRT_NVME_WRITE})
    if (linkBytesPerStep(plan, link) != 0)
      width = std::max(width, linkLine(link).size());
  constexpr std::string_view kWire = "received each step";
  if (hasPeers(plan))
    width = std::max(width, kWire.size());
  const auto line = [&](const std::string &name, uint64_t bytes) {
    return fmt::format("  {:<{}} {:>20}  {:>12}\n", name, width,
                       withCommas(bytes), withUnit(bytes));
  };
  std::string text =
      fmt::format("memory certificate of {}, bytes at the peak{}\n"
                  "ranks {}\n",
                  orUnknown(plan.model), hasPeers(plan) ? " of each rank" : "",
                  ranksText(plan));
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier) {
    for (uint32_t i = 0; i < plan.category_count; ++i)
      if (plan.categories[i].tier == tier)
        text +=
            line(categoryName(plan.categories[i]), plan.categories[i].bytes);
    if (plan.arena_bytes[tier] != 0 || tier == ZRT_DEVICE)
      text +=
          line(std::string(tierName(tier)) + " arena", plan.arena_bytes[tier]);
  }
  if (hasPeers(plan))
    text += line(std::string(kWire), wireBytesPerStep(plan));
  for (const uint32_t link : {ZRT_H2D, ZRT_D2H, ZRT_NVME_READ, ZRT_NVME_WRITE})
    if (const uint64_t bytes = linkBytesPerStep(plan, link))
      text += line(linkLine(link), bytes);
  return text;
}

std::string zrt::startBlock(const zrt_plan &plan, const zrt_context *ctx,
                            const std::string &data, int threads) {
  const std::string hostThreads =
      worksOnHost(plan) ? fmt::format(", {} on the host", zrt_host_threads(ctx))
                        : "";
  std::string text =
      fmt::format("model     {}, {}\n"
                  "options   {}\n"
                  "ranks     {}\n"
                  "cpu       {}, {}{}\n",
                  orUnknown(plan.model), parametersText(plan),
                  orUnknown(plan.options), ranksText(plan), orUnknown(plan.cpu),
                  plural(threads, "thread"), hostThreads);
  std::string arenas;
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
    if (const uint64_t bytes = zrt_arena_bytes(ctx, tier))
      arenas += fmt::format("{}{} {}", arenas.empty() ? "" : ", ",
                            tierName(tier), shownBytes(bytes));
  text += fmt::format("memory    {}\n", arenas.empty() ? "none" : arenas);
  if (const uint64_t wire = wireBytesPerStep(plan))
    text += fmt::format("wire      {} received in a step\n", shownBytes(wire));
  if (const std::string links = linksText(plan); !links.empty())
    text += fmt::format("links     {} in a step\n", links);
  return text + data;
}

uint64_t zrt::peakResidentBytes() {
  // getrusage's ru_maxrss survives exec, so it can report the shell that
  // started us.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0)
      return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

bool zrt::printListing(const zrt_plan &plan, const TrainOptions &options) {
  const bool isAsked =
      !options.help.empty() || options.plan || options.certificate;
  if (isAsked)
    sayText(!options.help.empty() ? options.help
            : options.plan        ? planText(plan)
                                  : certificate(plan, options.certificateJson));
  return isAsked;
}
