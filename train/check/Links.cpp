//===- Links.cpp - Measures the bandwidth between tiers -------------------===//
#include "runtime/system/Clock.h"
#include "train/check/DeviceSections.h"
#include "train/check/HandPlan.h"
#include "train/check/PlanDevice.h"

#include <algorithm>

using namespace zrt;
using namespace zrt::check;

namespace {

/// Larger than caches.
constexpr uint64_t kDeviceBytes = 128 << 20, kLinkBytes = 64 << 20;
constexpr int kTimes = 5;

/// The median seconds of `copy`, after a run that is not measured.
template <typename Copy>
double secondsOf(Copy copy) {
  std::vector<double> times;
  for (int i = 0; i <= kTimes; ++i) {
    const auto start = Clock::now();
    copy();
    const double seconds = secondsSince(start);
    if (i > 0)
      times.push_back(seconds);
  }
  std::nth_element(times.begin(), times.begin() + kTimes / 2, times.end());
  return times[kTimes / 2];
}

} // namespace

Section check::measureLinks(const zrt_plan &plan, int rankOnHost,
                            const std::string &nvmePath) {
  zrt_plan hand = handPlan(Table(), 2 * kDeviceBytes);
  hand.arena_bytes[ZRT_HOST] = kLinkBytes;
  if (plan.arena_bytes[ZRT_NVME] > 0)
    hand.arena_bytes[ZRT_NVME] = kLinkBytes;
  PlanDevice devices(plan, rankOnHost, nvmePath);
  const std::unique_ptr<Device> device = devices.make(hand);
  device->beginProgram();
  Section section = {
      "links",
      fmt::format("medians of {}; nothing is asked of them", kTimes),
      {}};
  const auto measure = [&](const char *name, zrt_stream stream, uint32_t from,
                           uint32_t to, uint64_t bytes) {
    const zrt_ref source = {from, 0, 0, bytes},
                  target = {to, 0, from == to ? bytes : 0, bytes};
    const double seconds = secondsOf([&] {
      device->copy(stream, source, target);
      device->finish(stream);
    });
    // A copy within one memory reads and writes each byte there.
    const double rate = double(bytes) * (from == to ? 2 : 1) / seconds * 1e-9;
    section.findings.push_back({Verdict::Measured,
                                name,
                                fmt::format("{:.1f} GB/s", rate),
                                {{"gigabytes_per_second", rate}},
                                true});
  };
  measure("device memory, reads and writes of a copy", ZRT_COMPUTE, ZRT_DEVICE,
          ZRT_DEVICE, kDeviceBytes);
  measure("host to device, pinned", ZRT_H2D, ZRT_HOST, ZRT_DEVICE, kLinkBytes);
  measure("device to host, pinned", ZRT_D2H, ZRT_DEVICE, ZRT_HOST, kLinkBytes);
  if (hand.arena_bytes[ZRT_NVME] > 0) {
    measure("host to nvme", ZRT_NVME_WRITE, ZRT_HOST, ZRT_NVME, kLinkBytes);
    measure("nvme to host", ZRT_NVME_READ, ZRT_NVME, ZRT_HOST, kLinkBytes);
  }
  device->endProgram();
  return section;
}
