//===- NumberBlocksTest.cpp - Numbers in blocks with a common scale -------===//
#include "runtime/numbers/NumberBlocks.h"

#include "runtime/core/Segments.h"
#include "runtime/device/cpu/BucketWork.h"
#include "runtime/numbers/HalfArrays.h"
#include "runtime/transport/RankedSum.h"

#include "TestPlan.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace zrt;

namespace {

using Floats = std::vector<float>;
using Bytes = std::vector<std::byte>;

constexpr zrt_dtype kBlocks[] = {ZRT_BLOCK8, ZRT_BLOCK4};
constexpr zrt_dtype kWide[] = {ZRT_F32, ZRT_BF16, ZRT_F16};
constexpr int topOf(zrt_dtype dtype) { return dtype == ZRT_BLOCK8 ? 127 : 7; }

float nearest(double value) { return float(value); }

/// The scale and the codes of 256 numbers, by the words of abi/ZrtStructs.def.
struct PlainBlock {
  float scale;
  std::vector<int> codes = std::vector<int>(kNumbers);
};

PlainBlock plainBlock(const float *numbers, zrt_dtype dtype) {
  PlainBlock block;
  double most = 0;
  bool isFinite = true;
  for (size_t i = 0; i < kNumbers; ++i) {
    isFinite = isFinite && std::isfinite(numbers[i]);
    most = std::max(most, std::abs(double(numbers[i])));
  }
  block.scale = !isFinite         ? NAN
                : most < 0x1p-100 ? 0
                                  : float(most / topOf(dtype));
  if (isFinite && block.scale > 0)
    for (size_t i = 0; i < kNumbers; ++i)
      block.codes[i] = int(std::nearbyint(
          nearest(double(numbers[i]) * nearest(topOf(dtype) / most))));
  return block;
}

Bytes bytesOfBlock(const PlainBlock &block, zrt_dtype dtype) {
  Bytes bytes(dtypeBytes(dtype));
  std::memcpy(bytes.data(), &block.scale, sizeof(float));
  std::byte *codes = bytes.data() + sizeof(float);
  if (std::isfinite(block.scale))
    for (size_t i = 0; i < kNumbers; ++i) {
      if (dtype == ZRT_BLOCK8)
        codes[i] = std::byte(block.codes[i] & 255);
      else
        codes[i % 128] |= std::byte((block.codes[i] + 8) << (i / 128 * 4));
    }
  return bytes;
}

void setValuesOf(const PlainBlock &block, float *numbers) {
  for (size_t i = 0; i < kNumbers; ++i)
    numbers[i] = nearest(double(block.codes[i]) * block.scale);
}

Floats randomNumbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Floats numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = std::ldexp(float(int(random() % 20001) - 10000),
                            int(i / kNumbers % 9) - int(random() % 8) - 12);
  return numbers;
}

Bytes blocksOf(const Floats &numbers, zrt_dtype dtype) {
  Bytes blocks(numbers.size() / kNumbers * dtypeBytes(dtype));
  quantizeBlocks(numbers.data(), numbers.size() / kNumbers, dtype,
                 blocks.data());
  return blocks;
}

Floats numbersInBlocks(const Bytes &blocks, zrt_dtype dtype) {
  Floats numbers(blocks.size() / dtypeBytes(dtype) * kNumbers);
  dequantizeBlocks(blocks.data(), dtype, numbers.size() / kNumbers,
                   numbers.data());
  return numbers;
}

/// Blocks that decide: ties, the ends of the range, and all that is not plain.
Floats hardNumbers() {
  Floats numbers;
  const auto block = [&](float most, auto number) {
    for (size_t i = 0; i < kNumbers; ++i)
      numbers.push_back(i == 77 ? most : number(int(i)));
  };
  block(127, [](int i) { return float(i % 254) / 2 - 63.5f; }); // ties
  block(-7, [](int i) { return float(i % 28) / 2 - 6.5f; });
  block(3.4e38f, [](int i) { return 3.4e38f / float(i + 1); });
  block(0x1p-100f, [](int i) { return -0x1p-100f / float(i + 1); });
  block(0x1.fffffep-101f, [](int i) { return 0x1p-140f * float(i); });
  block(0, [](int i) { return i % 2 ? 0.0f : -0.0f; });
  block(1, [](int) { return 1e-45f; });
  return numbers;
}

