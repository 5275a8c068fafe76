//===- CudaUnderTest.cpp - The fake GPU as a device under test ------------===//
#include "CudaUnderTest.h"

#include "DeviceUnderTest.h"
#include "KernelTwins.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <stdexcept>

using namespace zrt;
using namespace zrt::test;

namespace {

std::vector<char> fileBytes(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A kernel with blocks of 32 threads for 64 units.
zrt_device_kernel kernel(zrt_kernel_fn twin, const char *entry) {
  return {twin, entry, 32, 64, 0, 0};
}

DeviceUnderTest fakeGpu(const char *name) {
  DeviceUnderTest device = {name,  cudaDevice, count,    addTo,
                            fails, update<0>,  update<1>};
  device.failure = "CUDA_ERROR_ILLEGAL_ADDRESS";
  device.outlivesFailures = false;
  device.hasWideBias = false;
  return device;
}

} // namespace

void zrt::test::doubleParts(void *const *, int64_t, int64_t) {
  throw std::logic_error("a kernel of the GPU on a processor");
}
void zrt::test::chance(void *const *args, int64_t begin, int64_t) {
  doubleParts(args, begin + 1, 0);
}
void zrt::test::twice(void *const *args, int64_t begin, int64_t) {
  doubleParts(args, begin + 2, 0);
}

const zrt_plan &zrt::test::withKernels(const zrt_plan &plan) {
  static const std::vector<char> code = fileBytes(ZRT_TEST_KERNELS);
  static const zrt_device_image images[] = {
      {"// text for a GPU", 18, "ptx"}, {code.data(), code.size(), "emulated"}};
  zrt_device_kernel parts = kernel(doubleParts, "test_double_parts");
  parts.blocks_per_unit = 2;
  static const zrt_device_kernel kernels[] = {
      kernel(count, "test_count"),
      kernel(addTo, "test_add_to"),
      kernel(fails, "test_fails"),
      {update<1>, "test_update", 32, 1, 0, 1},
      {chance, "test_chance", 32, 1, 0, 1},
      kernel(twice, "test_count"),
      kernel(twice, "test_count"),
      parts,
      {nullptr, "zrt_squares_f32", 1, 1, 0, 0},
      {nullptr, "zrt_squares_bf16", 1, 1, 0, 0},
      {nullptr, "zrt_squares_f16", 1, 1, 0, 0},
      {nullptr, "zrt_unpack_int8_f32", 1, 1, 0, 0},
      kernel(nullptr, "zrt_ranked_sum_f32_f32"),
      kernel(nullptr, "zrt_widen_bf16")};
  static std::list<zrt_plan> plans;
  zrt_plan &mine = plans.emplace_back(plan);
  mine.target = "cuda";
  mine.device_arch = "emulated";
  mine.device_images = images;
  mine.device_image_count = uint32_t(std::size(images));
  mine.device_kernels = kernels;
  mine.device_kernel_count = uint32_t(std::size(kernels));
  return mine;
}

std::unique_ptr<CudaDevice> zrt::test::cudaDevice(const zrt_plan &plan) {
  auto device = std::make_unique<CudaDevice>(
      withKernels(plan), /*rank=*/0, /*rankOnHost=*/0,
      hostOf(plan, std::make_unique<Store>(
                       plan.arena_bytes[ZRT_NVME],
                       std::filesystem::temp_directory_path().string(),
                       std::make_shared<Faults>(), /*verifies=*/true)));
  device->startThreads(plan, 2, {}, /*hostThreads=*/0);
  return device;
}

std::vector<DeviceUnderTest> zrt::test::devicesUnderTest() {
  return {fakeGpu("cuda")};
}
