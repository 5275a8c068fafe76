//===- MatmulTest.cpp - Matmuls against the definition ------------===//
#include "runtime/device/cpu/Matmul.h"

#include "runtime/device/cpu/Team.h"
#include "runtime/device/cpu/gemm/Scratch.h"
#include "runtime/device/cpu/gemm/Targets.h"
#include "runtime/text/Error.h"

#include "TestFiles.h"
#include "TestPlan.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <vector>

using namespace zrt;

namespace {

template <typename T>
constexpr zrt_dtype dtypeOf = sizeof(T) == 4 ? ZRT_F32 : ZRT_F64;

template <typename T>
struct MatmulProblem {
  zrt_matmul_desc desc = {};
  std::vector<T> a, b, bias, c;

  MatmulProblem(int64_t batch, int64_t m, int64_t n, int64_t k,
                unsigned flags) {
    desc.name = "product.0";
    for (zrt_operand *one : {&desc.a, &desc.b, &desc.bias, &desc.c})
      one->dtype = dtypeOf<T>;
    desc.trans_a = flags & 1;
    desc.trans_b = (flags >> 1) & 1;
    desc.has_bias = (flags >> 2) & 1;
    desc.accumulate = (flags >> 3) & 1;
    desc.scale = desc.accumulate ? 1.0 / 3 : 1;
    desc.batch = batch;
    desc.m = m;
    desc.n = n;
    desc.k = k;
    std::mt19937 random(flags * 31 + static_cast<unsigned>(m + n + k));
    std::uniform_real_distribution<T> value(-1, 1);
    for (auto [vector, size] : {std::pair{&a, batch * m * k},
                                {&b, batch * k * n},
                                {&bias, n},
                                {&c, batch * m * n}}) {
      vector->resize(static_cast<size_t>(size));
      for (T &x : *vector)
        x = value(random);
    }
    // Without accumulate, C's old bytes must not matter.
    if (!desc.accumulate)
      std::fill(c.begin(), c.end(), std::numeric_limits<T>::quiet_NaN());
  }

  std::vector<T> run(int threads) const {
    Team team(threads);
    std::vector<T> result = c;
    runMatmul(desc, a.data(), b.data(), bias.data(), result.data(), team);
    return result;
  }

