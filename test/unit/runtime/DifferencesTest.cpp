//===- DifferencesTest.cpp - The tolerances of device checks --------------===//
#include "train/check/Differences.h"

#include "runtime/numbers/HalfArrays.h"
#include "runtime/plan/Vocabulary.h"

#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace zrt;
using namespace zrt::check;

namespace {

std::vector<std::byte> roundedBytes(const std::vector<float> &values,
                                    zrt_dtype dtype) {
  std::vector<std::byte> bytes(values.size() * dtypeBytes(dtype));
  narrow(values.data(), values.size(), dtype, bytes.data());
  return bytes;
}
std::vector<float> rounded(const std::vector<float> &values, zrt_dtype dtype) {
  std::vector<float> result(values.size());
  widen(roundedBytes(values, dtype).data(), dtype, values.size(),
        result.data());
  return result;
}

/// Rounds to 10 bits of mantissa, as TF32 does.
float asTf32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value) + (1u << 12);
  return std::bit_cast<float>(bits & ~((1u << 13) - 1));
}

struct Product {
  zrt_matmul_desc desc = {};
  std::vector<float> a, b, bias;

  Product(zrt_dtype dtype, zrt_dtype result, uint32_t flags, int64_t k = 768) {
    desc.scale = 1;
    desc.batch = 2;
    desc.m = 24;
    desc.n = 40;
    desc.k = k;
    desc.trans_a = flags & 1;
    desc.trans_b = flags >> 1 & 1;
    desc.has_bias = flags >> 2 & 1;
    desc.a.dtype = desc.b.dtype = dtype;
    desc.c.dtype = desc.bias.dtype = result;
    std::mt19937 random(flags + 1);
    std::normal_distribution<float> normal;
    const auto draw = [&](int64_t count, zrt_dtype type) {
      std::vector<float> values(static_cast<size_t>(count));
      for (float &value : values)
        value = normal(random);
      return rounded(values, type);
    };
    a = draw(desc.batch * desc.m * desc.k, dtype);
    b = draw(desc.batch * desc.k * desc.n, dtype);
    bias = draw(desc.n, result);
  }

  /// Computes C with sums in T over factors changed by `round`.
  template <typename T>
  std::vector<float> run(const std::function<float(float)> &round =
                             [](float x) { return x; }) const {
    std::vector<float> c;
    for (int64_t batch = 0; batch < desc.batch; ++batch)
      for (int64_t i = 0; i < desc.m; ++i)
        for (int64_t j = 0; j < desc.n; ++j) {
          T sum = 0;
          for (int64_t p = 0; p < desc.k; ++p)
            sum += T(round(a[size_t(
                       batch * desc.m * desc.k +
                       (desc.trans_a ? p * desc.m + i : i * desc.k + p))])) *
                   T(round(b[size_t(
                       batch * desc.k * desc.n +
                       (desc.trans_b ? j * desc.k + p : p * desc.n + j))]));
          c.push_back(float(sum + (desc.has_bias ? T(bias[size_t(j)]) : 0)));
        }
    return c;
  }

  Difference compare(const std::vector<float> &found,
                     const std::vector<float> &expected) const {
    const auto aBytes = roundedBytes(a, desc.a.dtype),
               bBytes = roundedBytes(b, desc.b.dtype),
               biasBytes = roundedBytes(bias, desc.bias.dtype);
    return compareMatmuls(desc,
                          {aBytes.data(), bBytes.data(), biasBytes.data()},
                          roundedBytes(found, desc.c.dtype).data(),
                          roundedBytes(expected, desc.c.dtype).data());
  }
};

TEST(Differences, SumsInAnotherOrderPass) {
  for (uint32_t flags = 0; flags < 8; ++flags)
    for (const zrt_dtype dtype : {ZRT_F32, ZRT_BF16, ZRT_F16}) {
      const Product product(dtype, dtype, flags);
      const Difference found =
          product.compare(product.run<float>(), product.run<double>());
      EXPECT_EQ(found.wrong, 0u) << found.where;
      EXPECT_EQ(found.elements, 2u * 24 * 40);
      EXPECT_TRUE(found.worst > 0 || dtype != ZRT_F32);
    }
}

TEST(Differences, Tf32DoesNotPass) {
  for (const int64_t k : {16, 64, 768}) {
    const Product product(ZRT_F32, ZRT_F32, 0, k);
    EXPECT_GT(
        product.compare(product.run<double>(asTf32), product.run<double>())
            .wrong,
        0u)
        << k;
  }
}

TEST(Differences, AWrongFactorOfOneElementDoesNotPass) {
  for (uint32_t flags = 0; flags < 8; ++flags) {
    Product product(ZRT_BF16, ZRT_BF16, flags);
    const auto expected = product.run<float>();
    for (const size_t element : {size_t{0}, expected.size() - 1}) {
      auto found = expected;
      // Two units in the last place.
      found[element] += std::ldexp(std::fabs(found[element]), -6) + 0.01f;
      const Difference difference = product.compare(found, expected);
      EXPECT_EQ(difference.wrong, 1u);
      EXPECT_EQ(difference.where.find("element " + std::to_string(element)), 0u)
          << difference.where;
    }
  }
}

