//===- TrafficLedger.cpp - Counts the bytes that operations move ----------===//
#include "runtime/core/TrafficLedger.h"

#include "runtime/plan/PlanTable.h"
#include "runtime/text/Bytes.h"

#include <algorithm>
#include <string_view>
#include <tuple>

using namespace zrt;

namespace {

/// Returns the row of an operation before any call.
TrafficRow emptyRow(const zrt_op &op, const RankGroups &groups) {
  if (op.kind == ZRT_COLLECTIVE)
    return {&op, std::nullopt, collectiveOf(op).wire_bytes};
  if (op.kind == ZRT_COPY && linkOf(copyOf(op)))
    return {&op, linkOf(copyOf(op)), bytesOf(copyOf(op).source, groups)};
  return {};
}

std::string rateText(uint64_t bytes, double seconds) {
  return seconds > 0
             ? fmt::format("{:.1f} GB/s", double(bytes) / seconds * 1e-9)
             : "";
}

} // namespace

void TrafficRow::add(const TrafficRow &other) {
  calls += other.calls;
  bytes += other.bytes;
  seconds += other.seconds;
  waiting += other.waiting;
}

TrafficLedger::TrafficLedger(const zrt_plan &plan) : plan(plan) { start(); }

void TrafficLedger::start() {
  const RankGroups groups(plan);
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p) {
    totals[p].clear();
    for (const zrt_op &op : opsOf(plan.programs[p]))
      totals[p].push_back(emptyRow(op, groups));
  }
}

std::vector<TrafficRow>
TrafficLedger::rows(std::optional<uint32_t> link) const {
  std::vector<TrafficRow> sorted;
  for (const auto &program : totals)
    for (const TrafficRow &row : program)
      if (row.calls != 0 && row.link == link)
        sorted.push_back(row);
  std::sort(sorted.begin(), sorted.end(),
            [](const TrafficRow &x, const TrafficRow &y) {
              return std::make_tuple(y.bytes, x.op->stream,
                                     std::string_view(nameOf(*x.op))) <
                     std::make_tuple(x.bytes, y.op->stream,
                                     std::string_view(nameOf(*y.op)));
            });
  return sorted;
}

uint64_t TrafficLedger::bytes(std::optional<uint32_t> link) const {
  uint64_t sum = 0;
  for (const TrafficRow &row : rows(link))
    sum += row.bytes;
  return sum;
}

std::string TrafficLedger::difference() const {
  for (const auto &program : totals)
    for (const TrafficRow &row : program)
      if (row.bytes != row.predicted * row.calls)
        return fmt::format("{} {} {} in {} calls, but the plan says {} a call",
                           nameOf(*row.op), row.link ? "moved" : "received",
                           shownBytes(row.bytes), row.calls,
                           shownBytes(row.predicted));
  return "";
}

std::string TrafficLedger::wireTable() const {
  // Each kind of collective is one line: "all_gather of b3", "... of b4".
  std::vector<std::pair<std::string, TrafficRow>> groups;
  for (const TrafficRow &row : rows(std::nullopt)) {
    const std::string_view name = nameOf(*row.op);
    const std::string kind(name.substr(0, name.find(" of ")));
    auto group = std::find_if(groups.begin(), groups.end(), [&](auto &known) {
      return known.first == kind && known.second.op->stream == row.op->stream;
    });
    if (group == groups.end())
      groups.emplace_back(kind, row);
    else
      group->second.add(row);
  }
  if (groups.empty())
    return "";
  const size_t width = streamWidth(plan);
  std::string text =
      fmt::format("wire: {} received\n"
                  "  {:<{}} {:<20} {:>10} {:>14} {:>12} {:>12} {:>12}\n",
                  shownBytes(bytes(std::nullopt)), "stream", width,
                  "collective", "calls", "bytes", "ms", "ms waiting", "rate");
  for (const auto &[kind, row] : groups)
    // The rate counts only the time in which bytes moved, not the waiting.
    text += fmt::format(
        "  {:<{}} {:<20} {:>10} {:>14} {:>12.3f} {:>12.3f} {:>12}\n",
        plan.streams[row.op->stream].name, width, kind, row.calls, row.bytes,
        1e3 * row.seconds, 1e3 * row.waiting,
        rateText(row.bytes, row.seconds - row.waiting));
  return text;
}

std::string TrafficLedger::linkTable() const {
  std::string lines;
  for (uint32_t link = 0; link < ZRT_STREAM_CLASS_COUNT; ++link) {
    TrafficRow sum;
    for (const TrafficRow &row : rows(link))
      sum.add(row);
    if (sum.calls != 0)
      lines += fmt::format("  {:<10} {:>10} {:>14} {:>12.3f} {:>12}\n",
                           streamClassName(link), sum.calls, sum.bytes,
                           1e3 * sum.seconds, rateText(sum.bytes, sum.seconds));
  }
  if (lines.empty())
    return "";
  return fmt::format("between tiers:\n  {:<10} {:>10} {:>14} {:>12} {:>12}\n",
                     "link", "calls", "bytes", "ms", "rate") +
         lines;
}