  /// The definition, in double.
  double expected(int64_t batch, int64_t i, int64_t j) const {
    const auto &d = desc;
    double sum =
        d.accumulate ? double(c[size_t((batch * d.m + i) * d.n + j)]) : 0;
    if (d.has_bias)
      sum += double(bias[size_t(j)]);
    for (int64_t p = 0; p < d.k; ++p) {
      const int64_t x = d.trans_a ? p * d.m + i : i * d.k + p;
      const int64_t y = d.trans_b ? j * d.k + p : p * d.n + j;
      sum += d.scale * double(a[size_t(batch * d.m * d.k + x)]) *
             double(b[size_t(batch * d.k * d.n + y)]);
    }
    return sum;
  }
};

template <typename T>
bool sameBits(const std::vector<T> &x, const std::vector<T> &y) {
  return x.size() == y.size() &&
         (x.empty() ||
          std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

/// Returns all implementations with the same bits on this machine.
std::vector<void (*)(const Gemm &, float *)> targets() {
  std::vector<void (*)(const Gemm &, float *)> found = {multiply};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back(avx2::multiply);
  if (__builtin_cpu_supports("avx512f"))
    found.push_back(avx512::multiply);
#endif
  return found;
}

template <typename T>
void expectRightProduct(int64_t batch, int64_t m, int64_t n, int64_t k,
                        unsigned flags) {
  const MatmulProblem<T> problem(batch, m, n, k, flags);
  const std::vector<T> one = problem.run(1);
  // The error bound of k roundings; terms are at most 1.
  const double tolerance =
      double(std::numeric_limits<T>::epsilon()) * double(k + 4);
  for (int64_t i = 0; i < batch * m * n; ++i)
    ASSERT_NEAR(double(one[size_t(i)]),
                problem.expected(i / (m * n), i / n % m, i % n), tolerance)
        << m << " x " << n << " x " << k << " flags " << flags << " at " << i;
  for (int threads : {2, 3, 5}) {
    const std::vector<T> more = problem.run(threads);
    ASSERT_TRUE(sameBits(one, more)) << threads << " threads, " << m << " x "
                                     << n << " x " << k << " flags " << flags;
  }
}

TEST(Matmul, IsRightForAllFlagsAndOddSizesOnAnyNumberOfThreads) {
  const int64_t sizes[][4] = {
      {1, 1, 1, 1},   {1, 7, 13, 5},    {3, 17, 9, 33},   {1, 1, 300, 3},
      {1, 300, 1, 3}, {2, 65, 129, 31}, {1, 130, 257, 70}};
  for (unsigned flags = 0; flags < 16; ++flags)
    for (const auto &s : sizes) {
      expectRightProduct<float>(s[0], s[1], s[2], s[3], flags);
      expectRightProduct<double>(s[0], s[1], s[2], s[3], flags);
    }
}

TEST(Matmul, IsRightWhereEachLoopHasSeveralBlocksAndARest) {
  // 1024 rows, 192 columns and 384 of k are copied at a time.
  for (unsigned flags : {0u, 1u, 2u, 3u, 12u})
    for (auto [m, n, k] :
         {std::tuple{1031, 50, 20}, {9, 437, 391}, {20, 30, 1153}})
      expectRightProduct<float>(1, m, n, k, flags);
}

TEST(Matmul, IsRightWhereAllColumnsAreInOneTile) {
  for (unsigned flags = 0; flags < 16; ++flags)
    for (auto [m, n, k] :
         {std::tuple{203, 16, 70},
          {1603, 7, 40},
          {110, 48, 793},
          // Blocks of k as deep as they come fill the packing memory most.
          {110, 16, 384},
          {110, 13, 1024},
          {50, 24, 768}})
      expectRightProduct<float>(1, m, n, k, flags);
}

TEST(Gemm, ColumnsOfAWideProductAreNarrowProducts) {
  constexpr int64_t m = 411, n = 130, k = 801;
  for (unsigned flags = 0; flags < 16; ++flags) {
    MatmulProblem<float> problem(1, m, n, k, flags);
    const std::vector<float> whole = problem.run(1);
    for (auto [column, columns] : {std::pair{0, 16}, {5, 1}, {29, 48}})
      for (auto target : targets()) {
        std::vector<float> part = problem.c;
        Gemm g;
        g.transA = flags & 1;
        g.transB = flags & 2;
        g.m = m;
        g.n = columns;
        g.k = k;
        g.a = problem.a.data();
        g.lda = g.transA ? m : k;
        g.b = problem.b.data() + column * (g.transB ? k : 1);
        g.ldb = g.transB ? k : n;
        g.bias = flags & 4 ? problem.bias.data() + column : nullptr;
        g.alpha = float(problem.desc.scale);
        g.beta = flags & 8 ? 1 : 0;
        g.c = part.data() + column;
        g.ldc = n;
        target(g, scratch());
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            const bool inside = j >= column && j < column + columns;
            const std::vector<float> &expected = inside ? whole : problem.c;
            ASSERT_EQ(0, std::memcmp(&part[size_t(i * n + j)],
                                     &expected[size_t(i * n + j)], 4))
                << "row " << i << ", column " << j << ", flags " << flags;
          }
      }
  }
}

TEST(Gemm, AnElementDependsOnItsRowAndColumnOnly) {
  // Parts of a larger product, by each kind of processor with FMA.
  constexpr int64_t m = 37, n = 211, k = 401;
  const MatmulProblem<float> problem(1, m, n, k, 0);
  const std::vector<float> whole = problem.run(1);
  for (auto target : targets())
    for (auto [row, column, rows, columns] :
         {std::tuple{0, 0, 37, 211}, {3, 5, 1, 1}, {7, 11, 17, 97}}) {
      std::vector<float> part(size_t(rows * columns));
      Gemm g;
      g.m = rows;
      g.n = columns;
      g.k = k;
      g.a = problem.a.data() + row * k;
      g.lda = k;
      g.b = problem.b.data() + column;
      g.ldb = n;
      g.c = part.data();
      g.ldc = columns;
      target(g, scratch());
      for (int64_t i = 0; i < rows; ++i)
        ASSERT_EQ(0, std::memcmp(&part[size_t(i * columns)],
                                 &whole[size_t((row + i) * n + column)],
                                 size_t(columns) * 4))
            << "row " << row + i;
    }
}

TEST(Gemm, EveryTargetIsRight) {
  std::vector<void (*)(const Gemm &, float *)> targets = {portable::multiply};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    targets.push_back(avx2::multiply);
#endif
  for (unsigned flags = 0; flags < 4; ++flags) {
    const MatmulProblem<float> problem(1, 21, 53, 70, flags);
    for (auto target : targets) {
      std::vector<float> c(21 * 53);
      Gemm g;
      g.transA = flags & 1;
      g.transB = flags & 2;
      g.m = 21;
      g.n = 53;
      g.k = 70;
      g.a = problem.a.data();
      g.lda = g.transA ? g.m : g.k;
      g.b = problem.b.data();
      g.ldb = g.transB ? g.k : g.n;
      g.c = c.data();
      g.ldc = g.n;
      target(g, scratch());
      for (int64_t i = 0; i < g.m * g.n; ++i)
        ASSERT_NEAR(c[size_t(i)], problem.expected(0, i / g.n, i % g.n), 1e-5);
    }
  }
}

TEST(Matmul, IsTheSameOnMoreThreadsWhereTheSumIsLong) {
  // Long sums with a small C, which libraries split along k.
  for (unsigned flags : {0u, 1u, 2u, 3u}) {
    const MatmulProblem<float> problem(1, 96, 64, 20000, flags);
    const auto one = problem.run(1), two = problem.run(2);
    EXPECT_TRUE(sameBits(one, two));
  }
}

TEST(Matmul, OfAnEmptySumIsItsStart) {
  for (unsigned flags = 0; flags < 16; ++flags) {
    expectRightProduct<float>(2, 5, 6, 0, flags);
    expectRightProduct<double>(2, 5, 6, 0, flags);
  }
  // An empty product is valid.
  for (auto [batch, m, n] : {std::tuple{0, 5, 6}, {2, 0, 6}, {2, 5, 0}})
    expectRightProduct<float>(batch, m, n, 3, 12);
}

TEST(Matmul, RunsOnAStream) {
  zrt_matmul_desc desc = {};
  desc.scale = 1;
  desc.name = "product.0";
  desc.batch = 1;
  desc.m = desc.n = desc.k = 2;
  desc.a = tensor(deviceRef(0, 16));
  desc.b = tensor(deviceRef(16, 16));
  desc.c = tensor(deviceRef(32, 16));
  const zrt_plan plan = testPlan(Table().matmul(ZRT_COMPUTE, desc));
  const ContextPtr ctx = create(plan);
  auto *data = memoryOf<float>(ctx, desc.a.ref);
  const float in[] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::memcpy(data, in, sizeof(in));
  ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0) << zrt_error_message(ctx.get());
  EXPECT_EQ(std::vector<float>(data + 8, data + 12),
            (std::vector<float>{19, 22, 43, 50}));
}

} // namespace
