//===- Gpu.cpp - One GPU, and memory on it --------------------------------===//
#include "runtime/device/cuda/Gpu.h"

#include "runtime/Bytes.h"
#include "runtime/Error.h"

#include <array>

using namespace zrt;
using namespace zrt::cuda;

Gpu::Gpu(int rank) {
  int count = 0;
  check("cuDeviceGetCount", table.DeviceGetCount(&count));
  if (count == 0)
    fail("this program was compiled with --target=cuda, and NVIDIA's driver "
         "shows it no GPU; look at nvidia-smi and CUDA_VISIBLE_DEVICES");
  check("cuDeviceGet", table.DeviceGet(&device, rank % count));
  std::array<char, 128> text = {};
  check("cuDeviceGetName",
        table.DeviceGetName(text.data(), int(text.size()) - 1, device));
  shownName =
      fmt::format("{} (sm_{}{})", text.data(),
                  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  if (!attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED))
    fail("{} has no virtual memory management, which this program needs",
         shownName);
  // The context of the libraries that work beside this one, too.
  const CUresult result = table.PrimaryCtxRetain(&context, device);
  if (result != CUDA_SUCCESS)
    fail("cannot use {}: {}; another process may have it for itself (look at "
         "nvidia-smi)",
         shownName, table.describe("cuDevicePrimaryCtxRetain", result));
  enter();
}

Gpu::~Gpu() { (void)table.PrimaryCtxRelease(device); }

int Gpu::attribute(CUdevice_attribute which) const {
  int value = 0;
  check("cuDeviceGetAttribute",
        table.DeviceGetAttribute(&value, which, device));
  return value;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

GpuMemory::GpuMemory(const Gpu &theGpu, uint64_t bytes, const char *what)
    : gpu(theGpu) {
  if (bytes == 0)
    return;
  CUmemAllocationProp how = {};
  how.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  how.location = {CU_MEM_LOCATION_TYPE_DEVICE, gpu.number()};
  size_t granule = 0;
  gpu.check("cuMemGetAllocationGranularity",
            gpu.driver().MemGetAllocationGranularity(
                &granule, &how, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
  size = (bytes + granule - 1) / granule * granule;
  try {
    map(how, what);
  } catch (...) {
    release();
    throw;
  }
}

void GpuMemory::map(const CUmemAllocationProp &how, const char *what) {
  const Driver &driver = gpu.driver();
  size_t free = 0, total = 0;
  gpu.check("cuMemGetInfo", driver.MemGetInfo(&free, &total));
  CUresult result = driver.MemCreate(&handle, size, &how, 0);
  if (result != CUDA_SUCCESS) {
    handle = 0;
    fail(
        "cannot take {} for {} on {}, which has {} free of {}: {}; compile "
        "with "
        "a smaller batch, offload state to another tier, or end what else runs "
        "there",
        shownBytes(size), what, gpu.name(), shownBytes(free), shownBytes(total),
        driver.describe("cuMemCreate", result));
  }
  gpu.check("cuMemAddressReserve",
            driver.MemAddressReserve(&base, size, 0, 0, 0));
  gpu.check("cuMemMap", driver.MemMap(base, size, 0, handle, 0));
  isMapped = true;
  CUmemAccessDesc access = {};
  access.location = how.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  gpu.check("cuMemSetAccess", driver.MemSetAccess(base, size, &access, 1));
  gpu.check("cuMemsetD8Async", driver.MemsetD8Async(base, 0, size, nullptr));
  gpu.check("cuStreamSynchronize", driver.StreamSynchronize(nullptr));
}

void GpuMemory::release() {
  const Driver &driver = gpu.driver();
  // After an error of the GPU they fail, too, and there is nothing to be done.
  if (isMapped)
    (void)driver.MemUnmap(base, size);
  if (base)
    (void)driver.MemAddressFree(base, size);
  if (handle)
    (void)driver.MemRelease(handle);
}

GpuMemory::~GpuMemory() { release(); }