TEST(NumberBlocks, AreThoseOfAPlainLoop) {
  Floats numbers = randomNumbers(50 * kNumbers, 1);
  const Floats hard = hardNumbers();
  numbers.insert(numbers.end(), hard.begin(), hard.end());
  for (const zrt_dtype dtype : kBlocks) {
    const Bytes blocks = blocksOf(numbers, dtype);
    const Floats values = numbersInBlocks(blocks, dtype);
    for (size_t i = 0; i < numbers.size() / kNumbers; ++i) {
      const PlainBlock plain = plainBlock(&numbers[i * kNumbers], dtype);
      const Bytes expected = bytesOfBlock(plain, dtype);
      ASSERT_EQ(Bytes(&blocks[i * expected.size()],
                      &blocks[i * expected.size()] + expected.size()),
                expected)
          << dtypeName(dtype) << " " << i;
      Floats exact(kNumbers);
      setValuesOf(plain, exact.data());
      ASSERT_EQ(Floats(&values[i * kNumbers], &values[i * kNumbers] + kNumbers),
                exact);
      // No number is further away than half a scale.
      const bool isZero = plain.scale == 0;
      for (size_t j = 0; j < kNumbers; ++j)
        ASSERT_LE(std::abs(double(numbers[i * kNumbers + j]) - exact[j]),
                  isZero ? 0x1p-100 : plain.scale * 0.500001)
            << i << " " << j;
    }
  }
}

TEST(NumberBlocks, OfAnInfinityOrANanAreNans) {
  for (const float bad : {INFINITY, -INFINITY, NAN, -NAN})
    for (const zrt_dtype dtype : kBlocks) {
      Floats numbers = randomNumbers(3 * kNumbers, 2);
      const Floats good = numbersInBlocks(blocksOf(numbers, dtype), dtype);
      numbers[kNumbers + 255] = bad;
      const Floats values = numbersInBlocks(blocksOf(numbers, dtype), dtype);
      for (size_t i = 0; i < values.size(); ++i) {
        if (i / kNumbers == 1)
          ASSERT_TRUE(std::isnan(values[i])) << i;
        else
          ASSERT_EQ(values[i], good[i]) << i;
      }
    }
}

/// This file has one version of the loops, the library one for each kind of
/// vectors.
TEST(NumberBlocks, HaveTheSameBitsInVectors) {
  Floats numbers = randomNumbers(40 * kNumbers, 3);
  const Floats hard = hardNumbers();
  numbers.insert(numbers.end(), hard.begin(), hard.end());
  const auto check = [&](auto bits, zrt_dtype dtype) {
    const Bytes blocks = blocksOf(numbers, dtype);
    const Floats values = numbersInBlocks(blocks, dtype);
    for (size_t i = 0; i < numbers.size() / kNumbers; ++i) {
      Bytes one(kBlockBytes<bits>);
      quantizeBlock<bits>(&numbers[i * kNumbers], one.data());
      ASSERT_EQ(std::memcmp(one.data(), &blocks[i * one.size()], one.size()), 0)
          << i;
      Floats wide(kNumbers);
      dequantizeBlock<bits>(one.data(), wide.data());
      ASSERT_EQ(std::memcmp(wide.data(), &values[i * kNumbers], 4 * kNumbers),
                0)
          << i;
    }
  };
  check(std::integral_constant<int, 8>(), ZRT_BLOCK8);
  check(std::integral_constant<int, 4>(), ZRT_BLOCK4);
}

//===----------------------------------------------------------------------===//
// Sums over ranks
//===----------------------------------------------------------------------===//

