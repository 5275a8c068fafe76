//===- GroupedMatmulTest.cpp - Products with a matrix per group -----------===//
#include "runtime/device/cpu/Matmul.h"

#include "runtime/numbers/HalfFloats.h"
#include "runtime/plan/Vocabulary.h"

#include "TestPlan.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace zrt;

namespace {

using Bytes = std::vector<std::byte>;

/// Random elements of `type` in [-1, 1).
Bytes someBytes(int64_t count, zrt_dtype type, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  Bytes bytes(uint64_t(count) * dtypeBytes(type));
  for (int64_t i = 0; i < count; ++i) {
    const double x = value(random);
    const auto f = static_cast<float>(x);
    uint32_t bits = 0;
    std::memcpy(&bits, &f, 4);
    const auto brain = static_cast<uint16_t>(bits >> 16);
    std::byte *to = bytes.data() + uint64_t(i) * dtypeBytes(type);
    if (type == ZRT_F64)
      std::memcpy(to, &x, 8);
    else if (type == ZRT_F32)
      std::memcpy(to, &f, 4);
    else
      std::memcpy(to, &brain, 2);
  }
  return bytes;
}

struct GroupedProblem {
  zrt_grouped_desc desc = {};
  std::vector<zrt_operand> ofW;
  std::vector<int32_t> offsets;
  Bytes x, y;
  std::vector<Bytes> w;

  /// `sizes` are the rows of each group.
  GroupedProblem(const std::vector<int32_t> &sizes, int64_t n, int64_t k,
                 zrt_dtype type, zrt_dtype result, bool sums, bool transposed) {
    offsets = {0};
    for (int32_t size : sizes)
      offsets.push_back(offsets.back() + size);
    desc.name = "grouped.0";
    desc.sums = sums;
    desc.trans_w = transposed;
    desc.groups = uint32_t(sizes.size());
    desc.rows = offsets.back();
    desc.n = n;
    desc.k = k;
    desc.x.dtype = type;
    desc.y.dtype = sums ? type : result;
    ofW.resize(sizes.size());
    for (zrt_operand &one : ofW)
      one.dtype = sums ? result : type;
    desc.w = ofW.data();
    x = someBytes(desc.rows * k, type, 1);
    // Old bytes of results must not matter.
    y = sums ? someBytes(desc.rows * n, type, 2)
             : Bytes(uint64_t(desc.rows * n) * dtypeBytes(result),
                     std::byte{0xff});
    for (size_t g = 0; g < sizes.size(); ++g)
      w.push_back(
          sums ? Bytes(uint64_t(k * n) * dtypeBytes(result), std::byte{0xff})
               : someBytes(k * n, type, 3 + unsigned(g)));
  }

  void run(int threads) {
    Team team(threads);
    std::vector<void *> addresses;
    for (Bytes &one : w)
      addresses.push_back(one.data());
    runGroupedMatmul(desc, x.data(), y.data(), offsets.data(), addresses.data(),
                     team);
  }

