//===- CpuUnderTest.cpp - The CPU as a device under test ------------------===//
#include "runtime/device/cpu/CpuDevice.h"

#include "DeviceUnderTest.h"
#include "KernelTwins.h"

#include <filesystem>

using namespace zrt;
using namespace zrt::test;

static DeviceUnderTest cpu(const char *name, int threads) {
  return {name,
          [threads](const zrt_plan &plan) {
            auto device = std::make_unique<CpuDevice>(
                plan, /*isGuarded=*/false,
                std::make_unique<Store>(
                    plan.arena_bytes[ZRT_NVME],
                    std::filesystem::temp_directory_path().string(),
                    std::make_shared<Faults>(), /*verifies=*/true));
            device->startThreads(plan, threads, {}, /*hostThreads=*/0);
            return device;
          },
          count,
          addTo,
          fails,
          update<0>,
          update<1>};
}

std::vector<DeviceUnderTest> zrt::test::devicesUnderTest() {
  return {cpu("cpu1", 1), cpu("cpu2", 2), cpu("cpu5", 5)};
}
