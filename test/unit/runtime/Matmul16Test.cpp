//===- Matmul16Test.cpp - 16-bit products, bit for bit --------------------===//
//
// Each kernel adds in its own order, described in docs/runtime.md; this test
// repeats that order, element by element.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/cpu/Matmul.h"

#include "runtime/device/cpu/gemm/CpuFeatures.h"
#include "runtime/device/cpu/gemm/Targets.h"
#include "runtime/numbers/HalfArrays.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/plan/PlanTable.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Error.h"

#include "TestPlan.h"
#include "TileProducts.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <vector>

using namespace zrt;

namespace {

//===----------------------------------------------------------------------===//
// The orders of addition
//===----------------------------------------------------------------------===//

/// Flushes a denormal to zero, as the instruction does for operands and
/// results.
float flush(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min()
             ? std::copysign(0.0f, x)
             : x;
}

/// x y + z with flushed denormals.
float multiplyAdd(float x, float y, float z) {
  return flush(std::fma(flush(x), flush(y), z));
}

/// A row of A, a column of B, and the initial value of C.
struct Sum {
  std::vector<float> a, b;
  float old = 0, bias = 0, scale = 1;
  bool accumulates = false, hasBias = false;

  float scaled(float sum) const {
    const volatile float product = scale * sum; // not fused with an addition
    return product;
  }
  float finish(float sum) const {
    sum = scaled(sum);
    if (accumulates)
      sum += old;
    if (hasBias)
      sum += bias;
    return sum;
  }
};

/// AMX: of 32 products first the even ones, then the odd ones, then both sums.
float byTiles(const Sum &of) {
  float sum = 0;
  for (size_t p = 0; p < of.a.size(); p += 32) {
    float even = 0, odd = 0;
    for (size_t q = p; q < p + 32; ++q) {
      float &half = (q - p) % 2 ? odd : even;
      half = q < of.a.size() ? multiplyAdd(of.a[q], of.b[q], half)
                             : multiplyAdd(0, 0, half);
    }
    sum = flush(sum + flush(even + odd));
  }
  return of.finish(sum);
}

/// AVX512_BF16: pair after pair, the odd product first; in blocks of up to 384
/// pairs, as below.
float byPairs(const Sum &of) {
  const auto k = int64_t(of.a.size()), pairs = (k + 1) / 2;
  if (k == 0)
    return of.finish(0);
  const int64_t blocks = (pairs + kGemmDepth - 1) / kGemmDepth;
  const int64_t depth = ((pairs + blocks - 1) / blocks + 7) / 8 * 8;
  const auto one = [&](int64_t q, float sum) {
    return q < k ? multiplyAdd(of.a[size_t(q)], of.b[size_t(q)], sum)
                 : multiplyAdd(0, 0, sum);
  };
  float c = 0;
  for (int64_t p = 0; p < pairs; p += depth) {
    float sum = 0;
    for (int64_t q = p; q < std::min(p + depth, pairs); ++q)
      sum = one(2 * q, one(2 * q + 1, sum));
    c = p == 0 ? of.finish(sum) : of.scaled(sum) + c;
  }
  return c;
}

/// The f32 product: blocks of up to 384 of k; the first adds bias and old C.
float byFloats(const Sum &of) {
  const auto k = int64_t(of.a.size());
  const int64_t blocks = (k + kGemmDepth - 1) / kGemmDepth;
  const int64_t depth = blocks ? ((k + blocks - 1) / blocks + 7) / 8 * 8 : 1;
  float c = of.finish(0);
  for (int64_t p = 0; p < k; p += depth) {
    float sum = 0;
    for (int64_t q = p; q < std::min(p + depth, k); ++q) {
      const float x = of.a[size_t(q)], y = of.b[size_t(q)];
      const volatile float product = x * y;
      sum = instructionSet() == InstructionSet::Portable ? sum + product
                                                         : std::fma(x, y, sum);
    }
    c = p == 0 ? of.finish(sum) : of.scaled(sum) + c;
  }
  return c;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

struct KernelUnderTest {
  const char *name;
  Kernel16 kernel;
  zrt_dtype type;
  float (*plain)(const Sum &);
  /// Multiplies instead of `kernel`, on one thread.
  void (*multiply)(const Gemm16 &, float *) = nullptr;
};

std::vector<KernelUnderTest> kernels() {
  std::vector<KernelUnderTest> all = {
      {"widened bf16", Kernel16::Widen, ZRT_BF16, byFloats},
      {"widened f16", Kernel16::Widen, ZRT_F16, byFloats}};
  if (instructionSet() == InstructionSet::Avx512) {
    all.push_back({"a model of AMX", Kernel16::Widen, ZRT_BF16, byTiles,
                   tile_products::multiply});
    all.push_back({"a model of AMX-FP16", Kernel16::Widen, ZRT_F16, byTiles,
                   tile_products_fp16::multiply});
  }
  const auto flags = cpuFlags();
  if (hasFeature(flags, "avx512bf16"))
    all.push_back({"AVX512_BF16", Kernel16::DotBrains, ZRT_BF16, byPairs});
  if (hasFeature(flags, "amx-tile") && hasFeature(flags, "amx-bf16"))
    try {
      enable(Kernel16::AmxBrains, ZRT_BF16);
      all.push_back({"AMX", Kernel16::AmxBrains, ZRT_BF16, byTiles});
      all.push_back({"f16 beside AMX", Kernel16::AmxBrains, ZRT_F16, byFloats});
      if (hasFeature(flags, "amx-fp16")) {
        all.push_back({"AMX-FP16", Kernel16::AmxBoth, ZRT_F16, byTiles});
        all.push_back(
            {"bf16 beside AMX-FP16", Kernel16::AmxBoth, ZRT_BF16, byTiles});
      }
    } catch (const Error &) {
    }
  return all;
}

using Bytes = std::vector<std::byte>;

/// Numbers of mixed magnitudes; with `small`, some have denormal products, or
/// are denormals of f16.
Bytes numbers16(int64_t count, zrt_dtype type, unsigned seed, bool small) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  Bytes bytes(size_t(count) * dtypeBytes(type));
  std::vector<float> values(static_cast<size_t>(count));
  for (float &x : values) {
    const int scale = int(random() % 8) - 4;
    const bool isHalf = type == ZRT_F16;
    x = std::ldexp(value(random), small ? scale - (isHalf ? 14 : 62) : scale);
    if (small && random() % 16 == 0)
      x = std::ldexp(value(random), isHalf ? -14 : -126);
  }
  narrow(values.data(), values.size(), type, bytes.data());
  return bytes;
}

struct Problem16 {
  zrt_matmul_desc desc = {};
  Bytes a, b, bias, c;

