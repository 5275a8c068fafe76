//===- DeviceConformanceTest.cpp - What every device does alike -----------===//
//
// The behaviours are those of docs/runtime.md, by their letters.
//
//===----------------------------------------------------------------------===//
#include "runtime/Error.h"
#include "runtime/core/HalfArrays.h"

#include "DeviceUnderTest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

using namespace zrt;
using namespace zrt::test;

namespace {

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

class Conformance : public testing::TestWithParam<DeviceUnderTest> {};

INSTANTIATE_TEST_SUITE_P(Devices, Conformance,
                         testing::ValuesIn(devicesUnderTest()),
                         [](const auto &device) {
                           return std::string(device.param.name);
                         });

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// A plan with arenas in all tiers.
zrt_plan planOf(const Table &step, uint64_t bytes = 1 << 20) {
  zrt_plan plan = testPlan(step, bytes);
  plan.arena_bytes[ZRT_HOST] = plan.arena_bytes[ZRT_NVME] = 1 << 16;
  return plan;
}
zrt_plan idle(uint64_t bytes = 1 << 20) { return planOf(Table(), bytes); }

/// 1000 integers at a place of their own.
constexpr int64_t kUnits = 1000;
zrt_ref numbers(uint64_t which, uint32_t tier = ZRT_DEVICE) {
  return {tier, 0, which * 4096, kUnits * 4};
}
/// Launches a kernel on integers, in pieces of 64.
Table &launch(Table &table, zrt_stream stream, zrt_kernel_fn kernel,
              const std::vector<zrt_ref> &args, int64_t units = kUnits) {
  std::vector<zrt_operand> operands;
  for (const zrt_ref &ref : args)
    operands.push_back(tensor(ref, ZRT_I32));
  return table.launch(stream, "kernel.0", kernel, units, 64, operands);
}
std::vector<int32_t> counted(int32_t times) {
  std::vector<int32_t> values(kUnits);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = (int32_t(i) + 1) * times;
  return values;
}
/// Reproducible, of mixed signs.
template <typename T>
std::vector<T> some(size_t count, uint64_t seed) {
  std::vector<T> values(count);
  for (T &value : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = T(int64_t(seed >> 40) - (1 << 23)) / T(1 << 22);
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_P(Conformance, A_ArenasHaveThePlansSizeAndAreZero) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{4097}, uint64_t{3} << 20}) {
    DeviceRun run(idle(size), GetParam());
    EXPECT_EQ(run.device().arenaBytes(ZRT_DEVICE), size);
    EXPECT_EQ(run.device().arenaBytes(ZRT_HOST), 1u << 16);
    EXPECT_EQ(run.device().arenaBytes(ZRT_NVME), 1u << 16);
    EXPECT_EQ(run.read<char>(deviceRef(0, size)), std::vector<char>(size));
    for (const uint32_t tier : {ZRT_HOST, ZRT_NVME})
      EXPECT_EQ(run.read<char>({tier, 0, 0, 1 << 16}),
                std::vector<char>(1 << 16));
  }
}

TEST_P(Conformance, B_HostAccessReadsWhatItWrote) {
  DeviceRun run(idle(), GetParam());
  for (const uint32_t tier : {ZRT_DEVICE, ZRT_HOST, ZRT_NVME}) {
    run.write(numbers(1, tier), counted(3));
    const int32_t one = 7;
    run.device().write({tier, 0, 4096 + 8, 4}, &one);
    std::vector<int32_t> expected = counted(3);
    expected[2] = 7;
    EXPECT_EQ(run.read<int32_t>(numbers(1, tier)), expected);
    // Neighbours stay, and a range of nothing is none.
    EXPECT_EQ(run.read<char>({tier, 0, 4096 + kUnits * 4, 96}),
              std::vector<char>(96));
    run.device().write({tier, 0, 4096, 0}, nullptr);
    run.device().read({tier, 0, 4096, 0}, nullptr);
  }
}

