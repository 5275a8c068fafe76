//===- CudaDeviceTest.cpp - Plans on the fake GPU, and errors -------------===//
//
// Beside the common behaviour of devices (DeviceConformanceTest.cpp): the parts
// of a plan that only GPUs have, and equality of the bytes of CPU and GPU.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cpu/BucketWork.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/text/Error.h"

#include "Collectives.h"
#include "CudaUnderTest.h"
#include "KernelTwins.h"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace zrt;
using namespace zrt::test;

extern "C" void zrt_cuda_device(zrt_device_request *request);

namespace {

zrt_plan onGpu(const zrt_plan &plan) {
  zrt_plan mine = withKernels(plan);
  mine.make_device = zrt_cuda_device;
  return mine;
}

std::vector<std::byte> bytesOfCuda(const ContextPtr &ctx, const zrt_ref &ref) {
  std::vector<std::byte> bytes(ref.bytes);
  EXPECT_EQ(zrt_read(ctx.get(), &ref, bytes.data(), bytes.size()), 0)
      << zrt_error_message(ctx.get());
  return bytes;
}
template <typename T>
void write(const ContextPtr &ctx, const zrt_ref &ref,
           const std::vector<T> &values) {
  ASSERT_EQ(zrt_write(ctx.get(), &ref, values.data(), ref.bytes), 0)
      << zrt_error_message(ctx.get());
}

/// Numbers of mixed signs and magnitudes that are exact even in 16 bits.
std::vector<float> floatsOf(uint64_t seed, size_t count) {
  std::vector<float> values(count);
  for (float &value : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = float(int64_t(seed >> 56) - 128) / float(1 << (seed >> 40 & 7));
  }
  return values;
}

constexpr uint64_t kArena = (64 << 10) + (1 << 20);
/// Returns all bytes of device and host, for each rank, after `steps` steps of
/// `plan`, which begins with numbers on the device.
std::vector<std::vector<std::byte>> bytesAfter(const zrt_plan &plan,
                                               int steps) {
  std::vector<std::vector<std::byte>> all(plan.world_size);
  runRanks(int(plan.world_size), [&](World &world) {
    const ContextPtr ctx = create(plan, world);
    const zrt_ref device = deviceRef(0, plan.arena_bytes[ZRT_DEVICE]);
    write(ctx, device,
          floatsOf(uint64_t(world.rank() + 1), size_t(device.bytes / 4)));
    for (int step = 0; step < steps; ++step)
      EXPECT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
          << zrt_error_message(ctx.get());
    auto &mine = all[size_t(world.rank())];
    mine = bytesOfCuda(ctx, device);
    const auto host =
        bytesOfCuda(ctx, {ZRT_HOST, 0, 0, plan.arena_bytes[ZRT_HOST]});
    mine.insert(mine.end(), host.begin(), host.end());
    // A rank that leaves counts as failed until all groups are done.
    world.barrier();
  });
  return all;
}

/// Expects the same bytes as on the CPU, for several orders of execution.
void expectBytesOfCpu(const zrt_plan &plan, int steps = 3, int seeds = 5) {
  const auto expected = bytesAfter(plan, steps);
  for (int seed = 1; seed <= seeds; ++seed) {
    const Environment order("FAKE_CUDA_SEED", std::to_string(seed));
    const auto found = bytesAfter(onGpu(plan), steps);
    for (size_t rank = 0; rank < expected.size(); ++rank)
      EXPECT_TRUE(found[rank] == expected[rank])
          << "rank " << rank << ", seed " << seed;
  }
}

zrt_ref numbers(uint64_t which, uint32_t tier = ZRT_DEVICE) {
  return {tier, 0, which * 4096, 4000};
}
Table &launch(Table &table, zrt_stream stream, zrt_kernel_fn kernel,
              const std::vector<zrt_ref> &args, int64_t units = 1000) {
  std::vector<zrt_operand> operands;
  for (const zrt_ref &ref : args)
    operands.push_back(tensor(ref, ZRT_I32));
  return table.launch(stream, "kernel.0", kernel, units, 64, operands);
}
zrt_plan planOf(const Table &table) {
  zrt_plan plan = testPlan(table, kArena);
  plan.arena_bytes[ZRT_HOST] = 1 << 16;
  return plan;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// Copies to the host, adds there, and copies back.
zrt_plan roundTrip() {
  Table table;
  launch(table, ZRT_COMPUTE, count, {numbers(0)})
      .record(ZRT_COMPUTE, 0)
      .wait(ZRT_D2H, 0)
      .copy(ZRT_D2H, numbers(0), numbers(1, ZRT_HOST))
      .record(ZRT_D2H, 1)
      .wait(ZRT_HOST_STREAM, 1);
  launch(table, ZRT_HOST_STREAM, addTo,
         {numbers(1, ZRT_HOST), numbers(2, ZRT_HOST)})
      .record(ZRT_HOST_STREAM, 2)
      .wait(ZRT_H2D, 2)
      .copy(ZRT_H2D, numbers(2, ZRT_HOST), numbers(3))
      .record(ZRT_H2D, 3)
      .wait(ZRT_COMPUTE, 3);
  launch(table, ZRT_COMPUTE, addTo, {numbers(3), numbers(4)});
  return planOf(table);
}

TEST(CudaDevice, DeviceAndHostWaitForEachOther) {
  expectBytesOfCpu(roundTrip(), /*steps=*/5, /*seeds=*/20);
}

TEST(CudaDevice, EveryWaitIsNeeded) {
  const Environment none("FAKE_CUDA_NO_WAITS", "1");
  const auto expected = bytesAfter(roundTrip(), 5);
  int wrong = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const Environment order("FAKE_CUDA_SEED", std::to_string(seed));
    wrong += bytesAfter(onGpu(roundTrip()), 5) != expected;
  }
  EXPECT_GT(wrong, 2);
}

TEST(CudaDevice, AGuardedHostArenaIsPinnedAllTheSame) {
  const Environment guard("ZRT_GUARD", "1");
  expectBytesOfCpu(roundTrip(), /*steps=*/3, /*seeds=*/3);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Two GPU streams that need each other's results.
zrt_plan pingPong() {
  Table table;
  launch(table, ZRT_COMPUTE, count, {numbers(0)})
      .record(ZRT_COMPUTE, 0)
      .wait(ZRT_GATHER, 0)
      .copy(ZRT_GATHER, numbers(0), numbers(1));
  launch(table, ZRT_GATHER, addTo, {numbers(1), numbers(2)})
      .record(ZRT_GATHER, 1)
      .wait(ZRT_COMPUTE, 1);
  launch(table, ZRT_COMPUTE, addTo, {numbers(2), numbers(0)});
  // No operation of the program waits for this one.
  return planOf(table.copy(ZRT_GATHER, numbers(1), numbers(3)));
}

TEST(CudaDevice, AProgramThatIsRepeatedAsAGraphLeavesTheSameBytes) {
  expectBytesOfCpu(pingPong(), /*steps=*/6, /*seeds=*/20);
  const Environment none("ZRT_CUDA_GRAPHS", "0");
  expectBytesOfCpu(pingPong(), /*steps=*/6, /*seeds=*/3);
}

TEST(CudaDevice, AGraphHasTheWaitsOfItsProgram) {
  const auto expected = bytesAfter(pingPong(), 6);
  const Environment missing("FAKE_CUDA_NO_WAITS", "1");
  int wrong = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const Environment order("FAKE_CUDA_SEED", std::to_string(seed));
    wrong += bytesAfter(onGpu(pingPong()), 6) != expected;
  }
  EXPECT_GT(wrong, 2);
}

TEST(CudaDevice, OnlyProgramsWithoutTheHostAreRepeated) {
  // The second run is captured; later runs launch the graph without reissuing
  // it.
  for (const bool isPure : {true, false}) {
    const zrt_plan plan = withKernels(isPure ? pingPong() : roundTrip());
    const auto device = cudaDevice(plan);
    EXPECT_FALSE(device->replay(ZRT_STEP));
    device->endIssue(true);
    EXPECT_FALSE(device->replay(ZRT_STEP));
    device->endIssue(true);
    EXPECT_EQ(device->replay(ZRT_STEP), isPure);
    for (zrt_stream stream = 0; stream < plan.stream_count; ++stream)
      device->finish(stream);
  }
}

TEST(CudaDevice, ACaptureThatFailsIsDropped) {
  const zrt_plan plan = withKernels(pingPong());
  const auto device = cudaDevice(plan);
  EXPECT_FALSE(device->replay(ZRT_STEP));
  device->endIssue(true);
  EXPECT_FALSE(device->replay(ZRT_STEP));
  device->endIssue(false);
  EXPECT_FALSE(device->replay(ZRT_STEP));
  device->endIssue(true);
  EXPECT_TRUE(device->replay(ZRT_STEP));
  for (zrt_stream stream = 0; stream < plan.stream_count; ++stream)
    device->finish(stream);
}

TEST(CudaDevice, ItSaysWhereTheDeviceTierIs) {
  const auto device = cudaDevice(planOf(Table()));
  EXPECT_EQ(device->note().find("the device tier is on Fake GPU (sm_90)"), 0u)
      << device->note();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TEST(CudaDevice, AKernelMayBeSeveralLaunches) {
  Table table;
  launch(table, ZRT_COMPUTE, twice, {numbers(0)});
  const ContextPtr ctx = create(onGpu(planOf(table)));
  ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0) << zrt_error_message(ctx.get());
  const auto bytes = bytesOfCuda(ctx, numbers(0));
  for (int32_t i = 0; i < 1000; ++i)
    ASSERT_EQ(reinterpret_cast<const int32_t *>(bytes.data())[i], 2 * (i + 1));
}

TEST(CudaDevice, BlocksMayShareAUnit) {
  Table table;
  launch(table, ZRT_COMPUTE, count, {numbers(0)});
  launch(table, ZRT_COMPUTE, doubleParts, {numbers(0)}, /*units=*/3);
  const ContextPtr ctx = create(onGpu(planOf(table)));
  ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0) << zrt_error_message(ctx.get());
  const auto bytes = bytesOfCuda(ctx, numbers(0));
  for (int32_t i = 0; i < 1000; ++i)
    ASSERT_EQ(reinterpret_cast<const int32_t *>(bytes.data())[i],
              (i < 3 * 64 ? 2 : 1) * (i + 1));
}

