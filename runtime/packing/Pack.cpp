//===- Pack.cpp - Packs parameters to 4 or 8 bits per element -------------===//
#include "runtime/packing/Pack.h"

#include "numerics/Codebooks.h"
#include "runtime/numbers/Clones.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace zrt;

namespace {

constexpr float kMostInt8 = 127;

ZRT_CLONES float largestOf(const float *block) {
  float largest = 0;
  for (uint64_t i = 0; i < kPackedBlock; ++i)
    largest = std::max(largest, std::fabs(block[i]));
  return largest;
}

/// If all elements are 0, the scale is 0 and all codes are that of 0.
ZRT_CLONES void packNormalFloats(const float *block, float scale, uint8_t *to) {
  constexpr auto kMiddles = middlesOf(kNormalFloats);
  const float divisor = scale > 0 ? scale : 1;
  float quotients[kPackedBlock];
  for (uint64_t i = 0; i < kPackedBlock; ++i)
    quotients[i] = block[i] / divisor;
  uint8_t codes[kPackedBlock] = {};
  for (const float middle : kMiddles)
    for (uint64_t i = 0; i < kPackedBlock; ++i)
      codes[i] = static_cast<uint8_t>(codes[i] + (quotients[i] > middle));
  constexpr uint64_t kHalf = kPackedBlock / 2;
  for (uint64_t i = 0; i < kHalf; ++i)
    to[i] = static_cast<uint8_t>(codes[i] | codes[kHalf + i] << 4);
}

/// `step` is the scale divided by 127, which can underflow to 0.
ZRT_CLONES void packInt8(const float *block, float step, int8_t *to) {
  for (uint64_t i = 0; i < kPackedBlock; ++i) {
    const float code = step > 0 ? std::nearbyint(block[i] / step) : 0;
    to[i] = static_cast<int8_t>(std::clamp(code, -kMostInt8, kMostInt8));
  }
}

void packScales(const float *scales, uint64_t count, std::byte *to) {
  double sum = 0;
  for (uint64_t i = 0; i < count; ++i)
    sum += double(scales[i]);
  const auto mean = static_cast<float>(sum / double(count));
  float range = 0;
  for (uint64_t i = 0; i < count; ++i)
    range = std::max(range, std::fabs(scales[i] - mean));
  std::memcpy(to, &mean, sizeof(mean));
  std::memcpy(to + sizeof(mean), &range, sizeof(range));
  static const auto middles = middlesOf(scaleFloats());
  for (uint64_t i = 0; i < count; ++i) {
    const float distance = (scales[i] - mean) / (range > 0 ? range : 1);
    // The code is the number of midpoints below the distance.
    const auto code =
        std::lower_bound(middles.begin(), middles.end(), distance) -
        middles.begin();
    to[sizeof(mean) + sizeof(range) + i] = static_cast<std::byte>(code);
  }
}

} // namespace

void zrt::packRun(uint32_t packing, const float *values, uint64_t count,
                  std::byte *to) {
  const uint64_t blocks = (count + kPackedBlock - 1) / kPackedBlock;
  const uint64_t codeBytes =
      packing == ZRT_NF4 ? kPackedBlock / 2 : kPackedBlock;
  float scales[kBlocksOfRun];
  for (uint64_t b = 0; b < blocks; ++b) {
    const uint64_t first = b * kPackedBlock;
    alignas(64) float block[kPackedBlock] = {};
    std::copy_n(values + first, std::min(kPackedBlock, count - first), block);
    scales[b] = largestOf(block);
    std::byte *codes = to + b * codeBytes;
    if (packing == ZRT_NF4) {
      packNormalFloats(block, scales[b], reinterpret_cast<uint8_t *>(codes));
    } else {
      scales[b] /= kMostInt8;
      // If the division rounded up, the largest code may overflow.
      if (!std::isfinite(scales[b] * kMostInt8))
        scales[b] = std::nextafter(scales[b], 0.0f);
      packInt8(block, scales[b], reinterpret_cast<int8_t *>(codes));
    }
  }
  std::byte *after = to + blocks * codeBytes;
  if (packing == ZRT_NF4)
    packScales(scales, blocks, after);
  else
    std::memcpy(after, scales, blocks * sizeof(float));
}
