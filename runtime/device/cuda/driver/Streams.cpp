//===- Streams.cpp - The CUDA streams and events of a plan ----------------===//
#include "runtime/device/cuda/driver/Streams.h"

#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"

#include <algorithm>

using namespace zrt;
using namespace zrt::cuda;

Streams::Streams(const Gpu &theGpu, const zrt_plan &thePlan)
    : gpu(theGpu), plan(thePlan), all(thePlan.stream_count) {
  uint32_t most = 0;
  for (const zrt_program &program : plan.programs)
    most = std::max(most, program.event_count);
  events.resize(most);
  try {
    create();
  } catch (...) {
    destroy();
    throw;
  }
}

void Streams::create() {
  // A lower number is a higher priority.
  int least = 0, greatest = 0;
  gpu.CtxGetStreamPriorityRange(&least, &greatest);
  for (zrt_stream i = 0; i < plan.stream_count; ++i)
    if (isOnGpu(i))
      gpu.StreamCreateWithPriority(
          &all[i].handle, CU_STREAM_NON_BLOCKING,
          plan.streams[i].stream_class == ZRT_COMPUTE ? least : greatest);
  for (Event &event : events)
    gpu.EventCreate(&event.handle,
                    CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC);
}

void Streams::destroy() {
  const Driver &driver = gpu.driver();
  for (const Stream &stream : all)
    if (stream.handle) {
      (void)driver.StreamSynchronize(stream.handle);
      (void)driver.StreamDestroy(stream.handle);
    }
  for (const Event &event : events)
    if (event.handle)
      (void)driver.EventDestroy(event.handle);
}

Streams::~Streams() { destroy(); }

void Streams::record(zrt_stream stream, uint32_t event) {
  events[event].isOnGpu = isOnGpu(stream);
  if (isOnGpu(stream))
    gpu.EventRecord(events[event].handle, all[stream].handle);
}

void Streams::wait(zrt_stream stream, uint32_t event) {
  // An event that no CUDA stream recorded is already complete.
  if (!events[event].isOnGpu)
    return;
  if (isOnGpu(stream))
    gpu.StreamWaitEvent(all[stream].handle, events[event].handle, 0);
  else
    gpu.EventSynchronize(events[event].handle);
}

void Streams::finish(zrt_stream stream) {
  if (!isOnGpu(stream))
    return;
  const CUresult result = gpu.driver().StreamSynchronize(all[stream].handle);
  if (result != CUDA_SUCCESS)
    fail("stream {}, whose last operation was {}: {}",
         plan.streams[stream].name, all[stream].last,
         gpu.driver().describe("cuStreamSynchronize", result));
}

//===----------------------------------------------------------------------===//
// Pinned memory
//===----------------------------------------------------------------------===//

PinnedMemory::PinnedMemory(const Gpu &theGpu, std::byte *theBegin,
                           uint64_t bytes, const char *what)
    : gpu(theGpu) {
  if (bytes == 0)
    return;
  const CUresult result = gpu.driver().MemHostRegister(
      theBegin, bytes,
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  if (result != CUDA_SUCCESS)
    fail("cannot pin {} of {} for {}: {}; the machine needs as much free "
         "memory, "
         "and a container must be allowed to lock it",
         what, shownBytes(bytes), gpu.name(),
         gpu.driver().describe("cuMemHostRegister", result));
  begin = theBegin;
}

CUdeviceptr PinnedMemory::onGpu() const {
  CUdeviceptr address = 0;
  if (begin)
    gpu.MemHostGetDevicePointer(&address, begin, 0);
  return address;
}

PinnedMemory::~PinnedMemory() {
  if (begin)
    (void)gpu.driver().MemHostUnregister(begin);
}
