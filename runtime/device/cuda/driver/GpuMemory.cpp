//===- GpuMemory.cpp - Memory of a GPU, and of its peers ------------------===//
#include "runtime/device/cuda/driver/Gpu.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

using namespace zrt;
using namespace zrt::cuda;

namespace {

CUmemLocation locationOf(const Gpu &gpu) {
  CUmemLocation location = {};
  location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = gpu.number();
  return location;
}

CUmemAllocationProp howToTake(const Gpu &gpu, const Place &place) {
  CUmemAllocationProp how = {};
  how.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  how.location = locationOf(gpu);
  if (place.ranks > 1)
    how.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return how;
}

} // namespace

GpuMemory::GpuMemory(const Gpu &theGpu, uint64_t bytes, const char *what,
                     Place thePlace)
    : gpu(theGpu), place(thePlace), parts(size_t(place.ranks)) {
  if (bytes == 0)
    return;
  const CUmemAllocationProp how = howToTake(gpu, place);
  size_t granule = 0;
  gpu.MemGetAllocationGranularity(&granule, &how,
                                  CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
  size = roundUp(bytes, granule);
  try {
    create(what);
  } catch (...) {
    release();
    throw;
  }
}

void GpuMemory::create(const char *what) {
  const Driver &driver = gpu.driver();
  if (place.ranks > 1 &&
      !gpu.attribute(
          CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED))
    fail("{} cannot share its memory with other processes; compile with "
         "--collectives=nccl",
         gpu.name());
  const Gpu::Memory has = gpu.memory();
  CUmemGenericAllocationHandle &handle = parts[size_t(place.rank)].handle;
  const CUmemAllocationProp how = howToTake(gpu, place);
  const CUresult result = driver.MemCreate(&handle, size, &how, 0);
  if (result != CUDA_SUCCESS) {
    handle = 0;
    fail("cannot take {} for {} on {}, which has {} free of {}: {}; compile "
         "with a smaller batch, offload state to another tier, or end what "
         "else runs there",
         shownBytes(size), what, gpu.name(), shownBytes(has.free),
         shownBytes(has.total), driver.describe("cuMemCreate", result));
  }
  gpu.MemAddressReserve(&begin, size * parts.size(), 0, 0, 0);
  map(place.rank);
  gpu.MemsetD8Async(at(0), 0, size, nullptr);
  gpu.StreamSynchronize(nullptr);
}

void GpuMemory::map(int rank) {
  Part &part = parts[size_t(rank)];
  gpu.MemMap(atRank(rank, 0), size, 0, part.handle, 0);
  part.isMapped = true;
  CUmemAccessDesc access = {};
  access.location = locationOf(gpu);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  gpu.MemSetAccess(atRank(rank, 0), size, &access, 1);
}

int GpuMemory::share() const {
  int file = -1;
  gpu.MemExport(&file, parts[size_t(place.rank)].handle,
                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  return file;
}

void GpuMemory::mapPeer(int rank, int file) {
  Part &part = parts[size_t(rank)];
  // The API takes the file descriptor as a pointer.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto *const number = reinterpret_cast<void *>(intptr_t(file));
  try {
    gpu.MemImport(&part.handle, number,
                  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    map(rank);
  } catch (const Error &error) {
    fail("{} cannot reach the memory of rank {}: {}; each process must see all "
         "GPUs (CUDA_VISIBLE_DEVICES), and they must reach each other "
         "(nvidia-smi topo -p2p r); or compile with --collectives=nccl",
         gpu.name(), rank, error.what());
  }
}

void GpuMemory::release() {
  const Driver &driver = gpu.driver();
  // After an error of the GPU these calls fail as well, which is ignored.
  for (int rank = 0; rank < place.ranks; ++rank)
    if (parts[size_t(rank)].isMapped)
      (void)driver.MemUnmap(atRank(rank, 0), size);
  if (begin)
    (void)driver.MemAddressFree(begin, size * parts.size());
  for (const Part &part : parts)
    if (part.handle)
      (void)driver.MemRelease(part.handle);
}

GpuMemory::~GpuMemory() { release(); }
