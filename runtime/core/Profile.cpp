//===- Profile.cpp - Measures the time of operations ----------------------===//
#include "runtime/core/Profile.h"

#include "abi/Counts.h"
#include "runtime/core/ProfileLabels.h"
#include "runtime/plan/OperationFacts.h"
#include "runtime/plan/PlanTable.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace zrt;

namespace {

/// Returns the row of a single run of `op`, without its time.
ProfileRow describe(const zrt_op &op, const RankGroups &groups,
                    const ProfileLabels &labels) {
  ProfileRow row;
  row.group = labels.of(op);
  row.stream = op.stream;
  const OperationFacts facts = factsOf(op, groups);
  row.flops = facts.flops;
  row.bytes = facts.bytes;
  return row;
}

} // namespace

void Profile::start() {
  on = true;
  steps = 0;
  stepSeconds = 0;
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p)
    totals[p].assign(opsOf(plan.programs[p]).size(), {});
}

void Profile::addProgram(double seconds, bool isLast) {
  steps += isLast;
  stepSeconds += seconds;
}

std::vector<ProfileRow> Profile::rows() const {
  const ProfileLabels labels(plan);
  const RankGroups ranks(plan);
  std::map<std::pair<zrt_stream, std::string>, ProfileRow> groups;
  for (uint32_t p = 0; p < ZRT_PROGRAM_COUNT; ++p)
    for (size_t i = 0; i < totals[p].size(); ++i) {
      const Total &total = totals[p][i];
      if (total.calls == 0)
        continue;
      ProfileRow one = describe(plan.programs[p].ops[i], ranks, labels);
      ProfileRow &row = groups[{one.stream, one.group}];
      row.stream = one.stream;
      row.group = one.group;
      row.calls += total.calls;
      row.seconds += total.seconds;
      row.flops += one.flops * double(total.calls);
      row.bytes += one.bytes * double(total.calls);
    }
  std::vector<ProfileRow> sorted;
  sorted.reserve(groups.size());
  for (auto &[key, row] : groups)
    sorted.push_back(std::move(row));
  std::sort(sorted.begin(), sorted.end(), [](const auto &x, const auto &y) {
    return std::tie(y.seconds, x.stream, x.group) <
           std::tie(x.seconds, y.stream, y.group);
  });
  return sorted;
}

std::string Profile::table() const {
  if (steps == 0)
    return "profile: no step was measured\n";
  const double perStep = 1.0 / double(steps);
  const auto share = [&](double seconds) {
    return stepSeconds > 0 ? 100.0 * seconds / stepSeconds : 0.0;
  };
  const std::vector<ProfileRow> all = rows();
  const size_t streams = streamWidth(plan);
  size_t width = 40;
  for (const ProfileRow &row : all)
    width = std::max(width, row.group.size());
  std::string text = fmt::format(
      "profile: {}, {:.3f} ms each\n"
      "  {:<{}} {:<{}} {:>10} {:>10} {:>7} {:>14}\n",
      plural(steps, "step"), 1e3 * stepSeconds * perStep, "stream", streams,
      "operation", width, "calls/step", "ms/step", "% step", "rate");
  double computeBusy = 0;
  for (const ProfileRow &row : all) {
    const zrt_stream_desc &stream = plan.streams[row.stream];
    if (stream.stream_class == ZRT_COMPUTE)
      computeBusy += row.seconds;
    const double amount = row.flops > 0 ? row.flops : row.bytes;
    const std::string rate =
        row.seconds > 0 ? fmt::format("{:.1f} {}", amount / row.seconds * 1e-9,
                                      row.flops > 0 ? "GFLOP/s" : "GB/s")
                        : "";
    text += fmt::format("  {:<{}} {:<{}} {:>10.6g} {:>10.3f} {:>7.2f} {:>14}\n",
                        stream.name, streams, row.group, width,
                        double(row.calls) * perStep,
                        1e3 * row.seconds * perStep, share(row.seconds), rate);
  }
  const double waiting = std::max(0.0, stepSeconds - computeBusy);
  text += fmt::format("  {:<{}} {:<{}} {:>10} {:>10.3f} {:>7.2f}\n", "compute",
                      streams, "waiting", width, "", 1e3 * waiting * perStep,
                      share(waiting));
  return text;
}
