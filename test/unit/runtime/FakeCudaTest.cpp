//===- FakeCudaTest.cpp - The errors that the fake GPU finds --------------===//
//
// The GPU of test/fakecuda must find missing events, host code that reads a
// GPU's memory, and calls that no driver would accept.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cuda/driver/Gpu.h"
#include "runtime/device/cuda/driver/Streams.h"

#include "Collectives.h"
#include "CudaUnderTest.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace zrt;
using namespace zrt::cuda;
using namespace zrt::test;

namespace {

constexpr uint64_t kBytes = 4096;

CUstream newStream(const Gpu &gpu) {
  CUstream stream = nullptr;
  gpu.StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0);
  return stream;
}
CUevent newEvent(const Gpu &gpu) {
  CUevent event = nullptr;
  gpu.EventCreate(&event, CU_EVENT_DISABLE_TIMING);
  return event;
}

/// One stream writes ones, another copies them; returns true if it copied them
/// all.
bool copiesWhatIsWritten(int seed, bool hasEvent) {
  const Environment order("FAKE_CUDA_SEED", std::to_string(seed));
  const Gpu gpu(0);
  const Driver &cu = gpu.driver();
  const GpuMemory memory(gpu, 2 * kBytes, "a test");
  const CUstream writer = newStream(gpu), reader = newStream(gpu);
  const CUevent written = newEvent(gpu);
  cu.MemsetD8Async(memory.at(0), 1, kBytes, writer);
  cu.EventRecord(written, writer);
  if (hasEvent)
    cu.StreamWaitEvent(reader, written, 0);
  cu.MemcpyAsync(memory.at(kBytes), memory.at(0), kBytes, reader);
  cu.StreamSynchronize(reader);
  std::array<char, kBytes> found = {};
  cu.MemcpyDtoH(found.data(), memory.at(kBytes), kBytes);
  cu.StreamDestroy(reader);
  cu.StreamDestroy(writer);
  cu.EventDestroy(written);
  std::array<char, kBytes> ones;
  ones.fill(1);
  return found == ones;
}

TEST(FakeCuda, AMissingEventIsFoundUnderSomeSeeds) {
  int wrong = 0;
  for (int seed = 1; seed <= 40; ++seed) {
    EXPECT_TRUE(copiesWhatIsWritten(seed, /*hasEvent=*/true)) << seed;
    wrong += !copiesWhatIsWritten(seed, /*hasEvent=*/false);
  }
  EXPECT_GT(wrong, 4);
  EXPECT_LT(wrong, 40);
}

TEST(FakeCuda, WhatIsCopiedToTheDeviceMayArriveLate) {
  int late = 0;
  for (int seed = 1; seed <= 40; ++seed) {
    const Environment order("FAKE_CUDA_SEED", std::to_string(seed));
    const Gpu gpu(0);
    const Driver &cu = gpu.driver();
    const GpuMemory memory(gpu, 2 * kBytes, "a test");
    const CUstream other = newStream(gpu);
    const std::array<char, kBytes> ones = {1, 1, 1};
    cu.MemcpyHtoD(memory.at(0), ones.data(), kBytes);
    cu.MemcpyAsync(memory.at(kBytes), memory.at(0), kBytes, other);
    cu.StreamSynchronize(other);
    std::array<char, kBytes> found = {};
    cu.MemcpyDtoH(found.data(), memory.at(kBytes), kBytes);
    late += found != ones;
    cu.MemcpyDtoH(found.data(), memory.at(0), kBytes);
    EXPECT_EQ(found, ones);
    cu.StreamDestroy(other);
  }
  EXPECT_GT(late, 4);
}

//===----------------------------------------------------------------------===//
// Misuse that ends the process
//===----------------------------------------------------------------------===//

using FakeCudaDeathTest = testing::Test;

TEST(FakeCudaDeathTest, HostCodeThatTouchesTheDevicesMemoryEnds) {
  const Gpu gpu(0);
  const GpuMemory memory(gpu, kBytes, "a test");
  const auto *bytes = reinterpret_cast<const volatile char *>(memory.at(0));
  EXPECT_EXIT((void)bytes[5], testing::KilledBySignal(SIGSEGV), "");
}

/// Expects that `body`, called with a GPU and one of its streams, ends the
/// process with `text`.
template <typename Body>
void expectMisuse(const char *text, Body body) {
  EXPECT_DEATH(
      {
        const Gpu gpu(0);
        body(gpu, newStream(gpu));
        // What is in a stream may be looked at later.
      },
      text);
}

TEST(FakeCudaDeathTest, MisuseIsNamed) {
  std::array<char, kBytes> host = {};
  const auto pageable = reinterpret_cast<CUdeviceptr>(host.data());
  expectMisuse("neither of the device nor pinned", [&](auto &gpu, auto stream) {
    const GpuMemory memory(gpu, kBytes, "a test");
    gpu.driver().MemcpyAsync(memory.at(0), pageable, kBytes, stream);
  });
  expectMisuse("neither of the device nor pinned", [](auto &gpu, auto stream) {
    const GpuMemory memory(gpu, 2 << 20, "a test");
    gpu.driver().MemcpyAsync(memory.at(0), memory.at(kBytes), 2 << 20, stream);
  });
  expectMisuse("no memory of the device", [](auto &gpu, auto stream) {
    const GpuMemory memory(gpu, kBytes, "a test");
    gpu.driver().MemsetD8Async(memory.at(2 << 20), 0, 1, stream);
  });
  expectMisuse("an event that does not exist", [](auto &gpu, auto stream) {
    const CUevent event = newEvent(gpu);
    gpu.driver().EventDestroy(event);
    gpu.driver().EventRecord(event, stream);
  });
  expectMisuse("a stream that does not exist", [](auto &gpu, auto stream) {
    gpu.driver().StreamDestroy(stream);
    gpu.driver().StreamSynchronize(stream);
  });
  expectMisuse("left: 1 streams", [](auto &, auto) {});
}

/// Lets `stream` wait for another process.
void awaitOther(const Gpu &gpu, CUstream stream) {
  alignas(4096) static std::array<std::byte, kBytes> page;
  const auto &word = *new PinnedMemory(gpu, page.data(), kBytes, "a test");
  CUstreamBatchMemOpParams one = {};
  one.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  one.waitValue.address = word.onGpu();
  one.waitValue.value = 1;
  one.waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  gpu.StreamBatchMemOp(stream, 1, &one, 0);
}

TEST(FakeCudaDeathTest, CallsThatSynchronizeWhileAStreamWaits) {
  expectMisuse("cuCtxSetLimit synchronizes the GPU, where stream .* may wait "
               "for another process in a wait for a word",
               [](auto &gpu, auto stream) {
                 gpu.CtxSetLimit(CU_LIMIT_STACK_SIZE, 512);
                 awaitOther(gpu, stream);
                 gpu.CtxSetLimit(CU_LIMIT_STACK_SIZE, 4096);
               });
}

TEST(FakeCudaDeathTest, TwoThreadsThatAddToOneCapture) {
  const Environment delay("FAKE_CUDA_DELAY", "200");
  expectMisuse("two threads add to one capture at once",
               [](auto &gpu, auto stream) {
                 const GpuMemory memory(gpu, kBytes, "a test");
                 gpu.StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
                 const auto add = [&] {
                   gpu.enter();
                   for (int i = 0; i < 1000; ++i)
                     gpu.MemsetD8Async(memory.at(0), 0, kBytes, stream);
                 };
                 std::thread other(add);
                 add();
                 other.join();
               });
}

} // namespace
