//===- WireLedger.cpp - Counts the bytes received by collectives ----------===//
#include "runtime/core/WireLedger.h"

#include "runtime/Bytes.h"
#include "runtime/PlanTable.h"

#include <algorithm>
#include <string_view>
#include <tuple>

using namespace zrt;

namespace {
std::string_view collectiveNameOf(const WireRow &row) {
  return row.collective->name ? row.collective->name : "unnamed";
}
} // namespace

WireLedger::WireLedger(const zrt_plan &plan) : plan(plan) { start(); }

void WireLedger::start() {
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p) {
    const std::span<const zrt_op> ops = opsOf(plan.programs[p]);
    totals[p].assign(ops.size(), {});
    for (size_t i = 0; i < ops.size(); ++i)
      if (ops[i].kind == ZRT_COLLECTIVE)
        totals[p][i] = {&collectiveOf(ops[i]), ops[i].stream};
  }
}

std::vector<WireRow> WireLedger::rows() const {
  std::vector<WireRow> sorted;
  for (const auto &program : totals)
    for (const WireRow &row : program)
      if (row.calls != 0)
        sorted.push_back(row);
  std::sort(sorted.begin(), sorted.end(),
            [](const WireRow &x, const WireRow &y) {
              return std::make_tuple(y.bytes, x.stream, collectiveNameOf(x)) <
                     std::make_tuple(x.bytes, y.stream, collectiveNameOf(y));
            });
  return sorted;
}

uint64_t WireLedger::bytes() const {
  uint64_t sum = 0;
  for (const auto &program : totals)
    for (const WireRow &row : program)
      sum += row.bytes;
  return sum;
}

std::string WireLedger::difference() const {
  for (const WireRow &row : rows())
    if (row.bytes != row.collective->wire_bytes * row.calls)
      return fmt::format("{} received {} in {} calls, but the plan says "
                         "{} a call",
                         collectiveNameOf(row), shownBytes(row.bytes),
                         row.calls, shownBytes(row.collective->wire_bytes));
  return "";
}

std::string WireLedger::table() const {
  // Each kind of collective is one line: "all_gather of b3", "... of b4".
  std::vector<std::pair<std::string, WireRow>> groups;
  for (const WireRow &row : rows()) {
    const std::string_view name = collectiveNameOf(row);
    const std::string kind(name.substr(0, name.find(" of ")));
    auto group = std::find_if(groups.begin(), groups.end(), [&](auto &known) {
      return known.first == kind && known.second.stream == row.stream;
    });
    if (group == groups.end())
      group = groups.insert(group, {kind, {nullptr, row.stream}});
    group->second.calls += row.calls;
    group->second.bytes += row.bytes;
    group->second.seconds += row.seconds;
    group->second.waiting += row.waiting;
  }
  if (groups.empty())
    return "";
  std::string text =
      fmt::format("wire: {} received\n"
                  "  {:<10} {:<20} {:>10} {:>14} {:>12} {:>12} {:>12}\n",
                  shownBytes(bytes()), "stream", "collective", "calls", "bytes",
                  "ms", "ms waiting", "rate");
  for (const auto &[kind, row] : groups) {
    // The rate counts only the time in which bytes moved, not the waiting.
    const double busy = row.seconds - row.waiting;
    text += fmt::format(
        "  {:<10} {:<20} {:>10} {:>14} {:>12.3f} {:>12.3f} {:>12}\n",
        plan.streams[row.stream].name, kind, row.calls, row.bytes,
        1e3 * row.seconds, 1e3 * row.waiting,
        busy > 0 ? fmt::format("{:.1f} GB/s", double(row.bytes) / busy * 1e-9)
                 : "");
  }
  return text;
}
