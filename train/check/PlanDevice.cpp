//===- PlanDevice.cpp - Makes a compiled plan's device for checks ---------===//
#include "train/check/PlanDevice.h"

#include "runtime/start/Start.h"
#include "runtime/store/Store.h"

#include <filesystem>

using namespace zrt;
using namespace zrt::check;

std::unique_ptr<Device> PlanDevice::make(const zrt_plan &plan) {
  zrt_plan &mine = plans.emplace_back(plan);
  mine.target = compiled.target;
  mine.device_arch = compiled.device_arch;
  mine.make_device = compiled.make_device;
  mine.device_images = compiled.device_images;
  mine.device_image_count = compiled.device_image_count;
  mine.device_kernels = compiled.device_kernels;
  mine.device_kernel_count = compiled.device_kernel_count;
  std::unique_ptr<Store> store;
  if (mine.arena_bytes[ZRT_NVME] > 0)
    store = std::make_unique<Store>(
        mine.arena_bytes[ZRT_NVME],
        nvmePath.empty() ? std::filesystem::temp_directory_path().string()
                         : nvmePath,
        Faults::fromEnvironment(rankOnHost), /*verifies=*/true);
  zrt_device_request request =
      makeDevice(mine, /*rank=*/0, rankOnHost, std::move(store),
                 /*isGuarded=*/false);
  request.device->startThreads(mine, /*threads=*/2, {}, /*hostThreads=*/0);
  return std::move(request.device);
}