  Problem16(zrt_dtype type, int64_t batch, int64_t m, int64_t n, int64_t k,
            unsigned flags, bool small = false) {
    desc.name = "product.0";
    desc.trans_a = flags & 1;
    desc.trans_b = flags >> 1 & 1;
    desc.has_bias = flags >> 2 & 1;
    desc.accumulate = flags >> 3 & 1;
    desc.scale = desc.accumulate ? 1.0 / 3 : 1;
    desc.batch = batch;
    desc.m = m;
    desc.n = n;
    desc.k = k;
    desc.a.dtype = desc.b.dtype = type;
    desc.c.dtype = flags & 16 ? zrt_dtype(ZRT_F32) : type;
    desc.bias.dtype = flags & 32 ? zrt_dtype(ZRT_F32) : type;
    a = numbers16(batch * m * k, type, flags, small);
    b = numbers16(batch * k * n, type, flags + 100, small);
    bias = numbers16(n, desc.bias.dtype, flags + 200, small);
    c = numbers16(batch * m * n, desc.c.dtype, flags + 300, small);
    // Without accumulate, C's old bytes must not matter.
    if (!desc.accumulate)
      std::fill(c.begin(), c.end(), std::byte{0xff});
  }

  Bytes run(const KernelUnderTest &by, int threads) const {
    static std::map<int, Team> teams;
    Team &team = teams.try_emplace(threads, threads).first->second;
    // The bytes around C must not change.
    constexpr size_t kFence = 64;
    Bytes result(kFence + c.size() + kFence, std::byte{0x5a});
    std::copy(c.begin(), c.end(), result.begin() + kFence);
    std::byte *const to = result.data() + kFence;
    if (by.multiply && desc.k > 0)
      multiplyEach(by.multiply, to);
    else
      runMatmul(desc, a.data(), b.data(), bias.data(), to, team, by.kernel);
    for (size_t i = 0; i < kFence; ++i)
      EXPECT_TRUE(result[i] == std::byte{0x5a} &&
                  result[result.size() - 1 - i] == std::byte{0x5a});
    return {result.begin() + kFence, result.end() - kFence};
  }