TEST_P(Conformance, C_FillSetsEveryByteAndNoOther) {
  DeviceRun run(idle(), GetParam());
  for (const uint32_t tier : {ZRT_DEVICE, ZRT_HOST, ZRT_NVME}) {
    run.write(numbers(0, tier), counted(1));
    run.device().fill({tier, 0, 5, 3991}, 0xff);
    const auto bytes = run.read<unsigned char>(numbers(0, tier));
    for (size_t i = 5; i < 3996; ++i)
      ASSERT_EQ(bytes[i], 0xff) << i;
    EXPECT_EQ(bytes[4], 2); // of the second number, 2
    EXPECT_EQ(run.read<int32_t>({tier, 0, 3996, 4}),
              std::vector<int32_t>{1000});
  }
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TEST_P(Conformance, D_EveryUnitIsWorkedOnOnceInPiecesOfGrain) {
  Table table;
  launch(table, ZRT_COMPUTE, GetParam().count, {numbers(0)});
  launch(table, ZRT_COMPUTE, GetParam().count, {numbers(0)}, 0);
  DeviceRun run(planOf(table), GetParam());
  for (int32_t times = 1; times <= 3; ++times) {
    run.step();
    EXPECT_EQ(run.read<int32_t>(numbers(0)), counted(times));
  }
}

/// A chain through five streams, each link of which needs its event, and on
/// each stream one copy after another.  Step n counts n times, and adds what
/// comes out at the end to a sum.
zrt_plan chainPlan(const DeviceUnderTest &device) {
  constexpr zrt_stream streams[] = {ZRT_COMPUTE, ZRT_D2H, ZRT_HOST_STREAM,
                                    ZRT_H2D, ZRT_GATHER};
  constexpr uint32_t tiers[] = {ZRT_DEVICE, ZRT_HOST, ZRT_HOST, ZRT_DEVICE,
                                ZRT_DEVICE};
  const auto place = [&](uint32_t i) { return numbers(i, tiers[i]); };
  Table table;
  launch(table, ZRT_COMPUTE, device.count, {numbers(0)});
  for (uint32_t i = 0; i < 4; ++i)
    table.record(streams[i], i)
        .wait(streams[i + 1], i)
        .copy(streams[i + 1], place(i), numbers(5, tiers[i]))
        .copy(streams[i + 1], numbers(5, tiers[i]), place(i + 1));
  table.record(streams[4], 4).wait(ZRT_COMPUTE, 4);
  launch(table, ZRT_COMPUTE, device.addTo, {numbers(4), numbers(9)});
  zrt_plan plan = planOf(table);
  // What lives on from step to step.
  static const zrt_output outputs[] = {{"counter", ZRT_I32, 0, numbers(0)},
                                       {"sum", ZRT_I32, 0, numbers(9)}};
  plan.outputs = outputs;
  plan.output_count = 2;
  return plan;
}

TEST_P(Conformance, E_StreamsRunInOrderAndWaitForEvents) {
  DeviceRun run(chainPlan(GetParam()), GetParam());
  for (int32_t step = 1; step <= 20; ++step) {
    run.step();
    ASSERT_EQ(run.read<int32_t>(numbers(9)), counted(step * (step + 1) / 2));
  }
}

TEST_P(Conformance, F_DelaysChangeNoResult) {
  for (int seed = 1; seed <= 10; ++seed) {
    const zrt::Chaos chaos(seed);
    DeviceRun run(chainPlan(GetParam()), GetParam());
    for (int step = 0; step < 4; ++step)
      run.step();
    ASSERT_EQ(run.read<int32_t>(numbers(9)), counted(10)) << "seed " << seed;
  }
}

TEST_P(Conformance, G_CopiesOfAnySizeBetweenAllTiers) {
  for (const uint32_t from : {ZRT_DEVICE, ZRT_HOST})
    for (const uint32_t to : {ZRT_DEVICE, ZRT_HOST})
      for (const uint64_t bytes : {0, 1, 3, 4096, 8192 + 5}) {
        const zrt_ref source = {from, 0, 3, bytes},
                      target = {to, 0, (1 << 15) + 1, bytes + 8};
        const zrt_stream stream = linkOf(from, to).value_or(ZRT_COMPUTE);
        DeviceRun run(planOf(Table().copy(stream, source, target)), GetParam());
        std::vector<char> sent(bytes);
        std::iota(sent.begin(), sent.end(), char(1));
        run.write(source, sent);
        run.step();
        sent.resize(bytes + 8); // what is beyond stays
        EXPECT_EQ(run.read<char>(target), sent);
      }
}

TEST_P(Conformance, O_WhatIsSpilledToNvmeComesBack) {
  // On the host what follows is another's, down to the byte.
  for (const uint64_t bytes : {0, 1, 4095, 4096, 4097, 3 * 4096 + 5}) {
    const zrt_ref source = {ZRT_HOST, 0, 4096, bytes},
                  spilled = {ZRT_NVME, 0, 3 * 4096, bytes},
                  target = {ZRT_HOST, 0, 6 * 4096, bytes};
    DeviceRun run(planOf(Table()
                             .copy(ZRT_NVME_WRITE, source, spilled)
                             .record(ZRT_NVME_WRITE, 0)
                             .wait(ZRT_NVME_READ, 0)
                             .copy(ZRT_NVME_READ, spilled, target)),
                  GetParam());
    std::vector<char> sent(bytes);
    std::iota(sent.begin(), sent.end(), char(1));
    run.write(source, sent);
    const zrt_ref beyond = {ZRT_HOST, 0, 6 * 4096 + bytes, 5000};
    run.device().fill(beyond, 0x5a);
    run.step();
    EXPECT_EQ(run.read<char>(spilled), sent);
    EXPECT_EQ(run.read<char>(target), sent);
    EXPECT_EQ(run.read<char>(beyond), std::vector<char>(5000, 0x5a));
    EXPECT_STREQ(zrt_report(run.get(), ZRT_UNPREDICTED), "");
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `values` as an operand of `dtype` has them.
std::vector<std::byte> bytesOf(const std::vector<double> &values,
                               zrt_dtype dtype) {
  std::vector<std::byte> bytes(values.size() * dtypeBytes(dtype));
  if (dtype == ZRT_F64)
    std::memcpy(bytes.data(), values.data(), bytes.size());
  else
    narrow(std::vector<float>(values.begin(), values.end()).data(),
           values.size(), dtype, bytes.data());
  return bytes;
}
std::vector<double> valuesOf(const std::vector<std::byte> &bytes,
                             zrt_dtype dtype) {
  const size_t count = bytes.size() / dtypeBytes(dtype);
  std::vector<double> values(count);
  if (dtype == ZRT_F64) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<float> floats(count);
  widen(bytes.data(), dtype, count, floats.data());
  return {floats.begin(), floats.end()};
}

std::vector<double> plainProduct(const zrt_matmul_desc &d,
                                 const std::vector<double> &a,
                                 const std::vector<double> &b,
                                 const std::vector<double> &bias,
                                 std::vector<double> c) {
  for (int64_t n = 0; n < d.batch; ++n)
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < d.k; ++p)
          sum += a[size_t(n * d.m * d.k +
                          (d.trans_a ? p * d.m + i : i * d.k + p))] *
                 b[size_t(n * d.k * d.n +
                          (d.trans_b ? j * d.k + p : p * d.n + j))];
        double &to = c[size_t((n * d.m + i) * d.n + j)];
        to = sum + (d.has_bias ? bias[size_t(j)] : 0) + (d.accumulate ? to : 0);
      }
  return c;
}

/// A and B of type `from`; errors of up to `tolerance` of a value.
void checkProducts(const DeviceUnderTest &device, zrt_dtype from, zrt_dtype c,
                   zrt_dtype bias, double tolerance) {
  for (uint32_t flags = 0; flags < 16; ++flags) {
    zrt_matmul_desc d = {};
    d.name = "matmul.0";
    d.trans_a = flags & 1;
    d.trans_b = flags >> 1 & 1;
    d.has_bias = flags >> 2 & 1;
    d.accumulate = flags >> 3 & 1;
    d.batch = 2;
    d.m = 37;
    d.n = 53;
    d.k = 71;
    auto place = [at = uint64_t{0}](int64_t count, zrt_dtype dtype) mutable {
      const zrt_ref ref = deviceRef(at, uint64_t(count) * dtypeBytes(dtype));
      at += (ref.bytes + 4095) / 4096 * 4096;
      return tensor(ref, dtype);
    };
    d.a = place(d.batch * d.m * d.k, from);
    d.b = place(d.batch * d.k * d.n, from);
    d.bias = place(d.n, bias);
    d.c = place(d.batch * d.m * d.n, c);
    DeviceRun run(planOf(Table().matmul(ZRT_COMPUTE, d)), device);
    const auto write = [&](const zrt_operand &operand, uint64_t seed) {
      const auto bytes =
          bytesOf(some<double>(elementsIn(operand), seed), operand.dtype);
      run.write(operand.ref, bytes);
      return valuesOf(bytes, operand.dtype);
    };
    const auto a = write(d.a, 1), b = write(d.b, 2), biases = write(d.bias, 3),
               old = write(d.c, 4);
    run.step();
    const auto expected = plainProduct(d, a, b, biases, old);
    const auto found = valuesOf(run.read<std::byte>(d.c.ref), c);
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(found[i], expected[i],
                  tolerance * std::max(std::fabs(expected[i]), 1.0))
          << dtypeName(from) << " to " << dtypeName(c) << ", flags " << flags
          << ", element " << i;
  }
}

TEST_P(Conformance, H_ProductsAreThoseOfAPlainLoop) {
  checkProducts(GetParam(), ZRT_F64, ZRT_F64, ZRT_F64, 1e-12);
  checkProducts(GetParam(), ZRT_F32, ZRT_F32, ZRT_F32, 1e-4);
  for (const auto [dtype, places] : {std::pair{ZRT_BF16, 8}, {ZRT_F16, 11}})
    for (const zrt_dtype bias : {zrt_dtype(dtype), zrt_dtype(ZRT_F32)}) {
      if (bias == ZRT_F32 || GetParam().hasWideBias)
        checkProducts(GetParam(), dtype, ZRT_F32, bias, 1e-4);
      if (bias == ZRT_F32 && !GetParam().hasWideBias)
        continue;
      // Rounded once: half a unit of the last place, and the sum's error.
      checkProducts(GetParam(), dtype, dtype, bias,
                    std::ldexp(1.0, -places) + 1e-4);
    }
}

TEST_P(Conformance, P_ARateOfProductsIsThatOfSomeTime) {
  DeviceRun run(idle(), GetParam());
  for (const zrt_dtype dtype : {ZRT_F32, ZRT_BF16, ZRT_F16}) {
    const double rate = run.device().productRate(dtype);
    EXPECT_GT(rate, 1e6);
    EXPECT_LT(rate, 1e18);
  }
}

TEST_P(Conformance, N_OtherTypesOfProductsAreRefused) {
  const auto refusal = [&](zrt_dtype a, zrt_dtype b, zrt_dtype bias,
                           zrt_dtype c) -> std::string {
    zrt_matmul_desc d = {};
    d.name = "c_fc.3";
    d.batch = d.m = d.n = d.k = d.has_bias = 1;
    d.a = scalar(deviceRef(0, dtypeBytes(a)), a);
    d.b = scalar(deviceRef(8, dtypeBytes(b)), b);
    d.bias = scalar(deviceRef(16, dtypeBytes(bias)), bias);
    d.c = scalar(deviceRef(24, dtypeBytes(c)), c);
    try {
      const DeviceRun run(planOf(Table().matmul(ZRT_COMPUTE, d)), GetParam());
    } catch (const Error &error) {
      const std::string place = "program step, operation 0, c_fc.3: ";
      EXPECT_EQ(std::string(error.what()).find(place), 0u) << error.what();
      return std::string(error.what()).substr(place.size());
    }
    return "";
  };
  if (GetParam().hasWideBias)
    EXPECT_EQ(refusal(ZRT_BF16, ZRT_BF16, ZRT_F32, ZRT_BF16), "");
  else
    EXPECT_NE(refusal(ZRT_BF16, ZRT_BF16, ZRT_F32, ZRT_BF16), "");
  EXPECT_EQ(refusal(ZRT_BF16, ZRT_BF16, ZRT_BF16, ZRT_BF16), "");
  EXPECT_EQ(refusal(ZRT_BF16, ZRT_F16, ZRT_BF16, ZRT_BF16).find("B: it is f16"),
            0u);
  EXPECT_EQ(refusal(ZRT_BF16, ZRT_F32, ZRT_BF16, ZRT_BF16).find("B: it is f32"),
            0u);
  EXPECT_EQ(
      refusal(ZRT_F16, ZRT_F16, ZRT_BF16, ZRT_F16).find("bias: it is bf16"),
      0u);
  EXPECT_EQ(refusal(ZRT_F16, ZRT_F16, ZRT_F16, ZRT_BF16).find("C: it is bf16"),
            0u);
  EXPECT_EQ(refusal(ZRT_F16, ZRT_F16, ZRT_F16, ZRT_F64).find("C: it is f64"),
            0u);
  EXPECT_EQ(refusal(ZRT_F32, ZRT_F32, ZRT_F32, ZRT_BF16).find("C: it is bf16"),
            0u);
  EXPECT_EQ(refusal(ZRT_F32, ZRT_F32, ZRT_F16, ZRT_F32).find("bias: it is f16"),
            0u);
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

const int64_t memberShape[] = {20000};
zrt_member memberAt(uint64_t offset, uint64_t count, bool decays) {
  return {"m", 1, decays, memberShape, 0, offset, count, {}};
}
const zrt_member members[] = {memberAt(0, 5000, true),
                              memberAt(5008, 20000, false),
                              memberAt(25024, 7, true)};
const zrt_bucket bucket = {"b0", 25040, 3, 0, members, ZRT_UNPACKED, 0};

bool isPadding(size_t i) {
  return (i >= 5000 && i < 5008) || (i >= 25008 && i < 25024) || i >= 25031;
}
bool decays(size_t i) { return i < 5000 || i >= 25024; }
zrt_ref flat(uint64_t which) {
  return deviceRef(4096 + which * (128 << 10), bucket.elements * 4);
}

TEST_P(Conformance, I_UpdatesGoMemberByMemberAndLeavePaddingAlone) {
  for (const bool isSliced : {false, true}) {
    const auto operand = [&](uint64_t which) {
      return isSliced ? sliceOfWhole(flat(which)) : whole(flat(which));
    };
    const zrt_operand args[] = {operand(0), operand(1), scalar(deviceRef(0, 4)),
                                operand(2)};
    zrt_plan plan =
        planOf(Table().update(ZRT_COMPUTE, {"sgd of b0", 0, 4, GetParam().plain,
                                            GetParam().decayed, args, 0, 0}));
    plan.buckets = &bucket;
    plan.bucket_count = 1;
    DeviceRun run(plan, GetParam());
    const auto p = some<float>(bucket.elements, 1),
               g = some<float>(bucket.elements, 2);
    run.write(flat(0), p);
    run.write(flat(1), g);
    run.write(deviceRef(0, 4), std::vector<float>{0.125f});
    run.write(flat(2), std::vector<float>(bucket.elements, -1.0f));
    run.step();
    const auto next = run.read<float>(flat(2));
    for (size_t i = 0; i < next.size(); ++i)
      ASSERT_EQ(next[i],
                isPadding(i)
                    ? -1.0f
                    : p[i] - 0.125f * (g[i] + (decays(i) ? 1 : 0) * p[i]))
          << i;
  }
}

/// The order that docs/runtime.md promises of a block.
double sumInLanes(const float *values, size_t count) {
  double lanes[16] = {};
  for (size_t i = 0; i < count; ++i)
    lanes[i % 16] += double(values[i]) * double(values[i]);
  for (size_t apart = 8; apart > 0; apart /= 2)
    for (size_t lane = 0; lane < apart; ++lane)
      lanes[lane] += lanes[lane + apart];
  return lanes[0];
}

TEST_P(Conformance, J_SquaresAreSummedInTheirOrder) {
  for (const zrt_dtype dtype : {ZRT_F32, ZRT_BF16, ZRT_F16}) {
    const zrt_ref partials = deviceRef(512 << 10, 6 * 8);
    const zrt_ref place = deviceRef(4096, bucket.elements * dtypeBytes(dtype));
    zrt_plan plan = planOf(Table().squares(
        ZRT_COMPUTE, {"norm of b0", 0, 0, sliceOfWhole(place, dtype),
                      tensor(partials, ZRT_F64)}));
    plan.buckets = &bucket;
    plan.bucket_count = 1;
    DeviceRun run(plan, GetParam());
    auto values = some<double>(bucket.elements, 5);
    for (size_t i = 0; i < values.size(); ++i)
      if (isPadding(i))
        values[i] = NAN;
    const auto bytes = bytesOf(values, dtype);
    const auto rounded = valuesOf(bytes, dtype);
    const std::vector<float> grad(rounded.begin(), rounded.end());
    run.write(place, bytes);
    run.write(partials, std::vector<double>(6, -1.0));
    run.step();
    // Blocks begin with their members.
    const std::vector<double> expected = {
        sumInLanes(&grad[0], 5000),
        sumInLanes(&grad[5008], ZRT_SQUARES_BLOCK),
        sumInLanes(&grad[5008 + ZRT_SQUARES_BLOCK], 20000 - ZRT_SQUARES_BLOCK),
        sumInLanes(&grad[25024], 7),
        0,
        0};
    EXPECT_EQ(run.read<double>(partials), expected) << dtypeName(dtype);
  }
}

//===----------------------------------------------------------------------===//
// Errors and ends
//===----------------------------------------------------------------------===//

TEST_P(Conformance, K_TheFirstErrorIsKeptAndNothingRunsAfterIt) {
  Table table;
  launch(table, ZRT_H2D, GetParam().fails, {}, /*units=*/1)
      .record(ZRT_H2D, 0)
      // Waits end all the same.
      .wait(ZRT_COMPUTE, 0);
  launch(table, ZRT_COMPUTE, GetParam().count, {numbers(0)});
  launch(table, ZRT_H2D, GetParam().fails, {}, /*units=*/1);
  DeviceRun run(planOf(table), GetParam());
  EXPECT_NE(zrt_run(run.get(), ZRT_STEP), 0);
  const std::string first = run.message();
  EXPECT_NE(first.find(GetParam().failure), std::string::npos) << first;
  EXPECT_NE(zrt_run(run.get(), ZRT_STEP), 0);
  EXPECT_EQ(run.message(), first);
  if (GetParam().outlivesFailures)
    EXPECT_EQ(run.read<int32_t>(numbers(0)), counted(0));
}

TEST_P(Conformance, L_ContextsDoNotKnowEachOther) {
  Table broken, counting;
  launch(broken, ZRT_COMPUTE, GetParam().fails, {}, /*units=*/1);
  launch(counting, ZRT_COMPUTE, GetParam().count, {numbers(0)});
  std::optional<DeviceRun> bad(std::in_place, planOf(broken), GetParam());
  EXPECT_NE(zrt_run(bad->get(), ZRT_STEP), 0);
  if (!GetParam().outlivesFailures)
    bad.reset();
  DeviceRun good(planOf(counting), GetParam());
  good.step();
  EXPECT_EQ(good.read<int32_t>(numbers(0)), counted(1));
  EXPECT_EQ(good.message(), "");
}

TEST_P(Conformance, M_WhatItCannotDoIsRefusedAtTheStart) {
  zrt_matmul_desc product = {};
  product.name = "c_fc.3";
  product.batch = product.m = product.n = product.k = 1;
  product.a = product.b = product.c = scalar(deviceRef(0, 1), ZRT_I8);
  const zrt_plan plan =
      planOf(Table().record(ZRT_COMPUTE, 0).matmul(ZRT_COMPUTE, product));
  try {
    const DeviceRun run(plan, GetParam());
    FAIL() << "nobody noticed";
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what())
                  .find("program step, operation 1, c_fc.3: A: it is i8"),
              0u)
        << error.what();
  }
}

} // namespace