TEST(Differences, NumbersThatAreNoneAreAlikeOnBothSides) {
  const Product product(ZRT_F32, ZRT_F32, 0);
  auto expected = product.run<float>(), found = expected;
  expected[3] = found[3] = NAN;
  expected[4] = found[4] = INFINITY;
  EXPECT_EQ(product.compare(found, expected).wrong, 0u);
  found[3] = 0;
  found[4] = -INFINITY;
  expected[5] = NAN;
  EXPECT_EQ(product.compare(found, expected).wrong, 3u);
}

TEST(Differences, BitsAreAllThatCounts) {
  const std::vector<float> expected = {1, 0, NAN, 2};
  auto found = expected;
  const auto compare = [&](uint64_t bytes) {
    return compareBits(ZRT_F32, reinterpret_cast<const std::byte *>(&found[0]),
                       reinterpret_cast<const std::byte *>(&expected[0]),
                       bytes);
  };
  EXPECT_EQ(compare(16).wrong, 0u);
  found[1] = -0.0f;
  found[3] = std::nextafter(2.0f, 3.0f);
  const Difference difference = compare(16);
  EXPECT_EQ(difference.wrong, 2u);
  EXPECT_EQ(difference.where, "element 1: -0, and 0 on processors");
  EXPECT_EQ(compare(0).wrong, 0u);
}

TEST(Differences, ValuesThroughSixteenBits) {
  const std::vector<float> expected = {1, -4, 0.001f};
  const auto compare = [&](const std::vector<float> &found) {
    return compareRounded(ZRT_BF16, roundedBytes(found, ZRT_BF16).data(),
                          roundedBytes(expected, ZRT_BF16).data(), 6)
        .wrong;
  };
  // Four units in the last place of 4.
  EXPECT_EQ(compare({1.0625f, -4.0625f, 0.002f}), 0u);
  EXPECT_EQ(compare({1.25f, -4.0f, 0.001f}), 1u);
  EXPECT_EQ(compare({1, -4, NAN}), 1u);
}

TEST(Differences, SmallRowsAreNotHiddenByLargeOnes) {
  std::vector<float> expected(64, 1.0f);
  std::fill(expected.begin() + 32, expected.end(), 0x1p-9f);
  std::vector<float> found = expected;
  const auto compare = [&] {
    return compareRounded(ZRT_BF16, roundedBytes(found, ZRT_BF16).data(),
                          roundedBytes(expected, ZRT_BF16).data(), 128)
        .wrong;
  };
  EXPECT_EQ(compare(), 0u);
  std::fill(found.begin() + 48, found.end(), 0.0f);
  EXPECT_EQ(compare(), 16u);
}

TEST(Differences, EachGroupIsAProduct) {
  const int32_t offsets[] = {0, 2, 2, 5};
  const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, w[] = {1, 1, 2, 2, 3, 3};
  float y[5];
  for (int i = 0; i < 5; ++i)
    y[i] = (x[2 * i] + x[2 * i + 1]) * (i < 2 ? 1 : 3);
  const auto place = [](uint64_t offset, uint64_t bytes, zrt_dtype dtype) {
    return zrt_operand{{ZRT_DEVICE, 0, offset, bytes}, dtype, ZRT_MEMBERS};
  };
  const zrt_operand weights[] = {place(200, 8, ZRT_F32), place(208, 8, ZRT_F32),
                                 place(216, 8, ZRT_F32)};
  zrt_grouped_desc desc = {};
  desc.groups = 3;
  desc.rows = 5;
  desc.n = 1;
  desc.k = 2;
  desc.x = place(0, 40, ZRT_F32);
  desc.y = place(100, 20, ZRT_F32);
  desc.offsets = place(300, 16, ZRT_I32);
  desc.w = weights;
  const auto at = [&](const zrt_ref &ref) {
    const void *begin = ref.offset == 0     ? static_cast<const void *>(x)
                        : ref.offset == 100 ? y
                        : ref.offset == 300 ? static_cast<const void *>(offsets)
                                            : w + (ref.offset - 200) / 4;
    return static_cast<const std::byte *>(begin);
  };
  std::vector<float> found(y, y + 5);
  const auto compare = [&] {
    return compareGroups(desc, desc.y.ref, at,
                         reinterpret_cast<const std::byte *>(found.data()));
  };
  EXPECT_EQ(compare().elements, 5u);
  EXPECT_EQ(compare().wrong, 0u);
  found[4] *= 1.001f;
  EXPECT_EQ(compare().wrong, 1u);
  EXPECT_TRUE(isResult(desc, 100));
  EXPECT_FALSE(isResult(desc, 216));
  desc.sums = 1;
  EXPECT_TRUE(isResult(desc, 216));
}

} // namespace