  /// Computes each group's product separately.
  void runApart() {
    Team team(1);
    const uint64_t xBytes = uint64_t(desc.k) * dtypeBytes(desc.x.dtype),
                   yBytes = uint64_t(desc.n) * dtypeBytes(desc.y.dtype);
    for (uint32_t g = 0; g < desc.groups; ++g) {
      zrt_matmul_desc one = {};
      one.scale = 1;
      const int64_t rows = offsets[g + 1] - offsets[g];
      one.batch = 1;
      one.m = desc.sums ? desc.k : rows;
      one.n = desc.n;
      one.k = desc.sums ? rows : desc.k;
      one.trans_a = desc.sums;
      one.trans_b = desc.trans_w;
      one.a = desc.x;
      one.b = desc.sums ? desc.y : ofW[g];
      one.c = desc.sums ? ofW[g] : desc.y;
      std::byte *ofX = x.data() + uint64_t(offsets[g]) * xBytes,
                *ofY = y.data() + uint64_t(offsets[g]) * yBytes;
      runMatmul(one, ofX, desc.sums ? ofY : w[g].data(), nullptr,
                desc.sums ? w[g].data() : ofY, team);
    }
  }
};

void expectBitsOfProducts(const std::vector<int32_t> &sizes, int64_t n,
                          int64_t k, zrt_dtype type, zrt_dtype result) {
  for (const auto [sums, transposed] :
       {std::pair{false, false}, {false, true}, {true, false}}) {
    GroupedProblem apart(sizes, n, k, type, result, sums, transposed);
    apart.runApart();
    for (const int threads : {1, 2, 3, 5}) {
      GroupedProblem together(sizes, n, k, type, result, sums, transposed);
      together.run(threads);
      ASSERT_TRUE(together.y == apart.y)
          << threads << " threads, sums " << sums << ", " << dtypeName(type);
      ASSERT_TRUE(together.w == apart.w)
          << threads << " threads, sums " << sums << ", " << dtypeName(type);
    }
  }
}

TEST(GroupedMatmul, HasTheBitsOfEachGroupsProduct) {
  const std::vector<std::vector<int32_t>> all = {
      {7}, {0, 0, 5}, {3, 0, 1, 12, 0}, {1, 1, 1, 1}, {129, 2, 0, 64, 31}};
  for (const std::vector<int32_t> &sizes : all)
    for (const auto [n, k] : {std::pair{1, 1}, {37, 53}, {130, 71}}) {
      expectBitsOfProducts(sizes, n, k, ZRT_F32, ZRT_F32);
      expectBitsOfProducts(sizes, n, k, ZRT_F64, ZRT_F64);
      expectBitsOfProducts(sizes, n, k, ZRT_BF16, ZRT_BF16);
      expectBitsOfProducts(sizes, n, k, ZRT_BF16, ZRT_F32);
    }
}

TEST(GroupedMatmul, OfAGroupWithoutRowsIsZeros) {
  GroupedProblem problem({4, 0, 3}, 5, 6, ZRT_F32, ZRT_F32, /*sums=*/true,
                         false);
  problem.run(2);
  EXPECT_EQ(problem.w[1], Bytes(5 * 6 * 4));
  EXPECT_NE(problem.w[0], Bytes(5 * 6 * 4));
}

TEST(GroupedMatmul, WithoutRowsWritesNothing) {
  GroupedProblem problem({0, 0}, 5, 6, ZRT_F32, ZRT_F32, false, true);
  problem.run(2);
  EXPECT_TRUE(problem.y.empty());
}

TEST(GroupedMatmul, StaysInItsRowsWhateverOffsetsAre) {
  for (const std::vector<int32_t> &odd :
       {std::vector<int32_t>{-5, 1 << 30, -7, 3},
        {0, 9, 2, 100},
        {4, 4, 4, 4}}) {
    GroupedProblem problem({3, 3, 3}, 5, 6, ZRT_F32, ZRT_F32, false, true);
    problem.offsets = odd;
    const size_t size = problem.y.size();
    problem.y.resize(size + 64, std::byte{0xee});
    problem.run(2);
    // All rows are written once, and nothing after them.
    const Bytes fence(problem.y.begin() + int64_t(size), problem.y.end());
    EXPECT_EQ(fence, Bytes(64, std::byte{0xee}));
    for (size_t i = 0; i < size; i += 4) {
      float value = 0;
      std::memcpy(&value, &problem.y[i], 4);
      EXPECT_TRUE(std::isfinite(value)) << i / 4;
    }
  }
}

TEST(GroupedMatmul, RunsOnAStream) {
  zrt_grouped_desc desc = {};
  desc.name = "grouped.0";
  desc.groups = 2;
  desc.rows = 3;
  desc.n = 1;
  desc.k = 2;
  desc.x = tensor(deviceRef(0, 24));
  desc.y = tensor(deviceRef(24, 12));
  desc.offsets = tensor(deviceRef(36, 12), ZRT_I32);
  const zrt_operand w[] = {tensor(deviceRef(48, 8)), tensor(deviceRef(56, 8))};
  desc.w = w;
  const zrt_plan plan = testPlan(Table().add(ZRT_GROUPED, ZRT_COMPUTE, &desc));
  const ContextPtr ctx = create(plan);
  const float x[] = {1, 2, 3, 4, 5, 6}, weights[] = {1, 10, 100, 1000};
  const int32_t offsets[] = {0, 1, 3};
  std::memcpy(memoryOf<float>(ctx, desc.x.ref), x, sizeof(x));
  std::memcpy(memoryOf<float>(ctx, w[0].ref), weights, sizeof(weights));
  std::memcpy(memoryOf<int32_t>(ctx, desc.offsets.ref), offsets,
              sizeof(offsets));
  ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0) << zrt_error_message(ctx.get());
  const auto *y = memoryOf<float>(ctx, desc.y.ref);
  EXPECT_EQ(std::vector<float>(y, y + 3), (std::vector<float>{21, 4300, 6500}));
}

} // namespace