TEST(CudaDevice, UnpacksGroupByGroup) {
  constexpr uint64_t kElements = 16384 + 7 * 64 + 3, kBytes = 17408 + 8 * 68;
  static_assert(kBytes < 32768);
  zrt_unpack_desc d = {};
  d.name = "unpack b0";
  d.packing = ZRT_INT8;
  d.elements = kElements;
  d.source = {deviceRef(0, kBytes), ZRT_I8, ZRT_MEMBERS};
  d.result = {deviceRef(32768, 4 * kElements), ZRT_F32, ZRT_MEMBERS};
  expectBytesOfCpu(planOf(Table().add(ZRT_UNPACK, ZRT_COMPUTE, &d)));
}

//===----------------------------------------------------------------------===//
// Matmuls
//===----------------------------------------------------------------------===//

TEST(CudaDevice, ProductsHaveTheBitsOfTheirOwnOrder) {
  // The fake multiplies with the CPU's code, so all bytes are equal.
  for (uint32_t flags = 0; flags < 16; ++flags)
    for (const auto [dtype, result] : {std::pair(ZRT_F32, ZRT_F32),
                                       {ZRT_BF16, ZRT_BF16},
                                       {ZRT_BF16, ZRT_F32}}) {
      zrt_matmul_desc d = {};
      d.scale = 1;
      d.name = "c_fc.3";
      d.trans_a = flags & 1;
      d.trans_b = flags >> 1 & 1;
      d.has_bias = flags >> 2 & 1;
      d.accumulate = flags >> 3 & 1;
      d.batch = 3;
      d.m = 5;
      d.n = 7;
      d.k = 11;
      auto place = [at = uint64_t{0}](int64_t count, zrt_dtype type) mutable {
        const zrt_ref ref = deviceRef(at, uint64_t(count) * dtypeBytes(type));
        // Aligned to 16 bytes, but not to more.
        at += 4096 + 16;
        return tensor(ref, type);
      };
      d.a = place(d.batch * d.m * d.k, dtype);
      d.b = place(d.batch * d.k * d.n, dtype);
      d.bias = place(d.n, dtype);
      // A bias may be anywhere.
      if (d.trans_a)
        d.bias.ref.offset += dtypeBytes(dtype);
      d.c = place(d.batch * d.m * d.n, result);
      zrt_plan plan = planOf(Table().matmul(ZRT_COMPUTE, d));
      plan.features = "";
      plan.workspace = deviceRef(512 << 10, 4096);
      // Matmuls may leave anything in the workspace.
      const auto expected = bytesAfter(plan, 1),
                 found = bytesAfter(onGpu(plan), 1);
      EXPECT_TRUE(std::equal(expected[0].begin(),
                             expected[0].begin() + (512 << 10),
                             found[0].begin()))
          << flags << " " << dtypeName(dtype);
    }
}