  void multiplyEach(void (*multiply)(const Gemm16 &, float *),
                    std::byte *to) const {
    const auto &d = desc;
    const auto at = [](const Bytes &of, int64_t element) {
      return reinterpret_cast<const uint16_t *>(of.data()) + element;
    };
    for (int64_t s = 0; s < d.batch; ++s)
      multiply({d.trans_a != 0, d.trans_b != 0, d.accumulate != 0,
                float(d.scale), d.m, d.n, d.k, d.a.dtype, at(a, s * d.m * d.k),
                storedA(d).ld, at(b, s * d.k * d.n), storedB(d).ld,
                d.bias.dtype, d.has_bias ? bias.data() : nullptr, d.c.dtype,
                to + uint64_t(s * d.m * d.n) * dtypeBytes(d.c.dtype), d.n},
               scratch());
  }

  Bytes expected(float (*plain)(const Sum &)) const {
    const auto floats = [](const Bytes &from, zrt_dtype type) {
      std::vector<float> to(from.size() / dtypeBytes(type));
      widen(from.data(), type, to.size(), to.data());
      return to;
    };
    const auto &d = desc;
    const auto x = floats(a, d.a.dtype), y = floats(b, d.b.dtype),
               biases = floats(bias, d.bias.dtype), old = floats(c, d.c.dtype);
    std::vector<float> result(old.size());
    Sum sum;
    sum.accumulates = d.accumulate;
    sum.scale = float(d.scale);
    sum.hasBias = d.has_bias;
    sum.a.resize(size_t(d.k));
    sum.b.resize(size_t(d.k));
    for (int64_t s = 0; s < d.batch; ++s)
      for (int64_t i = 0; i < d.m; ++i)
        for (int64_t j = 0; j < d.n; ++j) {
          for (int64_t p = 0; p < d.k; ++p) {
            sum.a[size_t(p)] = x[size_t(
                s * d.m * d.k + (d.trans_a ? p * d.m + i : i * d.k + p))];
            sum.b[size_t(p)] = y[size_t(
                s * d.k * d.n + (d.trans_b ? j * d.k + p : p * d.n + j))];
          }
          const auto at = size_t((s * d.m + i) * d.n + j);
          sum.old = old[at];
          sum.bias = biases[size_t(j)];
          result[at] = plain(sum);
        }
    Bytes bytes(c.size());
    narrow(result.data(), result.size(), d.c.dtype, bytes.data());
    return bytes;
  }
};

void expectItsBits(const KernelUnderTest &kernel, const Problem16 &problem) {
  const Bytes expected = problem.expected(kernel.plain);
  const auto &d = problem.desc;
  for (const int threads : {1, 2, 3}) {
    if (kernel.multiply && threads > 1)
      break;
    const Bytes got = problem.run(kernel, threads);
    const uint64_t size = dtypeBytes(d.c.dtype);
    for (size_t i = 0; i < got.size(); i += size)
      ASSERT_EQ(std::memcmp(&got[i], &expected[i], size), 0)
          << kernel.name << ", " << threads << " threads, " << d.batch
          << " times " << d.m << " x " << d.n << " x " << d.k << ", element "
          << i / size << ", transposed " << d.trans_a << d.trans_b << ", bias "
          << d.has_bias << ", accumulates " << d.accumulate << ", C "
          << dtypeName(d.c.dtype) << ", bias " << dtypeName(d.bias.dtype);
  }
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

TEST(Matmul16, HasTheBitsOfItsKernelForAllFlagsAndOddSizes) {
  const int64_t sizes[][4] = {
      {1, 1, 1, 1},   {1, 7, 13, 5},    {3, 17, 9, 33},  {1, 1, 75, 3},
      {1, 70, 1, 40}, {2, 65, 129, 31}, {1, 64, 96, 64}, {1, 33, 70, 129}};
  for (const KernelUnderTest &kernel : kernels())
    for (unsigned flags = 0; flags < 64; ++flags)
      for (const auto &s : sizes)
        expectItsBits(kernel, {kernel.type, s[0], s[1], s[2], s[3], flags});
}

TEST(Matmul16, HasTheBitsOfItsKernelWhereEachLoopHasSeveralBlocksAndARest) {
  for (const KernelUnderTest &kernel : kernels())
    for (const unsigned flags : {0u, 1u, 2u, 3u, 12u, 31u, 60u})
      for (auto [m, n, k] : {std::tuple{300, 50, 20},
                             {9, 437, 391},
                             {20, 30, 1153},
                             {35, 70, 4233},
                             {3, 1100, 1500},
                             {900, 60, 40}})
        expectItsBits(kernel, {kernel.type, 1, m, n, k, flags});
}

TEST(Matmul16, HasTheBitsOfItsKernelWhereOperandsAreReadInPlace) {
  // Rows that begin at cache lines; parts of k, of columns and of rows.
  for (const KernelUnderTest &kernel : kernels()) {
    for (const unsigned flags : {0u, 2u, 3u, 12u, 30u, 46u})
      for (auto [m, n, k] :
           {std::tuple{40, 300, 96}, {300, 40, 96}, {40, 300, 2080}})
        expectItsBits(kernel, {kernel.type, 1, m, n, k, flags});
    expectItsBits(kernel, {kernel.type, 1, 1600, 33, 1056, 28});
  }
}

TEST(Matmul16, HasTheBitsOfItsKernelWhereAllColumnsAreInOneTile) {
  for (const KernelUnderTest &kernel : kernels())
    for (const unsigned flags : {0u, 1u, 2u, 3u, 9u, 12u, 16u, 17u, 27u, 62u})
      for (auto [m, n, k] : {std::tuple{203, 16, 70},
                             {830, 11, 40},
                             {110, 48, 793},
                             {401, 32, 1}})
        expectItsBits(kernel, {kernel.type, 1, m, n, k, flags});
}

TEST(Matmul16, TreatsDenormalsAsItsKernelDoes) {
  for (const KernelUnderTest &kernel : kernels())
    for (const unsigned flags : {0u, 7u, 12u, 28u})
      for (auto [m, n, k] : {std::tuple{17, 33, 70}, {5, 64, 400}})
        expectItsBits(kernel, {kernel.type, 1, m, n, k, flags, /*small=*/true});
}

TEST(Matmul16, OfAnEmptySumIsItsStart) {
  for (const KernelUnderTest &kernel : kernels())
    for (unsigned flags = 0; flags < 64; ++flags)
      expectItsBits(kernel, {kernel.type, 2, 5, 6, 0, flags});
}

TEST(Matmul16, NotANumberSpreadsToItsRowAndNoFurther) {
  // Elements after a row, and padding, must not be multiplied.
  for (const KernelUnderTest &kernel : kernels()) {
    Problem16 problem(kernel.type, 1, 40, 40, 45, 0);
    const uint16_t nan = kernel.type == ZRT_BF16 ? 0x7fc0 : 0x7e00;
    std::memcpy(&problem.a[size_t(7 * 45) * 2], &nan, 2);
    const Bytes got = problem.run(kernel, 1);
    std::vector<float> values(40 * 40);
    widen(got.data(), kernel.type, values.size(), values.data());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(std::isnan(values[i]), i / 40 == 7) << kernel.name << " " << i;
  }
}

TEST(Matmul16, TheKernelFollowsFromWhatThePlanWasCompiledFor) {
  EXPECT_EQ(kernel16For(""), Kernel16::Widen);
  EXPECT_EQ(kernel16For("avx,avx2,fma"), Kernel16::Widen);
  const char *const sapphire =
      "amx-bf16,amx-int8,amx-tile,avx512bf16,avx512bw,avx512dq,avx512f,"
      "avx512vl";
#ifdef __x86_64__
  EXPECT_EQ(kernel16For(sapphire), Kernel16::AmxBrains);
  EXPECT_EQ(kernel16For(std::string(sapphire) + ",amx-fp16"),
            Kernel16::AmxBoth);
  EXPECT_EQ(kernel16For("amx-fp16,amx-tile,avx512bf16,avx512bw,avx512dq,"
                        "avx512f,avx512vl"),
            Kernel16::DotBrains);
  EXPECT_EQ(kernel16For("avx512bf16,avx512bw,avx512dq,avx512f,avx512vl"),
            Kernel16::DotBrains);
#endif
  EXPECT_EQ(kernel16For(std::string(sapphire) + ",-amx-bf16"),
            kernel16For(sapphire));
  EXPECT_EQ(
      kernel16For("amx-bf16,-amx-tile,avx512bw,avx512dq,avx512f,avx512vl"),
      Kernel16::Widen);
  EXPECT_EQ(kernel16For("amx-bf16,amx-tile,avx512bw,avx512dq,avx512f,avx512vl"),
            Kernel16::Widen);
#ifdef __x86_64__
  EXPECT_EQ(kernel16For("amx-bf16,-amx-tile,avx512bf16,avx512bw,avx512dq,"
                        "avx512f,avx512vl"),
            Kernel16::DotBrains);
#endif
}

TEST(Matmul16, RunsOnAStreamByTheKernelOfItsPlan) {
  const std::string wide = "avx512bw,avx512dq,avx512f,avx512vl";
  const std::pair<Kernel16, std::string> compiledFor[] = {
      {Kernel16::Widen, ""},
      {Kernel16::DotBrains, wide + ",avx512bf16"},
      {Kernel16::AmxBrains, wide + ",avx512bf16,amx-tile,amx-bf16"},
      {Kernel16::AmxBoth, wide + ",avx512bf16,amx-tile,amx-bf16,amx-fp16"}};
  for (const KernelUnderTest &kernel : kernels())
    for (const auto &[which, features] : compiledFor) {
      if (which != kernel.kernel || kernel.multiply)
        continue;
      Problem16 problem(kernel.type, 1, 17, 33, 70, 0);
      auto place = [at = uint64_t{0}](zrt_operand &operand,
                                      const Bytes &bytes) mutable {
        operand = tensor(deviceRef(at, bytes.size()), operand.dtype);
        at += (bytes.size() + 63) / 64 * 64;
      };
      place(problem.desc.a, problem.a);
      place(problem.desc.b, problem.b);
      place(problem.desc.c, problem.c);
      zrt_plan plan = testPlan(Table().matmul(ZRT_COMPUTE, problem.desc));
      plan.features = features.c_str();
      const ContextPtr ctx = create(plan);
      std::memcpy(memoryOf(ctx, problem.desc.a.ref), problem.a.data(),
                  problem.a.size());
      std::memcpy(memoryOf(ctx, problem.desc.b.ref), problem.b.data(),
                  problem.b.size());
      ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0)
          << zrt_error_message(ctx.get());
      EXPECT_EQ(std::memcmp(memoryOf(ctx, problem.desc.c.ref),
                            problem.expected(kernel.plain).data(),
                            problem.c.size()),
                0)
          << kernel.name;
    }
}

} // namespace
