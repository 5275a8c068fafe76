//===- CudaErrorsTest.cpp - Errors of what GPUs do not support ------------===//

#include "Collectives.h"
#include "CudaUnderTest.h"
#include "KernelTwins.h"
#include "TestFiles.h"
#include "runtime/device/cuda/driver/NearProcessors.h"
#include "runtime/world/RankOnHost.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

using namespace zrt;
using namespace zrt::test;

namespace {

std::string errorOfDevice(const zrt_plan &plan) {
  return errorOf([&] { cudaDevice(plan); });
}

/// Returns the refusal of the single operation in `table`.
std::string cudaRefusal(const Table &table) {
  zrt_plan plan = testPlan(table, 1 << 20);
  plan.arena_bytes[ZRT_HOST] = 1 << 16;
  const auto device = cudaDevice(plan);
  return errorOf(
      [&] { device->check(opsOf(plan.programs[ZRT_STEP]).front()); });
}

//===----------------------------------------------------------------------===//
// Driver and GPU
//===----------------------------------------------------------------------===//

TEST(CudaErrors, NoDriver) {
  EXPECT_EQ(
      errorOf([] { cuda::Driver("libcuda-none.so.1"); }),
      "this program was compiled with --target=cuda and needs NVIDIA's "
      "driver: libcuda-none.so.1: cannot open shared object file: No such "
      "file or directory; install it, or name its folder in "
      "LD_LIBRARY_PATH");
  EXPECT_EQ(errorOf([] { cuda::Driver("libm.so.6"); }),
            "libm.so.6 has no cuDriverGetVersion, which this program needs; "
            "install a newer version of NVIDIA's driver");
}

TEST(CudaErrors, AnOldDriver) {
  const Environment version("FAKE_CUDA_VERSION", "11080");
  EXPECT_HAS(errorOfDevice(testPlan(Table())),
             "is of CUDA 11.8, and this program needs 12.0 or later");
}

TEST(CudaErrors, NoGpu) {
  const Environment devices("FAKE_CUDA_DEVICES", "0");
  EXPECT_HAS(errorOfDevice(testPlan(Table())),
             "this machine has no GPU of NVIDIA that it may use (cuInit: "
             "CUDA_ERROR_NO_DEVICE (100)");
}

TEST(CudaErrors, RanksShareTheGpusThatThereAre) {
  const Environment devices("FAKE_CUDA_DEVICES", "3");
  for (int rank = 0; rank < 7; ++rank)
    EXPECT_EQ(cuda::Gpu(rank).number(), rank % 3);
}

/// Two hosts with ranks in turn, and hosts of one and of three ranks.
TEST(CudaErrors, RanksOfAHostHaveTheirOwnGpus) {
  const auto all = [](const std::vector<uint64_t> &hosts) {
    std::vector<int> numbers;
    for (int rank = 0; rank < int(hosts.size()); ++rank)
      numbers.push_back(rankOnHost(hosts, rank));
    return numbers;
  };
  EXPECT_EQ(all({7, 9, 7, 9}), (std::vector{0, 0, 1, 1}));
  EXPECT_EQ(all({7, 9, 9, 9}), (std::vector{0, 0, 1, 2}));
}

/// The GPU is beside one of the processors, beside none, or beside all.
TEST(CudaErrors, AProcessStaysNearItsGpu) {
  const std::vector<int> all = availableProcessors();
  if (all.size() < 2)
    GTEST_SKIP() << "there is one processor";
  const TestFolder folder;
  const cuda::Gpu gpu(0);
  std::filesystem::create_directories(folder / gpu.place());
  const auto beside = [&](const std::string &list) {
    std::ofstream(folder / gpu.place() + "/local_cpulist") << list << "\n";
    return cuda::stayNear(gpu, folder / "");
  };
  // The thread is another one, since it keeps its processors.
  std::thread([&] {
    EXPECT_EQ(beside(fmt::format("{}-{}", all.front(), all.back())), "");
    EXPECT_HAS(beside("1000000"),
               "Fake GPU (sm_90) is beside the processors 1000000, to which "
               "this process is not allowed");
    EXPECT_EQ(availableProcessors(), all);
    const Environment off("ZRT_NEAR_GPU", "0");
    EXPECT_EQ(beside(std::to_string(all[1])), "");
  }).join();
  std::thread([&] {
    EXPECT_EQ(beside(std::to_string(all[1])),
              fmt::format("the host uses 1 of its {} processors, those beside "
                          "Fake GPU (sm_90); ZRT_NEAR_GPU=0 lets it use all",
                          all.size()));
    EXPECT_EQ(availableProcessors(), std::vector{all[1]});
  }).join();
  EXPECT_EQ(availableProcessors(), all);
}

TEST(CudaErrors, ProcessorsBesideAGpu) {
  using Numbers = std::vector<int>;
  EXPECT_EQ(cuda::numbersOf("0-3,8"), (Numbers{0, 1, 2, 3, 8}));
  EXPECT_EQ(cuda::numbersOf("5"), Numbers{5});
  for (const char *wrong : {"", "a", "1-", "1,,2", "3;4", "-1", "0-9999999"})
    EXPECT_EQ(cuda::numbersOf(wrong), Numbers()) << wrong;
}

TEST(CudaErrors, TooLittleMemory) {
  {
    const Environment memory("FAKE_CUDA_MEMORY", std::to_string(16 << 20));
    EXPECT_EQ(errorOfDevice(testPlan(Table(), 9 << 20)),
              "Fake GPU (sm_90) has 16,777,216 bytes (16.0 MiB) free of "
              "16,777,216 bytes (16.0 MiB): 9,437,184 bytes (9.0 MiB) for the "
              "device arena (the certificate's size of device) leave less than "
              "134,217,728 bytes (128.0 MiB) for libraries; compile with a "
              "smaller batch, offload state to another tier, or end what else "
              "runs there; ZRT_GPU_RESERVE=BYTES reserves less");
  }
  const Environment memory("FAKE_CUDA_MEMORY", std::to_string(8 << 20));
  EXPECT_EQ(errorOf([] {
              const cuda::Gpu gpu(0);
              const cuda::GpuMemory memory(gpu, 9 << 20, "contributions");
            }),
            "cannot take 10,485,760 bytes (10.0 MiB) for contributions on "
            "Fake GPU (sm_90), which has 8,388,608 bytes (8.0 MiB) free of "
            "8,388,608 bytes (8.0 MiB): cuMemCreate: CUDA_ERROR_OUT_OF_MEMORY "
            "(2): out of memory; compile with a smaller batch, offload state "
            "to another tier, or end what else runs there");
}

TEST(CudaErrors, LessMemoryCanBeLeftToLibraries) {
  const Environment memory("FAKE_CUDA_MEMORY", std::to_string(16 << 20)),
      reserve("ZRT_GPU_RESERVE", "1048576");
  EXPECT_EQ(errorOfDevice(testPlan(Table(), 9 << 20)), "");
}

//===----------------------------------------------------------------------===//
// Images and kernels
//===----------------------------------------------------------------------===//

/// Returns the error of a plan whose test kernels `change` has changed.
template <typename Change>
std::string errorOfKernels(Change change) {
  zrt_plan plan = withKernels(testPlan(Table()));
  std::vector<zrt_device_kernel> kernels(
      plan.device_kernels, plan.device_kernels + plan.device_kernel_count);
  change(plan, kernels);
  plan.device_kernels = kernels.data();
  return errorOf([&] { const CudaDevice device(plan, 0, 0, hostOf(plan)); });
}

TEST(CudaErrors, ImagesAndKernels) {
  EXPECT_HAS(errorOfKernels(
                 [](zrt_plan &plan, auto &) { plan.device_image_count = 1; }),
             "Fake GPU (sm_90) takes none of the program's 1 images, which are "
             "for emulated; ptx: cuLibraryLoadData: "
             "CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
  EXPECT_HAS(errorOfKernels([](zrt_plan &, auto &kernels) {
               kernels[0].entry = "softmax";
             }),
             "the program's image has no kernel softmax: cuLibraryGetKernel: "
             "CUDA_ERROR_NOT_FOUND (500)");
  EXPECT_HAS(errorOfKernels(
                 [](zrt_plan &, auto &kernels) { kernels[0].threads = 2048; }),
             "kernel test_count needs 2048 threads in a block, and Fake GPU "
             "(sm_90) has 1024");
  EXPECT_HAS(errorOfKernels([](zrt_plan &, auto &kernels) {
               kernels[0].shared_bytes = 300 << 10;
             }),
             "kernel test_count needs 307200 bytes of shared memory, and Fake "
             "GPU (sm_90) has 232448");
}

void unknown(void *const *, int64_t, int64_t) {}

TEST(CudaErrors, OperationsThatItCannotDo) {
  const zrt_operand onDevice = tensor(deviceRef(0, 400), ZRT_I32),
                    onHost = tensor({ZRT_HOST, 0, 0, 400}, ZRT_I32);
  EXPECT_HAS(cudaRefusal(Table().launch(ZRT_COMPUTE, "k", unknown, 100, 64,
                                        {onDevice})),
             "the program has no kernel for GPUs that does it");
  EXPECT_HAS(
      cudaRefusal(Table().launch(ZRT_COMPUTE, "k", count, 100, 64, {onHost})),
      "operand 0: it lies on host, and what stream compute does is done by the "
      "GPU, in its own memory");
  EXPECT_HAS(
      cudaRefusal(
          Table().launch(ZRT_HOST_STREAM, "k", count, 100, 64, {onDevice})),
      "operand 0: it lies on device, and what stream host does is done by the "
      "host, which cannot reach the GPU's memory");
  EXPECT_EQ(cudaRefusal(Table().launch(ZRT_HOST_STREAM, "k", unknown, 100, 64,
                                       {onHost})),
            "");
  EXPECT_HAS(cudaRefusal(Table().launch(ZRT_COMPUTE, "k", count, INT64_MAX, 64,
                                        {onDevice})),
             "more blocks than the 2147483647 that a GPU launches at once");
  zrt_grouped_desc grouped = {};
  grouped.name = "experts";
  grouped.x.dtype = grouped.y.dtype = ZRT_F32;
  EXPECT_HAS(cudaRefusal(Table().add(ZRT_GROUPED, ZRT_COMPUTE, &grouped)),
             "the program has no kernel zrt_grouped_f32_f32_xw_0x0x0 for GPUs");
  zrt_unpack_desc packed = {};
  packed.name = "unpack b0";
  packed.packing = ZRT_NF4;
  packed.result.dtype = ZRT_F32;
  EXPECT_HAS(cudaRefusal(Table().add(ZRT_UNPACK, ZRT_COMPUTE, &packed)),
             "the program has no kernel zrt_unpack_nf4_f32 for GPUs");
  const zrt_operand wide = whole(deviceRef(0, 1024)),
                    narrow = whole(deviceRef(4096, 260), ZRT_BLOCK8);
  const zrt_quantize_desc narrowing = {"quantize of b0", 0, 0, wide, narrow};
  const zrt_dequantize_desc widening = {"dequantize of b0", 0, 0, narrow, wide};
  for (const Table &table :
       {Table().add(ZRT_QUANTIZE, ZRT_COMPUTE, &narrowing),
        Table().add(ZRT_DEQUANTIZE, ZRT_COMPUTE, &widening)})
    EXPECT_EQ(cudaRefusal(table),
              "GPUs exchange what they have; only processors quantize it");
  zrt_matmul_desc empty = {};
  empty.scale = 1;
  empty.name = "c_fc.3";
  empty.batch = empty.m = empty.n = 1;
  empty.a.dtype = empty.b.dtype = empty.c.dtype = ZRT_F32;
  EXPECT_HAS(cudaRefusal(Table().matmul(ZRT_COMPUTE, empty)), "k is 0");
}

TEST(CudaErrors, ProductsOnTwoStreamsHaveNoTwoWorkspaces) {
  zrt_matmul_desc d = {};
  d.scale = 1;
  d.name = "c_fc.3";
  d.batch = d.m = d.n = d.k = 1;
  d.a = d.b = d.c = scalar(deviceRef(0, 4));
  zrt_plan plan =
      testPlan(Table().matmul(ZRT_COMPUTE, d).matmul(ZRT_GATHER, d), 1 << 20);
  EXPECT_EQ(errorOfDevice(plan), "");
  plan.workspace = deviceRef(4096, 4096);
  EXPECT_HAS(errorOfDevice(plan),
             "products run on the streams compute and gather");
}

//===----------------------------------------------------------------------===//
// Failures in a program
//===----------------------------------------------------------------------===//

TEST(CudaErrors, AKernelThatFailsIsNamedWhereEachIsFinished) {
  const Chaos chaos(1);
  const zrt_plan plan =
      testPlan(Table()
                   .launch(ZRT_COMPUTE, "good.0", count, 64, 64,
                           {tensor(deviceRef(0, 256), ZRT_I32)})
                   .launch(ZRT_COMPUTE, "bad.1", fails, 1, 1, {}));
  zrt_context context;
  context.plan = plan;
  ContextParts parts;
  parts.chaos = std::make_unique<ChaosDelays>(0);
  parts.device = cudaDevice(plan);
  parts.collectives = std::make_unique<Transport>(
      plan, parts.device->exported(), nullptr, *parts.chaos);
  context.run = std::make_unique<zrt::Context>(context.plan, 0,
                                               std::move(parts), context.error);
  EXPECT_NE(zrt_run(&context, ZRT_STEP), 0);
  EXPECT_HAS(
      zrt_error_message(&context),
      "stream compute, whose last operation was bad.1: "
      "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal "
      "memory access was encountered");
}

} // namespace