/// Adds the products of the same operands that a GPU computes for `d`.
void addParts(Table &table, const zrt_matmul_desc &d) {
  if (d.k % 8 == 0 || d.has_bias)
    return void(table.matmul(ZRT_COMPUTE, d));
  const int64_t most = d.k / 8 * 8;
  const auto from = [](zrt_operand operand, int64_t elements) {
    operand.ref.offset += uint64_t(2 * elements);
    operand.ref.bytes -= uint64_t(2 * elements);
    return operand;
  };
  zrt_matmul_desc rest = d, whole = d;
  rest.a = from(d.a, d.trans_a ? most * d.lda : most);
  rest.b = from(d.b, d.trans_b ? most : most * d.ldb);
  rest.k = d.k - most;
  whole.k = most;
  whole.accumulate = 1;
  table.matmul(ZRT_COMPUTE, rest).matmul(ZRT_COMPUTE, whole);
}

TEST(CudaDevice, LargeProductsOfOddSizesAreCutIntoTwo) {
  constexpr int64_t kOdd = 1003, kOther = 760, kLd = 1008;
  struct Case {
    int64_t m, n, k;
    uint32_t transA, transB, bias, accumulate;
    zrt_dtype c;
  };
  const Case cases[] = {{kOther, kOdd, kOther, 0, 1, 1, 0, ZRT_BF16},
                        {kOther, kOdd, kOther, 0, 0, 0, 1, ZRT_BF16},
                        {kOdd, kOther, kOther, 1, 0, 0, 1, ZRT_F32},
                        {kOther, kOther, kOdd, 0, 0, 0, 0, ZRT_BF16},
                        {kOther, kOther, kOdd, 0, 0, 1, 0, ZRT_BF16},
                        {kOther, kOther, kOdd, 0, 1, 0, 1, ZRT_F32}};
  for (const Case &of : cases) {
    zrt_matmul_desc d = {};
    d.scale = 1;
    d.name = "lm_head";
    d.m = of.m;
    d.n = of.n;
    d.k = of.k;
    d.batch = 1;
    d.trans_a = of.transA;
    d.trans_b = of.transB;
    d.has_bias = of.bias;
    d.accumulate = of.accumulate;
    d.lda = d.ldb = d.ldc = kLd;
    auto place = [at = uint64_t{0}](int64_t count, zrt_dtype type) mutable {
      const zrt_ref ref = deviceRef(at, uint64_t(count) * dtypeBytes(type));
      at += (ref.bytes + 255) / 256 * 256;
      return tensor(ref, type);
    };
    d.a = place(kLd * kLd, ZRT_BF16);
    d.b = place(kLd * kLd, ZRT_BF16);
    d.bias = place(d.n, ZRT_BF16);
    d.c = place(kLd * d.m, of.c);
    const uint64_t bytes = d.c.ref.offset + d.c.ref.bytes;
    const auto run = [&](const auto &fill, auto on) {
      Table table;
      fill(table);
      zrt_plan plan = planOf(table);
      plan.features = "";
      plan.arena_bytes[ZRT_DEVICE] = (bytes + 4095) / 4096 * 4096;
      plan.workspace = deviceRef(plan.arena_bytes[ZRT_DEVICE], 4096);
      plan.arena_bytes[ZRT_DEVICE] += 4096;
      std::vector<std::byte> all = bytesAfter(on(plan), 1)[0];
      all.resize(bytes);
      return all;
    };
    const auto parts =
        run([&](Table &table) { addParts(table, d); }, std::identity());
    EXPECT_EQ(run([&](Table &table) { table.matmul(ZRT_COMPUTE, d); }, onGpu),
              parts)
        << d.m << " x " << d.n << " x " << d.k;
  }
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

const int64_t memberShape[] = {600};
const zrt_member members[] = {{"a", 1, 1, memberShape, 0, 0, 300, {}},
                              {"b", 1, 0, memberShape, 200, 304, 400, {}},
                              {"c", 1, 1, memberShape, 0, 720, 20, {}}};
const zrt_bucket cudaBucket = {"b0", 752, 3, 0, members, 0, 0};

TEST(CudaDevice, KernelsThatRoundByChanceGetTheBitsOfTheirElements) {
  const zrt_ref random = deviceRef(0, 8), next = deviceRef(8192, 4 * 752 / 2);
  const zrt_operand args[] = {
      sliceOfWhole(deviceRef(4096, 4 * 752)),
      scalar(random, ZRT_I64),
      {next, ZRT_I32, ZRT_SLICE},
  };
  zrt_plan plan = planOf(Table().update(
      ZRT_COMPUTE, {"sgd of b0", 0, 3, chance, chance, args, 1, 0, 0, 0}));
  plan.world_size = 2;
  plan.exported_begin = kArena;
  plan.buckets = &cudaBucket;
  plan.bucket_count = 1;
  const zrt_input input = {"rounding", ZRT_I64, 0, nullptr, random, 0, 0, 0, 0};
  plan.inputs = &input;
  plan.input_count = 1;
  runRanks(2, [&](World &world) {
    const ContextPtr ctx = create(onGpu(plan), world);
    const BucketPart part = partOf(cudaBucket, uint32_t(world.rank()), 2);
    for (const uint64_t step : {uint64_t{0x123456789abcdef}, uint64_t{77}}) {
      write(ctx, random, std::vector<uint64_t>{step});
      write(ctx, next, std::vector<uint32_t>(376, 5));
      ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
          << zrt_error_message(ctx.get());
      std::vector<uint32_t> expected(376, 5);
      for (const MemberRun &run : part.ownedRuns) {
        const RoundingBits bits = roundingBits(step, run);
        for (uint64_t i = run.segment.begin; i < run.segment.end; ++i)
          expected[i] = (uint32_t(i) + bits.shift) * bits.key[0];
      }
      const auto bytes = bytesOfCuda(ctx, next);
      EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), bytes.size()), 0)
          << "rank " << world.rank();
    }
  });
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