TEST(RankedSum, OfBlocksIsThatOfTheirNumbers) {
  constexpr size_t kCount = 5;
  for (const zrt_dtype from : kBlocks)
    for (const zrt_dtype to : kWide)
      for (const size_t ranks : {1, 2, 3, 7})
        for (const bool accumulate : {false, true}) {
          std::vector<Bytes> blocks;
          std::vector<Floats> values;
          std::vector<const std::byte *> sources;
          for (size_t rank = 0; rank < ranks; ++rank) {
            blocks.push_back(blocksOf(
                randomNumbers(kCount * kNumbers, unsigned(10 + rank)), from));
            values.push_back(numbersInBlocks(blocks.back(), from));
          }
          for (const Bytes &one : blocks)
            sources.push_back(one.data());
          Floats old = randomNumbers(kCount * kNumbers, 9),
                 expected(old.size());
          Bytes result(old.size() * dtypeBytes(to)), right(result.size());
          narrow(old.data(), old.size(), to, result.data());
          widen(result.data(), to, old.size(), old.data());
          for (size_t i = 0; i < old.size(); ++i) {
            float sum = values[0][i];
            for (size_t rank = 1; rank < ranks; ++rank)
              sum = nearest(double(sum) + values[rank][i]);
            const float scaled = nearest(double(sum) * (1.0f / 3));
            expected[i] =
                accumulate ? nearest(double(scaled) + old[i]) : scaled;
          }
          narrow(expected.data(), old.size(), to, right.data());
          rankedSum(sources.data(), ranks, from, kCount, 1.0f / 3, accumulate,
                    /*inTree=*/false, to, result.data());
          ASSERT_EQ(result, right)
              << dtypeName(from) << " " << dtypeName(to) << " " << ranks;
        }
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

zrt_member membersFrom(uint64_t offset, uint64_t count) {
  zrt_member m = {};
  m.offset = offset;
  m.count = count;
  return m;
}

/// Narrows a share of a bucket and widens it again; with padding that is NaN,
/// which counts as zeros.
void checkShare(const zrt_bucket &bucket, uint32_t extent, zrt_dtype wide,
                zrt_dtype form, int threads) {
  // Rank 1 of two groups of two: member 1 of group 0.
  constexpr uint32_t kSlice = 2, kSlices = 4, kPerPart = 2;
  const BucketPart part = partOf(bucket, kSlice, kSlices, kPerPart);
  const uint64_t shares = extent == ZRT_WHOLE  ? 1
                          : extent == ZRT_PART ? kSlices / kPerPart
                                               : kSlices,
                 count = bucket.elements / shares,
                 first = extent == ZRT_WHOLE ? 0 : bucket.elements / 2;
  Floats numbers = randomNumbers(bucket.elements, 4),
         padded(bucket.elements, NAN);
  Bytes source(count * dtypeBytes(wide));
  narrow(&numbers[first], count, wide, source.data());
  widen(source.data(), wide, count, &numbers[first]);
  Floats expected(bucket.elements, 0.0f);
  for (uint32_t m = 0; m < bucket.member_count; ++m)
    for (uint64_t i = 0; i < bucket.members[m].count; ++i) {
      const uint64_t at = bucket.members[m].offset + i;
      expected[at] = padded[at] = numbers[at];
    }
  narrow(&padded[first], count, wide, source.data());
  Bytes right(count / numbersIn(form) * dtypeBytes(form)), result(right.size());
  if (isBlock(form))
    quantizeBlocks(&expected[first], count / kNumbers, form, right.data());
  else
    narrow(&expected[first], count, form, right.data());
  const zrt_operand from = {deviceRef(0, source.size()), wide, extent},
                    to = {deviceRef(0, right.size()), form, extent};
  Team team(threads);
  quantizeBucket({"quantize of b0", 0, 0, from, to}, part, source.data(),
                 result.data(), team);
  ASSERT_EQ(result, right) << dtypeName(wide) << " to " << dtypeName(form)
                           << ", " << extentName(extent);
  if (isBlock(form))
    dequantizeBlocks(right.data(), form, count / kNumbers, &expected[first]);
  else
    widen(right.data(), form, count, &expected[first]);
  Bytes again(source.size());
  narrow(&expected[first], count, wide, source.data());
  dequantizeBucket({"dequantize of b0", 0, 0, to, from}, result.data(),
                   again.data(), team);
  ASSERT_EQ(again, source) << dtypeName(form) << " to " << dtypeName(wide)
                           << ", " << extentName(extent);
}

TEST(NarrowBucket, CountsPaddingAsZeros) {
  // Members begin and end inside blocks, one has several, and one block has
  // several members.
  constexpr uint64_t kBlocks4 = 4 * kNumbers;
  const zrt_member members[] = {membersFrom(0, 1000), membersFrom(1008, 70),
                                membersFrom(1088, 8 * kBlocks4),
                                membersFrom(9 * kBlocks4 + 16, 3000),
                                membersFrom(14 * kBlocks4, 5)};
  const zrt_bucket bucket = {"b0",    16 * kBlocks4, 5, 0,
                             members, ZRT_UNPACKED,  0};
  // Slices of bf16 need no whole blocks.
  const zrt_member few[] = {membersFrom(0, 300), membersFrom(304, 700)};
  const zrt_bucket odd = {"b0", 1104, 2, 0, few, ZRT_UNPACKED, 0};
  for (const int threads : {1, 3})
    for (const uint32_t extent : {ZRT_WHOLE, ZRT_PART, ZRT_SLICE}) {
      for (const zrt_dtype wide : kWide)
        for (const zrt_dtype form : kBlocks)
          checkShare(bucket, extent, wide, form, threads);
      for (const zrt_bucket &one : {bucket, odd})
        checkShare(one, extent, ZRT_F32, ZRT_BF16, threads);
    }
}

} // namespace
