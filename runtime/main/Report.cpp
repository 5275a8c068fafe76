//===- Report.cpp - What is printed before and after training -------------===//
#include "runtime/main/Report.h"

#include "runtime/cpu/Arena.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

using namespace zrt;

namespace {

std::string_view orUnknown(const char *text) {
  return text && *text ? text : "?";
}

uint64_t parameterCount(const zrt_plan &plan) {
  uint64_t count = 0;
  for (uint32_t b = 0; b < plan.bucket_count; ++b)
    for (uint32_t i = 0; i < plan.buckets[b].member_count; ++i)
      count += plan.buckets[b].members[i].count;
  return count;
}

} // namespace

std::string zrt::withCommas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

std::string zrt::withUnit(uint64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return fmt::format("{} bytes", bytes);
  double value = double(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string zrt::certificate(const zrt_plan &plan) {
  size_t width = 0;
  for (uint32_t i = 0; i < plan.category_count; ++i)
    width = std::max(width, std::string_view(plan.categories[i].name).size());
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
    width = std::max(width, std::string_view(tierName(tier)).size() + 6);
  const auto line = [&](const std::string &name, uint64_t bytes) {
    return fmt::format("  {:<{}} {:>20}  {:>12}\n", name, width,
                       withCommas(bytes), withUnit(bytes));
  };
  std::string text = fmt::format(
      "memory certificate of {}, bytes at the peak\n", orUnknown(plan.model));
  for (uint32_t i = 0; i < plan.category_count; ++i)
    text += line(plan.categories[i].name, plan.categories[i].bytes);
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
    if (plan.arena_bytes[tier] != 0 || tier == ZRT_DEVICE)
      text +=
          line(std::string(tierName(tier)) + " arena", plan.arena_bytes[tier]);
  return text;
}

std::string zrt::startBlock(const zrt_plan &plan, const zrt_context *ctx,
                            const std::string &dataPath, const TokenData &data,
                            int threads) {
  std::string text =
      fmt::format("model     {}, {} parameters\n"
                  "options   {}\n"
                  "cpu       {}, {} thread{}\n",
                  orUnknown(plan.model), withCommas(parameterCount(plan)),
                  orUnknown(plan.options), orUnknown(plan.cpu), threads,
                  threads == 1 ? "" : "s");
  std::string arenas;
  for (uint32_t tier = 0; tier < ZRT_TIER_COUNT; ++tier)
    if (const uint64_t bytes = zrt_arena_bytes(ctx, tier))
      arenas += fmt::format("{}{} {} bytes ({})", arenas.empty() ? "" : ", ",
                            tierName(tier), withCommas(bytes), withUnit(bytes));
  text += fmt::format("memory    {}\n", arenas.empty() ? "none" : arenas);
  text += fmt::format("data      {}, {}, {} tokens, {} sequences of {}\n",
                      dataPath, data.formatName(), withCommas(data.tokens()),
                      withCommas(data.sequences()), plan.seq);
  return text;
}