TEST(CudaDevice, RanksExchangeThroughHostMemory) {
  for (const int ranks : {2, 3}) {
    const uint64_t elements = uint64_t(ranks) * 1000, bytes = elements * 4;
    const zrt_ref gathered = exportedRef(0, bytes),
                  summed = exportedRef(64 << 10, bytes),
                  sum = deviceRef(8192, bytes / uint64_t(ranks)),
                  loss = exportedRef(128 << 10, 8);
    const auto collective = [&](uint32_t kind, uint64_t count,
                                zrt_operand source, zrt_operand result,
                                uint32_t accumulate = 0) {
      return zrt_collective_desc{"exchange",   kind, accumulate, count,
                                 0.5,          0,    source,     result,
                                 ZRT_OVER_ALL, 0};
    };
    Table table;
    // Another stream writes the source, and overwrites it immediately
    // afterwards.
    launch(table, ZRT_COMPUTE, count,
           {deviceRef(gathered.offset, gathered.bytes)}, int64_t(elements));
    table.record(ZRT_COMPUTE, 0)
        .wait(ZRT_GATHER, 0)
        .collective(ZRT_GATHER,
                    collective(ZRT_ALL_GATHER, elements, sliceOfWhole(gathered),
                               whole(gathered)))
        .record(ZRT_GATHER, 1)
        .wait(ZRT_COMPUTE, 1);
    launch(table, ZRT_COMPUTE, addTo, {gathered, summed}, int64_t(elements));
    table.record(ZRT_COMPUTE, 2)
        .wait(ZRT_REDUCE, 2)
        .collective(ZRT_REDUCE,
                    collective(ZRT_REDUCE_SCATTER, elements, whole(summed),
                               slice(sum), /*accumulate=*/1))
        .collective(ZRT_REDUCE,
                    collective(ZRT_ALL_REDUCE, 2, tensor(loss), tensor(loss)))
        .record(ZRT_REDUCE, 3)
        .wait(ZRT_COMPUTE, 3);
    launch(table, ZRT_COMPUTE, addTo, {sum, gathered}, 1000);
    zrt_plan plan = planOf(table);
    plan.world_size = uint32_t(ranks);
    plan.exported_begin = 64 << 10;
    expectBytesOfCpu(plan, /*steps=*/2, /*seeds=*/4);
  }
}

