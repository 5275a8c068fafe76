//===- MemoryProperties.cpp - Arenas, host access and copies --------------===//
#include "train/check/Conformance.h"
#include "train/check/Expect.h"

#include <numeric>

using namespace zrt;
using namespace zrt::check;

namespace {

constexpr uint64_t kNvmeBlock = ZRT_NVME_BLOCK;
constexpr uint32_t kTiers[] = {ZRT_DEVICE, ZRT_HOST, ZRT_NVME};

/// 1, 2, 3 ...
std::vector<char> ramp(uint64_t bytes) {
  std::vector<char> values(bytes);
  std::iota(values.begin(), values.end(), char(1));
  return values;
}

void arenasHaveTheirSize(const DeviceUnderTest &device) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{4097}, uint64_t{3} << 20}) {
    DeviceRun run(idle(size), device);
    expect(run.device().arenaBytes(ZRT_DEVICE) == size,
           "the device arena has another size");
    expectEqual(run.read<char>(deviceRef(0, size)), std::vector<char>(size),
                "the device arena");
    for (const uint32_t tier : {ZRT_HOST, ZRT_NVME}) {
      expect(run.device().arenaBytes(tier) == 1 << 16,
             fmt::format("the {} arena has another size", tierName(tier)));
      expectEqual(run.read<char>({tier, 0, 0, 1 << 16}),
                  std::vector<char>(1 << 16), tierName(tier));
    }
  }
}

void hostAccessReadsWhatItWrote(const DeviceUnderTest &device) {
  DeviceRun run(idle(), device);
  for (const uint32_t tier : kTiers) {
    run.write(numbers(1, tier), counted(3));
    const int32_t one = 7;
    run.device().write({tier, 0, 4096 + 8, 4}, &one);
    std::vector<int32_t> expected = counted(3);
    expected[2] = 7;
    expectEqual(run.read<int32_t>(numbers(1, tier)), expected, tierName(tier));
    // Neighbouring bytes do not change, and an empty range is valid.
    expectEqual(run.read<char>({tier, 0, 4096 + kUnits * 4, 96}),
                std::vector<char>(96), "what follows");
    run.device().write({tier, 0, 4096, 0}, nullptr);
    run.device().read({tier, 0, 4096, 0}, nullptr);
  }
}

void fillSetsEveryByte(const DeviceUnderTest &device) {
  DeviceRun run(idle(), device);
  for (const uint32_t tier : kTiers) {
    run.write(numbers(0, tier), counted(1));
    run.device().fill({tier, 0, 5, 3991}, 0xff);
    auto expected = counted(1);
    const auto bytes = reinterpret_cast<unsigned char *>(expected.data());
    std::fill(bytes + 5, bytes + 3996, 0xff);
    expectEqual(run.read<int32_t>(numbers(0, tier)), expected, tierName(tier));
  }
}

void copiesOfAnySize(const DeviceUnderTest &device) {
  for (const uint32_t from : {ZRT_DEVICE, ZRT_HOST})
    for (const uint32_t to : {ZRT_DEVICE, ZRT_HOST})
      for (const uint64_t bytes : {0, 1, 3, 4096, 8192 + 5}) {
        const zrt_ref source = {from, 0, 3, bytes},
                      target = {to, 0, (1 << 15) + 1, bytes + 8};
        const zrt_stream stream = linkOf(from, to).value_or(ZRT_COMPUTE);
        DeviceRun run(planOf(Table().copy(stream, source, target)), device);
        std::vector<char> sent = ramp(bytes);
        run.write(source, sent);
        run.step();
        sent.resize(bytes + 8); // bytes beyond do not change
        expectEqual(run.read<char>(target), sent,
                    fmt::format("{} bytes from {} to {}", bytes, tierName(from),
                                tierName(to)));
      }
}

void spilledComesBack(const DeviceUnderTest &device) {
  // A read must not change host bytes behind the target, not even one.
  for (const uint64_t bytes : {0, 1, 4095, 4096, 4097, 3 * 4096 + 5}) {
    const zrt_ref source = {ZRT_HOST, 0, kNvmeBlock, bytes},
                  spilled = {ZRT_NVME, 0, 3 * kNvmeBlock, bytes},
                  target = {ZRT_HOST, 0, 6 * kNvmeBlock, bytes};
    DeviceRun run(planOf(Table()
                             .copy(ZRT_NVME_WRITE, source, spilled)
                             .record(ZRT_NVME_WRITE, 0)
                             .wait(ZRT_NVME_READ, 0)
                             .copy(ZRT_NVME_READ, spilled, target)),
                  device);
    const std::vector<char> sent = ramp(bytes);
    run.write(source, sent);
    const zrt_ref beyond = {ZRT_HOST, 0, 6 * kNvmeBlock + bytes, 5000};
    run.device().fill(beyond, 0x5a);
    run.step();
    expectEqual(run.read<char>(spilled), sent, "on nvme");
    expectEqual(run.read<char>(target), sent, "back from nvme");
    expectEqual(run.read<char>(beyond), std::vector<char>(5000, 0x5a),
                "what follows");
    expect(zrt_report(run.get(), ZRT_UNPREDICTED) == std::string(),
           zrt_report(run.get(), ZRT_UNPREDICTED));
  }
}

} // namespace

std::vector<Property> check::memoryProperties() {
  return {
      {"A_ArenasHaveThePlansSizeAndAreZero", false, arenasHaveTheirSize},
      {"B_HostAccessReadsWhatItWrote", false, hostAccessReadsWhatItWrote},
      {"C_FillSetsEveryByteAndNoOther", false, fillSetsEveryByte},
      {"G_CopiesOfAnySizeBetweenAllTiers", false, copiesOfAnySize},
      {"O_WhatIsSpilledToNvmeComesBack", false, spilledComesBack},
  };
}
