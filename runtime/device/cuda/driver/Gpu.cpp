//===- Gpu.cpp - One GPU, and memory on it --------------------------------===//
#include "runtime/device/cuda/driver/Gpu.h"

#include "runtime/hash/Hash.h"
#include "runtime/text/Error.h"

#include <algorithm>
#include <array>
#include <cctype>

using namespace zrt;
using namespace zrt::cuda;

Gpu::Gpu(int rankOnHost) {
  int count = 0;
  DeviceGetCount(&count);
  if (count == 0)
    fail("this program was compiled with --target=cuda, and NVIDIA's driver "
         "shows it no GPU; look at nvidia-smi and CUDA_VISIBLE_DEVICES");
  DeviceGet(&device, rankOnHost % count);
  std::array<char, 128> text = {};
  DeviceGetName(text.data(), int(text.size()) - 1, device);
  shownName =
      fmt::format("{} (sm_{}{})", text.data(),
                  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  if (!attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED))
    fail("{} has no virtual memory management, which this program needs",
         shownName);
  // The primary context, which other libraries in this process also use.
  const CUresult result = table.PrimaryCtxRetain(&context, device);
  if (result != CUDA_SUCCESS)
    fail("cannot use {}: {}; another process may have it for itself (look at "
         "nvidia-smi)",
         shownName, table.describe("cuDevicePrimaryCtxRetain", result));
  enter();
}

Gpu::~Gpu() { (void)table.PrimaryCtxRelease(device); }

std::string Gpu::place() const {
  std::array<char, 32> text = {};
  DeviceGetPCIBusId(text.data(), int(text.size()) - 1, device);
  std::string place = text.data();
  std::ranges::transform(place, place.begin(),
                         [](unsigned char c) { return char(std::tolower(c)); });
  return place;
}

uint64_t Gpu::identity() const {
  CUuuid number = {};
  DeviceGetUuid(&number, device);
  return Hash::of({static_cast<const char *>(number.bytes), sizeof(number)});
}

int Gpu::attribute(CUdevice_attribute which) const {
  int value = 0;
  DeviceGetAttribute(&value, which, device);
  return value;
}
