//===- LinkLedger.cpp - Counts the bytes copied between tiers -------------===//
#include "runtime/core/LinkLedger.h"

#include "runtime/Bytes.h"
#include "runtime/PlanTable.h"

using namespace zrt;

LinkLedger::LinkLedger(const zrt_plan &plan) : plan(plan) { start(); }

void LinkLedger::start() {
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p) {
    const std::span<const zrt_op> ops = opsOf(plan.programs[p]);
    totals[p].assign(ops.size(), {});
    for (size_t i = 0; i < ops.size(); ++i)
      if (ops[i].kind == ZRT_COPY && linkOf(copyOf(ops[i])))
        totals[p][i].copy = &copyOf(ops[i]);
  }
}

uint64_t LinkLedger::bytes(uint32_t link) const {
  uint64_t sum = 0;
  for (const auto &program : totals)
    for (const LinkRow &row : program)
      if (row.copy && linkOf(*row.copy) == link)
        sum += row.bytes;
  return sum;
}

std::string LinkLedger::difference() const {
  for (const auto &program : totals)
    for (const LinkRow &row : program) {
      if (!row.copy)
        continue;
      const uint64_t predicted = bytesOf(row.copy->source, plan.world_size);
      if (row.bytes != predicted * row.calls)
        return fmt::format("{} moved {} in {} calls, but the plan says "
                           "{} a call",
                           row.copy->name ? row.copy->name : "unnamed",
                           shownBytes(row.bytes), row.calls,
                           shownBytes(predicted));
    }
  return "";
}

std::string LinkLedger::table() const {
  std::array<LinkRow, ZRT_STREAM_CLASS_COUNT> links = {};
  for (const auto &program : totals)
    for (const LinkRow &row : program)
      if (const auto number = row.copy ? linkOf(*row.copy) : std::nullopt) {
        LinkRow &link = links[*number];
        link.calls += row.calls;
        link.bytes += row.bytes;
        link.seconds += row.seconds;
      }
  std::string lines;
  for (uint32_t link = 0; link < links.size(); ++link)
    if (const LinkRow &row = links[link]; row.calls != 0)
      lines += fmt::format(
          "  {:<10} {:>10} {:>14} {:>12.3f} {:>12}\n", streamClassName(link),
          row.calls, row.bytes, 1e3 * row.seconds,
          row.seconds > 0 ? fmt::format("{:.1f} GB/s",
                                        double(row.bytes) / row.seconds * 1e-9)
                          : "");
  if (lines.empty())
    return "";
  return fmt::format("between tiers:\n  {:<10} {:>10} {:>14} {:>12} {:>12}\n",
                     "link", "calls", "bytes", "ms", "rate") +
         lines;
}
