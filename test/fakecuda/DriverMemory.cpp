//===- DriverMemory.cpp - The driver's functions for memory ---------------===//
#include "Calls.h"

#include <cstring>
#include <fmt/format.h>
#include <vector>

using namespace fakecuda;

extern "C" {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER("cuMemGetInfo");
  *free = machine.freeBytes();
  *total = machine.totalBytes();
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *granule,
                                       const CUmemAllocationProp *,
                                       CUmemAllocationGranularity_flags) {
  *granule = Machine::kGranule;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *begin, size_t bytes, size_t,
                             CUdeviceptr, unsigned long long) {
  ENTER("cuMemAddressReserve");
  *begin = idOf(machine.reserve(bytes));
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *how, unsigned long long) {
  ENTER("cuMemCreate");
  *handle = machine.create(bytes, how->requestedHandleTypes ==
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  return *handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemExportToShareableHandle(void *file,
                                      CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType,
                                      unsigned long long) {
  ENTER("cuMemExportToShareableHandle");
  *static_cast<int *>(file) = machine.exportBlock(handle);
  return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
                                        void *file, CUmemAllocationHandleType) {
  ENTER("cuMemImportFromShareableHandle");
  const uint64_t how = numberOf("FAKE_CUDA_NO_PEERS", 0);
  *handle = how == 1 ? 0
                     : machine.importBlock(
                           int(reinterpret_cast<intptr_t>(file)), how == 2);
  return *handle ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuMemMap(CUdeviceptr begin, size_t bytes, size_t,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  ENTER("cuMemMap");
  machine.map(pointer(begin), bytes, handle);
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr begin, size_t bytes,
                        const CUmemAccessDesc *access, size_t count) {
  ENTER("cuMemSetAccess");
  if (count != 1 || access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    misuse("cuMemSetAccess other than to read and write, on one GPU");
  machine.allow(pointer(begin), bytes);
  return CUDA_SUCCESS;
}

// Calls that free memory work even after a failure.
CUresult cuMemUnmap(CUdeviceptr begin, size_t bytes) {
  LockedMachine()->unmap(pointer(begin), bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr begin, size_t bytes) {
  LockedMachine()->unreserve(pointer(begin), bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  LockedMachine()->release(handle);
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void *begin, size_t bytes, unsigned) {
  ENTER("cuMemHostRegister");
  machine.registerHost(static_cast<const char *>(begin), bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *begin,
                                      unsigned) {
  ENTER("cuMemHostGetDevicePointer");
  if (!machine.isPinned(begin, 1))
    misuse("cuMemHostGetDevicePointer of what is not registered");
  *address = idOf(begin);
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *begin) {
  LockedMachine()->unregisterHost(static_cast<const char *>(begin));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  ENTER("cuMemcpyHtoD");
  machine.needDevice("cuMemcpyHtoD", pointer(to), bytes);
  // Returns when the driver has copied the bytes, not when the GPU has them.
  const auto *begin = static_cast<const char *>(from);
  machine.add(0, {"cuMemcpyHtoD",
                  [to, kept = std::vector<char>(begin, begin + bytes)] {
                    std::memcpy(pointer(to), kept.data(), kept.size());
                  },
                  {},
                  {}});
  return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  ENTER("cuMemcpyDtoH");
  machine.needDevice("cuMemcpyDtoH", pointer(from), bytes);
  machine.finish(0);
  machine.openMemory();
  std::memcpy(to, pointer(from), bytes);
  machine.closeMemory();
  return outcome();
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  ENTER_STREAM("cuMemcpyAsync", stream);
  for (const CUdeviceptr end : {to, from})
    if (!machine.isDevice(pointer(end), bytes) &&
        !machine.isPinned(pointer(end), bytes))
      misuse(fmt::format("cuMemcpyAsync: {} bytes at {} are neither of the "
                         "device nor pinned, or not all of them",
                         bytes, static_cast<void *>(pointer(end))));
  machine.add(idOf(stream),
              {"a copy",
               [=] { std::memcpy(pointer(to), pointer(from), bytes); },
               {},
               {}});
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes,
                         CUstream stream) {
  ENTER_STREAM("cuMemsetD8Async", stream);
  machine.needDevice("cuMemsetD8Async", pointer(to), bytes);
  machine.add(idOf(stream), {"cuMemsetD8Async",
                             [=] { std::memset(pointer(to), byte, bytes); },
                             {},
                             {}});
  return CUDA_SUCCESS;
}

} // extern "C"