constexpr int64_t groupShape[] = {1200};
constexpr zrt_member groupMember = {"w", 1, 0, groupShape, 0, 0, 1190, {}};
constexpr zrt_bucket groupBucket = {"b0", 1200, 1, 0, &groupMember, 0, 0};

/// Sums gradients over members, then over groups, in place; squares of the
/// slice; then gathers over groups, and over members.
zrt_plan planOfGroups(uint32_t ranks, uint32_t members) {
  const uint64_t elements = groupBucket.elements;
  const auto at = [](uint64_t which, uint64_t count) {
    return exportedRef(which << 16, count * 4);
  };
  const zrt_ref grads = at(0, elements), ofPart = at(1, elements / members),
                ofSlice = at(2, elements / ranks), all = at(3, elements),
                sum = at(4, 2), partials = at(5, 4);
  const auto collective = [&](uint32_t kind, uint32_t over, uint64_t count,
                              zrt_operand source, zrt_operand result,
                              uint32_t accumulate = 0) {
    return zrt_collective_desc{"exchange", kind,   accumulate, count, 0.5,
                               0,          source, result,     over,  0};
  };
  Table table;
  table
      .collective(ZRT_REDUCE,
                  collective(ZRT_REDUCE_SCATTER, ZRT_OVER_MEMBERS, elements,
                             whole(grads), part(ofPart), /*accumulate=*/1))
      .collective(ZRT_REDUCE, collective(ZRT_ALL_REDUCE, ZRT_OVER_ALL, 2,
                                         tensor(sum), tensor(sum)))
      .record(ZRT_REDUCE, 0)
      .wait(ZRT_REDUCE_GROUPS, 0)
      .collective(ZRT_REDUCE_GROUPS,
                  collective(ZRT_REDUCE_SCATTER, ZRT_OVER_GROUPS, elements,
                             part(ofPart), sliceOfPart(ofPart)))
      .collective(ZRT_REDUCE_GROUPS,
                  collective(ZRT_REDUCE_SCATTER, ZRT_OVER_GROUPS, elements,
                             partOfWhole(grads), slice(ofSlice)))
      .record(ZRT_REDUCE_GROUPS, 1)
      .wait(ZRT_COMPUTE, 1)
      .squares(ZRT_COMPUTE, {"norm of b0", 0, 0, sliceOfPart(ofPart),
                             tensor(partials, ZRT_F64)})
      .collective(ZRT_GATHER_GROUPS,
                  collective(ZRT_ALL_GATHER, ZRT_OVER_GROUPS, elements,
                             sliceOfWhole(all), partOfWhole(all)))
      .record(ZRT_GATHER_GROUPS, 2)
      .wait(ZRT_GATHER, 2)
      .collective(ZRT_GATHER,
                  collective(ZRT_ALL_GATHER, ZRT_OVER_MEMBERS, elements,
                             partOfWhole(all), whole(all)));
  zrt_plan plan = testPlan(table, kArena);
  plan.arena_bytes[ZRT_HOST] = 1 << 16;
  plan.world_size = ranks;
  plan.group_size = members;
  plan.exported_begin = 64 << 10;
  plan.buckets = &groupBucket;
  plan.bucket_count = 1;
  return plan;
}

/// NCCL needs a process for each rank.  Direct collectives are polled, slowly.
TEST(CudaDevice, RanksInGroupsExchange) {
  for (const auto &[how, seeds] : {std::pair("host", 3), {"direct", 1}})
    for (const auto &[ranks, members] : {std::pair(4u, 2u), {6u, 3u}}) {
      zrt_plan plan = planOfGroups(ranks, members);
      plan.collectives = how;
      SCOPED_TRACE(how);
      expectBytesOfCpu(plan, /*steps=*/2, seeds);
    }
}

} // namespace
