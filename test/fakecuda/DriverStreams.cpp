//===- DriverStreams.cpp - The driver's functions for streams and kernels -===//
#include "Calls.h"
#include "Faults.h"
#include "Image.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <vector>

using namespace fakecuda;

extern "C" {

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                    int priority) {
  ENTER("cuStreamCreateWithPriority");
  if (flags != CU_STREAM_NON_BLOCKING || priority > 0 || priority < -5)
    misuse(
        "cuStreamCreateWithPriority: a stream that waits for the one that is "
        "always there, or whose priority does not exist");
  *stream = handleOf<CUstream>(machine.makeStream());
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  LockedMachine()->removeStream(idOf(stream));
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  ENTER("cuStreamSynchronize");
  machine.finish(idOf(stream));
  return outcome();
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  ENTER_STREAM("cuStreamWaitEvent", stream);
  machine.wait(idOf(stream), idOf(event),
               /*isLeftOut=*/numberOf("FAKE_CUDA_NO_WAITS", 0) != 0);
  return CUDA_SUCCESS;
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count,
                               CUstreamBatchMemOpParams *operations, unsigned) {
  ENTER_STREAM("cuStreamBatchMemOp", stream);
  for (unsigned i = 0; i < count; ++i) {
    const CUstreamBatchMemOpParams one = operations[i];
    // Address and value are at the same offsets as in a write.
    auto *const word =
        reinterpret_cast<std::atomic<uint32_t> *>(one.waitValue.address);
    const uint32_t value = one.waitValue.value;
    if (!machine.isPinned(word, sizeof(*word)))
      misuse("cuStreamBatchMemOp on what is not pinned");
    if (one.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 &&
        one.writeValue.flags == CU_STREAM_WRITE_VALUE_DEFAULT)
      machine.add(idOf(stream),
                  {"a word is written", [=] { word->store(value); }, {}, {}});
    else if (one.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 &&
             one.waitValue.flags == CU_STREAM_WAIT_VALUE_GEQ) {
      if (!numberOf("FAKE_CUDA_NO_WORDS", 0))
        machine.add(idOf(stream), {"a wait for a word", {}, {}, {}, [=] {
                                     return int32_t(word->load() - value) >= 0;
                                   }});
    } else
      misuse("cuStreamBatchMemOp other than to write a word and to wait until "
             "one is as great");
  }
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  ENTER("cuEventCreate");
  *event = handleOf<CUevent>(
      machine.makeEvent(/*isTimed=*/(flags & CU_EVENT_DISABLE_TIMING) == 0));
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  LockedMachine()->removeEvent(idOf(event));
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  ENTER_STREAM("cuEventRecord", stream);
  machine.record(idOf(event), idOf(stream));
  return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
  ENTER("cuEventSynchronize");
  machine.finishEvent(idOf(event));
  return outcome();
}

#undef cuEventElapsedTime // newer headers rename it
CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  ENTER("cuEventElapsedTime");
  *milliseconds = float(machine.timeBetween(idOf(begin), idOf(end)));
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  ENTER("cuCtxGetStreamPriorityRange");
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  ENTER("cuStreamBeginCapture");
  if (mode != CU_STREAM_CAPTURE_MODE_RELAXED)
    misuse("a capture that forbids calls of other threads");
  machine.beginCapture(idOf(stream));
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  ENTER("cuStreamEndCapture");
  *graph = handleOf<CUgraph>(machine.endCapture(idOf(stream)));
  return *graph ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *copy, CUgraph graph,
                                     unsigned long long) {
  ENTER("cuGraphInstantiate");
  *copy = handleOf<CUgraphExec>(machine.copyGraph(idOf(graph)));
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  LockedMachine()->removeGraph(idOf(graph));
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec graph) {
  LockedMachine()->removeGraph(idOf(graph));
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  ENTER("cuGraphLaunch");
  machine.launchGraph(idOf(graph), idOf(stream));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *,
                           void **, unsigned, CUlibraryOption *, void **,
                           unsigned) {
  ENTER("cuLibraryLoadData");
  Image *image = Image::load(code);
  if (!image)
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  *library = reinterpret_cast<CUlibrary>(image);
  return CUDA_SUCCESS;
}

