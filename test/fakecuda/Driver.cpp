//===- Driver.cpp - libcuda.so.1, for tests -------------------------------===//
//
// The functions of NVIDIA's driver that the runtime calls, implemented on a
// Machine; this file has those of the driver itself, GPUs and contexts.
//
//   FAKE_CUDA_DEVICES   how many GPUs there are (8)
//   FAKE_CUDA_TWO_KINDS 1: those with an odd number have another name
//   FAKE_CUDA_MEMORY    bytes of each (8 GiB)
//   FAKE_CUDA_VERSION   the driver's version (13000)
//   FAKE_CUDA_SEED      seed of the order in which operations run (1)
//   FAKE_CUDA_DELAY     calls that add to a stream, and calls of NCCL, first
//                       sleep for up to as many microseconds
//   FAKE_CUDA_DEPTH     how many operations a stream holds (1024); a call that
//                       adds to a full one waits, and so do all other calls
//   FAKE_CUDA_NO_WAITS  1: streams ignore events, as if all were missing
//   FAKE_CUDA_NO_WORDS  1: streams ignore words that other ranks write
//   FAKE_CUDA_NO_PEERS  1: GPUs cannot access each other's memory; 2: they
//                       read other bytes, as with a wrong IOMMU
//
// Faults.h has more variables, for wrong operations.
//
//===----------------------------------------------------------------------===//
#include "Driver.h"
#include "Calls.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <random>
#include <thread>

using namespace fakecuda;

namespace {

/// The number of references to the only context.
int retained = 0;
bool isInitialized = false;
thread_local bool isCurrent = false;

int deviceCount() { return int(numberOf("FAKE_CUDA_DEVICES", 8)); }

auto *contextHandle() { return reinterpret_cast<CUcontext>(uintptr_t{0xc0}); }

using Texts = std::map<CUresult, const char *>;
CUresult find(const Texts &texts, CUresult error, const char **text) {
  const auto found = texts.find(error);
  if (found == texts.end())
    return CUDA_ERROR_INVALID_VALUE;
  *text = found->second;
  return CUDA_SUCCESS;
}

} // namespace

/// The GPU whose context is retained; -1 if there is none.
static int device = -1;

void fakecuda::delay() {
  const uint64_t most = numberOf("FAKE_CUDA_DELAY", 0);
  if (most == 0)
    return;
  thread_local std::mt19937_64 random{std::random_device()()};
  std::this_thread::sleep_for(std::chrono::microseconds(random() % (most + 1)));
}

StreamCall::StreamCall(CUstream stream)
    : capture(LockedMachine()->enterCall(idOf(stream))) {
  delay();
}

StreamCall::~StreamCall() {
  const LockedMachine machine;
  if (capture)
    capture->isInUse = false;
}

CUresult fakecuda::enter(const char *call) {
  if (!isInitialized)
    misuse(fmt::format("{} before cuInit", call));
  if (!isCurrent || retained == 0)
    misuse(fmt::format("{} on a thread without a context", call));
  return outcome();
}

//===----------------------------------------------------------------------===//
// For the other libraries in this folder
//===----------------------------------------------------------------------===//

void fakecuda::issue(CUstream stream, const char *name,
                     std::function<void()> run, std::function<bool()> isReady) {
  const StreamCall ofStream(stream);
  LockedMachine()->add(idOf(stream),
                       {name, std::move(run), {}, {}, std::move(isReady)});
}

void fakecuda::pass(double milliseconds) { Machine::get().pass(milliseconds); }

bool fakecuda::takeMemory(uint64_t bytes) {
  return LockedMachine()->take(bytes);
}

void fakecuda::giveBackMemory(uint64_t bytes) {
  LockedMachine()->giveBack(bytes);
}

void fakecuda::needQuiet(const std::string &what) {
  LockedMachine()->needQuiet(what);
}

void fakecuda::setStack(uint64_t bytes) { LockedMachine()->setStack(bytes); }

int fakecuda::currentDevice() { return isCurrent ? device : -1; }

void fakecuda::needDevice(const char *what, const void *begin, uint64_t bytes) {
  LockedMachine()->needDevice(what, begin, bytes);
}

extern "C" {

CUresult cuDriverGetVersion(int *version) {
  *version = int(numberOf("FAKE_CUDA_VERSION", 13000));
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned) {
  const LockedMachine machine;
  if (deviceCount() == 0)
    return CUDA_ERROR_NO_DEVICE;
  if (retained == 0)
    machine->start();
  isInitialized = true;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  static const Texts names = {
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
      {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  return find(names, error, name);
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  static const Texts texts = {
      {CUDA_ERROR_OUT_OF_MEMORY, "out of memory"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"}};
  return find(texts, error, text);
}

CUresult cuDeviceGetCount(int *count) {
  *count = deviceCount();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (ordinal < 0 || ordinal >= deviceCount())
    misuse(fmt::format("cuDeviceGet of GPU {}", ordinal));
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice gpu) {
  const bool isOther = gpu % 2 == 1 && numberOf("FAKE_CUDA_TWO_KINDS", 0) != 0;
  std::strncpy(name, isOther ? "Other GPU" : "Fake GPU", size_t(size));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice) {
  switch (which) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    *value = 9;
    break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    *value = 0;
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = int(zge::kMaxThreads);
    break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = int(kSharedAtMost);
    break;
  case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    *value = 0;
    break;
  case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    *value = 1;
    break;
  default:
    misuse(fmt::format("cuDeviceGetAttribute of {}", int(which)));
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice number) {
  std::memset(uuid, number, sizeof(*uuid));
  return CUDA_SUCCESS;
}

/// The folder /sys/bus/pci/devices has none of these.
CUresult cuDeviceGetPCIBusId(char *name, int size, CUdevice number) {
  std::snprintf(name, size_t(size), "ffff:%02x:00.0", number);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice number) {
  const LockedMachine machine;
  device = number;
  if (retained++ == 0)
    machine->restart();
  *context = contextHandle();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  const LockedMachine machine;
  if (retained == 0)
    misuse("cuDevicePrimaryCtxRelease of what is not retained");
  if (--retained == 0)
    if (const std::string left = machine->leftover(); !left.empty())
      misuse("the last context ends, and these are left:" + left);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit which) {
  ENTER("cuCtxGetLimit");
  if (which != CU_LIMIT_STACK_SIZE)
    misuse("cuCtxGetLimit of other than the stack");
  *value = machine.stackBytes();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit which, size_t value) {
  ENTER("cuCtxSetLimit");
  if (which != CU_LIMIT_STACK_SIZE)
    misuse("cuCtxSetLimit of other than the stack");
  machine.needQuiet("cuCtxSetLimit");
  machine.setStack(value);
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (context != contextHandle())
    misuse("cuCtxSetCurrent to what is no context");
  isCurrent = true;
  return CUDA_SUCCESS;
}

} // extern "C"
