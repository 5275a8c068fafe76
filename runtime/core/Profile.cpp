//===- Profile.cpp - Where a step's time goes -----------------------------===//
#include "runtime/core/Profile.h"

#include "runtime/Vocabulary.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <tuple>

using namespace zrt;

namespace {

std::string groupOf(const char *name) {
  const std::string_view text = name ? name : "unnamed";
  const size_t bucket = text.find(" of ");
  return std::string(
      text.substr(0, bucket != text.npos ? bucket : text.rfind('.')));
}

uint64_t keyOf(const Entry &entry) {
  const auto address = [](const void *desc) {
    return reinterpret_cast<uint64_t>(desc);
  };
  switch (entry.kind) {
  case Entry::Kind::Launch:
    return address(entry.launch);
  case Entry::Kind::Matmul:
    return address(entry.matmul);
  case Entry::Kind::Update:
    return address(entry.update);
  case Entry::Kind::SumSquares:
    return address(entry.squares);
  case Entry::Kind::Collective:
    return address(entry.collective);
  default:
    // No descriptor lies at such a low address.
    return 1 + entry.from.tier * ZRT_TIER_COUNT + entry.to.tier;
  }
}

/// Bytes that an update touches: of a whole bucket, only the rank's slice.
double bytesOf(const zrt_update_desc &desc) {
  uint64_t slice = UINT64_MAX;
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    if (desc.args[i].bytes > sizeof(float))
      slice = std::min(slice, desc.args[i].bytes);
  double bytes = 0;
  for (uint32_t i = 0; i < desc.arg_count; ++i)
    bytes += double(std::min(slice, desc.args[i].bytes));
  return bytes;
}

/// What `calls` executions of `entry` are, without their time.
ProfileRow describe(zrt_stream stream, const Entry &entry, double bytesCopied) {
  ProfileRow row;
  row.stream = stream;
  switch (entry.kind) {
  case Entry::Kind::Launch:
    row.group = groupOf(entry.launch->name);
    for (uint32_t i = 0; i < entry.launch->arg_count; ++i)
      row.bytes += double(entry.launch->args[i].bytes);
    break;
  case Entry::Kind::Matmul: {
    const zrt_matmul_desc &d = *entry.matmul;
    row.group = fmt::format("{} {} x {} x {}", groupOf(d.name), d.m, d.n, d.k);
    if (d.batch != 1)
      row.group += fmt::format(" (batch {})", d.batch);
    row.flops = 2.0 * double(d.batch) * double(d.m) * double(d.n) * double(d.k);
    row.bytes = double(d.a.bytes + d.b.bytes + d.c.bytes);
    break;
  }
  case Entry::Kind::Update:
    row.group = groupOf(entry.update->name);
    row.bytes = bytesOf(*entry.update);
    break;
  case Entry::Kind::SumSquares:
    row.group = groupOf(entry.squares->name);
    row.bytes = double(entry.squares->grad.bytes);
    break;
  case Entry::Kind::Collective:
    row.group = groupOf(entry.collective->name);
    row.bytes = double(entry.collective->wire_bytes);
    break;
  default:
    row.group = fmt::format("copy {} -> {}", tierName(entry.from.tier),
                            tierName(entry.to.tier));
    row.bytes = bytesCopied;
  }
  return row;
}

} // namespace

void Profile::start() {
  on = true;
  steps = 0;
  stepSeconds = 0;
  for (auto &map : totals)
    map.clear();
}

void Profile::add(zrt_stream stream, const Entry &entry, double seconds) {
  Total &total = totals[stream][keyOf(entry)];
  // Copies between two tiers share a line, so their bytes are added up.
  const uint64_t copied = total.entry.from.bytes + entry.from.bytes;
  total.entry = entry;
  total.entry.from.bytes = copied;
  ++total.calls;
  total.seconds += seconds;
}

void Profile::addProgram(double seconds, bool isLast) {
  steps += isLast;
  stepSeconds += seconds;
}

std::vector<ProfileRow> Profile::rows() const {
  std::map<std::pair<zrt_stream, std::string>, ProfileRow> groups;
  for (zrt_stream stream = 0; stream < ZRT_STREAM_COUNT; ++stream)
    for (const auto &[key, total] : totals[stream]) {
      ProfileRow one =
          describe(stream, total.entry,
                   double(total.entry.from.bytes) / double(total.calls));
      ProfileRow &row = groups[{stream, one.group}];
      row.stream = stream;
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
  std::string text = fmt::format(
      "profile: {} step{}, {:.3f} ms each\n"
      "  {:<10} {:<40} {:>10} {:>10} {:>7} {:>14}\n",
      steps, steps == 1 ? "" : "s", 1e3 * stepSeconds * perStep, "stream",
      "operation", "calls/step", "ms/step", "% step", "rate");
  double computeBusy = 0;
  for (const ProfileRow &row : rows()) {
    if (row.stream == ZRT_COMPUTE)
      computeBusy += row.seconds;
    const double amount = row.flops > 0 ? row.flops : row.bytes;
    const std::string rate =
        row.seconds > 0 ? fmt::format("{:.1f} {}", amount / row.seconds * 1e-9,
                                      row.flops > 0 ? "GFLOP/s" : "GB/s")
                        : "";
    text += fmt::format("  {:<10} {:<40} {:>10.6g} {:>10.3f} {:>7.2f} {:>14}\n",
                        streamName(row.stream), row.group,
                        double(row.calls) * perStep,
                        1e3 * row.seconds * perStep, share(row.seconds), rate);
  }
  const double waiting = std::max(0.0, stepSeconds - computeBusy);
  text += fmt::format("  {:<10} {:<40} {:>10} {:>10.3f} {:>7.2f}\n", "compute",
                      "waiting", "", 1e3 * waiting * perStep, share(waiting));
  return text;
}