CUresult cuLibraryUnload(CUlibrary library) {
  const LockedMachine machine;
  Image::unload(reinterpret_cast<Image *>(library));
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                            const char *name) {
  ENTER("cuLibraryGetKernel");
  *kernel = reinterpret_cast<CUkernel>(
      reinterpret_cast<Image *>(library)->find(name));
  return *kernel ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  ENTER("cuKernelGetFunction");
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute which,
                              CUkernel kernel, CUdevice) {
  ENTER("cuKernelGetAttribute");
  if (which != CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
    misuse(fmt::format("cuKernelGetAttribute of {}", int(which)));
  *value = int(Image::kernel(kernel).frame);
  return CUDA_SUCCESS;
}

CUresult cuKernelSetAttribute(CUfunction_attribute which, int value,
                              CUkernel kernel, CUdevice) {
  ENTER("cuKernelSetAttribute");
  if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      uint64_t(value) > kSharedAtMost)
    misuse(fmt::format("cuKernelSetAttribute of {} to {}", int(which), value));
  Image::kernel(kernel).sharedBytes = uint64_t(value);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  ENTER_STREAM("cuLaunchKernelEx", config->hStream);
  const Image::Kernel &kernel = Image::kernel(function);
  machine.growStack(kernel.frame, "the first launch of " + kernel.name);
  if (config->gridDimX == 0 || config->gridDimX > INT32_MAX ||
      config->gridDimY != 1 || config->gridDimZ != 1 ||
      config->blockDimX == 0 || config->blockDimX > zge::kMaxThreads ||
      config->blockDimY != 1 || config->blockDimZ != 1 ||
      config->sharedMemBytes > std::max(kSharedByDefault, kernel.sharedBytes))
    misuse(fmt::format("{}: {} x {} x {} blocks of {} x {} x {} threads and {} "
                       "bytes of shared memory",
                       kernel.name, config->gridDimX, config->gridDimY,
                       config->gridDimZ, config->blockDimX, config->blockDimY,
                       config->blockDimZ, config->sharedMemBytes));
  if (parameters || !extra || extra[0] != CU_LAUNCH_PARAM_BUFFER_POINTER ||
      extra[2] != CU_LAUNCH_PARAM_BUFFER_SIZE ||
      extra[4] != CU_LAUNCH_PARAM_END)
    misuse(kernel.name + ": parameters are expected in a buffer");
  const size_t bytes = *static_cast<const size_t *>(extra[3]);
  if (bytes % 8 != 0)
    misuse(kernel.name + ": parameters of other than 8 bytes");
  // Copied now, since the buffer may be freed before the kernel runs.
  const auto *buffer = static_cast<const uint64_t *>(extra[1]);
  const std::vector<uint64_t> kept(buffer, buffer + bytes / 8);
  machine.add(idOf(config->hStream),
              {kernel.name,
               [&machine, kernel, kept = std::vector(kept),
                blocks = config->gridDimX, threads = config->blockDimX,
                shared = config->sharedMemBytes]() mutable {
                 std::vector<void *> values;
                 for (uint64_t &value : kept)
                   values.push_back(&value);
                 machine.runKernel({kernel.name.c_str(), kernel.entry,
                                    values.data(), blocks, threads, shared, 0});
                 // The last argument is the number of units, the one before it
                 // a result; in grouped products the second one is the result.
                 spoil(kernel.name,
                       pointer(kept[kernel.name.starts_with("zrt_grouped_")
                                        ? 1
                                        : kept.size() - 2]));
               },
               {},
               {}});
  return CUDA_SUCCESS;
}

} // extern "C"
