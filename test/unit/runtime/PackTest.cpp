//===- PackTest.cpp - Parameters packed to 4 or 8 bits --------------------===//
#include "runtime/packing/Pack.h"
#include "numerics/Codebooks.h"
#include "runtime/numbers/HalfFloats.h"
#include "runtime/numbers/Philox.h"
#include "runtime/packing/Unpack.h"
#include "runtime/plan/Vocabulary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace zrt;

namespace {

std::vector<std::byte> packed(uint32_t packing,
                              const std::vector<float> &values) {
  std::vector<std::byte> bytes(zrt_packed_bytes(packing, values.size()));
  for (uint64_t first = 0; first < values.size(); first += kPackedRun)
    packRun(packing, values.data() + first,
            std::min(kPackedRun, values.size() - first),
            bytes.data() + zrt_packed_bytes(packing, first));
  return bytes;
}

std::vector<float> unpacked(uint32_t packing,
                            const std::vector<std::byte> &bytes,
                            uint64_t count) {
  std::vector<float> values(count);
  unpack(packing, bytes.data(), count, 0, (count + 63) / 64, ZRT_F32,
         values.data());
  return values;
}

std::vector<float> random(uint64_t count) {
  std::vector<float> values(count);
  for (uint64_t i = 0; i < count; ++i) {
    const auto bits = philox4x32({uint32_t(i), 0, 0, 0}, {});
    values[i] =
        float(int32_t(bits[0])) * 0x1p-31f * std::exp2(float(i / 64 % 7) - 3);
  }
  return values;
}

TEST(Pack, TakesTheBytesThatAreSaid) {
  EXPECT_EQ(zrt_packed_bytes(ZRT_NF4, 1), 41u);
  EXPECT_EQ(zrt_packed_bytes(ZRT_NF4, 64), 41u);
  EXPECT_EQ(zrt_packed_bytes(ZRT_NF4, 65), 74u);
  EXPECT_EQ(zrt_packed_bytes(ZRT_NF4, 16384), 8456u);
  EXPECT_EQ(zrt_packed_bytes(ZRT_NF4, 16385), 8497u);
  EXPECT_EQ(zrt_packed_bytes(ZRT_INT8, 1), 68u);
  EXPECT_EQ(zrt_packed_bytes(ZRT_INT8, 16384), 17408u);
  EXPECT_EQ(zrt_packed_bytes(ZRT_UNPACKED, 64), 0u);
}

TEST(Pack, HasCodebooksThatRise) {
  for (size_t i = 1; i < kNormalFloats.size(); ++i)
    EXPECT_LT(kNormalFloats[i - 1], kNormalFloats[i]);
  const auto &scales = scaleFloats();
  for (size_t i = 1; i < scales.size(); ++i)
    EXPECT_LT(scales[i - 1], scales[i]);
  EXPECT_EQ(scales[127], 0.0f);
  EXPECT_EQ(scales[255], 1.0f);
}

TEST(Pack, GivesEveryCodeBack) {
  // One block whose scale is 2, with each of the 16 codes four times.
  std::vector<float> values(64);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 2 * kNormalFloats[i % 16];
  EXPECT_EQ(unpacked(ZRT_NF4, packed(ZRT_NF4, values), 64), values);
  std::vector<float> whole(256);
  for (size_t i = 0; i < whole.size(); ++i)
    whole[i] = i % 64 == 0 ? 127.0f : float(int(i) - 128);
  EXPECT_EQ(unpacked(ZRT_INT8, packed(ZRT_INT8, whole), 256), whole);
}

TEST(Pack, GivesTiesTheLowerCode) {
  const auto middles = middlesOf(kNormalFloats);
  std::vector<float> values(64, 0.0f);
  values[63] = 1;
  for (size_t i = 0; i < middles.size(); ++i) {
    values[i] = middles[i];
    values[16 + i] = std::nextafter(middles[i], 2.0f);
  }
  const auto found = unpacked(ZRT_NF4, packed(ZRT_NF4, values), 64);
  for (size_t i = 0; i < middles.size(); ++i) {
    EXPECT_EQ(found[i], kNormalFloats[i]);
    EXPECT_EQ(found[16 + i], kNormalFloats[i + 1]);
  }
  // int8 rounds to even.
  std::vector<float> halves(64, 0.0f);
  halves[0] = 127;
  halves[1] = 2.5f;
  halves[2] = 3.5f;
  halves[3] = -2.5f;
  const auto rounded = unpacked(ZRT_INT8, packed(ZRT_INT8, halves), 64);
  EXPECT_EQ(rounded[1], 2);
  EXPECT_EQ(rounded[2], 4);
  EXPECT_EQ(rounded[3], -2);
}

TEST(Pack, KeepsZerosAndExtremes) {
  for (const uint32_t packing : {ZRT_NF4, ZRT_INT8}) {
    const std::vector<float> zeros(200, 0.0f);
    EXPECT_EQ(unpacked(packing, packed(packing, zeros), 200), zeros);
    constexpr float kMost = std::numeric_limits<float>::max(),
                    kLeast = std::numeric_limits<float>::denorm_min();
    for (const float value : {kMost, 1e-30f, 3.0f}) {
      const std::vector<float> all(100, value);
      for (const float found : unpacked(packing, packed(packing, all), 100))
        EXPECT_NEAR(found / value, 1, 1e-6) << packingName(packing);
    }
    for (const float found :
         unpacked(packing, packed(packing, std::vector<float>(70, kLeast)), 70))
      EXPECT_TRUE(found == 0 || found == kLeast) << packingName(packing);
  }
}

TEST(Pack, IsNearWhatItPacks) {
  const auto values = random(40000);
  for (const uint32_t packing : {ZRT_NF4, ZRT_INT8}) {
    const auto found = unpacked(packing, packed(packing, values), 40000);
    for (size_t i = 0; i < values.size(); ++i) {
      float largest = 0;
      for (size_t j = i / 64 * 64;
           j < std::min<size_t>(i / 64 * 64 + 64, 40000); ++j)
        largest = std::max(largest, std::fabs(values[j]));
      // Half the widest gap of the codes.  The scales of nf4 are approximate as
      // well: within 0.7 % of the largest; the blocks differ by a factor of 64.
      const float most =
          packing == ZRT_NF4 ? 0.16f * largest + 0.06f : 0.51f / 127 * largest;
      EXPECT_LE(std::fabs(found[i] - values[i]), most) << i;
    }
  }
}

TEST(Pack, IsTheSameHoweverItIsCut) {
  const auto values = random(40000);
  for (const uint32_t packing : {ZRT_NF4, ZRT_INT8}) {
    const auto all = packed(packing, values);
    const auto second =
        packed(packing, {values.begin() + kPackedRun, values.end()});
    EXPECT_TRUE(
        std::equal(second.begin(), second.end(),
                   all.begin() + long(zrt_packed_bytes(packing, kPackedRun))));
  }
}

using Sets = std::vector<std::pair<const char *, const Expander *>>;

/// Expects `sets` to produce the same bits as `portable`.
void expectSameBits(uint32_t packing, const Expander &portable,
                    const Sets &sets) {
  // f16: also denormals and infinity; f32: also denormals and the largest
  // number.
  for (const float factor : {1.0f, 0x1p-18f, 0x1p15f, 0x1p-140f, 0x1p124f})
    for (const uint64_t count : {1u, 31u, 64u, 100u, 16384u, 40001u}) {
      std::vector<float> values = random(count);
      for (float &value : values)
        value *= factor;
      const auto bytes = packed(packing, values);
      const uint64_t blocks = (count + 63) / 64;
      for (const zrt_dtype dtype : {ZRT_F32, ZRT_BF16, ZRT_F16}) {
        const uint64_t size = count * dtypeBytes(dtype);
        // No byte after the last element is written.
        std::vector<std::byte> expected(size + 64, std::byte{7}), found;
        unpack(packing, bytes.data(), count, 0, blocks, dtype, expected.data(),
               portable);
        for (size_t i = size; i < expected.size(); ++i)
          ASSERT_EQ(expected[i], std::byte{7});
        for (const auto &[name, expander] : sets) {
          found.assign(size + 64, std::byte{7});
          unpack(packing, bytes.data(), count, 0, blocks / 2, dtype,
                 found.data(), *expander);
          unpack(packing, bytes.data(), count, blocks / 2, blocks, dtype,
                 found.data() + blocks / 2 * kPackedBlock * dtypeBytes(dtype),
                 *expander);
          EXPECT_EQ(found, expected)
              << name << " " << dtypeName(dtype) << " " << factor;
        }
      }
    }
}

TEST(Dequantize, HasTheSameBitsOnAllInstructionSets) {
  Sets expanders, scalers;
#ifdef __x86_64__
  if (hasAvx2Expander()) {
    expanders.push_back({"avx2", &kAvx2Expander});
    scalers.push_back({"avx2", &kAvx2Scaler});
  }
  if (hasAvx512Expander()) {
    expanders.push_back({"avx512", &kAvx512Expander});
    scalers.push_back({"avx512", &kAvx512Scaler});
  }
#endif
  expectSameBits(ZRT_NF4, kPortableExpander, expanders);
  expectSameBits(ZRT_INT8, kPortableScaler, scalers);
}

TEST(Dequantize, RoundsWhatItMakesOnce) {
  const auto values = random(1000);
  for (const uint32_t packing : {ZRT_NF4, ZRT_INT8}) {
    const auto bytes = packed(packing, values);
    const auto wide = unpacked(packing, bytes, 1000);
    std::vector<uint16_t> brain(1000), half(1000);
    unpack(packing, bytes.data(), 1000, 0, 16, ZRT_BF16, brain.data());
    unpack(packing, bytes.data(), 1000, 0, 16, ZRT_F16, half.data());
    for (size_t i = 0; i < wide.size(); ++i) {
      EXPECT_EQ(brain[i], narrowBrain(wide[i]));
      EXPECT_EQ(half[i], narrowHalf(wide[i]));
    }
  }
}

} // namespace
