//===- Checksum.cpp - Sums that show a changed bit ------------------------===//
#include "runtime/hash/Checksum.h"

#include "runtime/numbers/Clones.h"

using namespace zrt;

namespace {

constexpr size_t kSumLanes = 16;
/// As in SumSquares.cpp: a thread asks for the bytes this far ahead.
constexpr size_t kFetchAhead = 16 << 10;
/// Twice an odd number, so that 1 + i x kStride has 2^31 values modulo 2^32.
constexpr uint32_t kStride = 2 * 0x9e3779b1u;

/// Maps each number to another one, and only 0 to 0.
inline uint32_t weightOf(uint32_t number) { return number ^ number >> 16; }

template <typename Element>
inline __attribute__((always_inline)) uint64_t
weightedSum(const Element *values, size_t count, uint32_t number) {
  uint64_t lanes[kSumLanes] = {};
  uint32_t numbers[kSumLanes];
  for (uint32_t lane = 0; lane < kSumLanes; ++lane)
    numbers[lane] = number + lane * kStride;
  size_t i = 0;
  for (; i + kSumLanes <= count; i += kSumLanes) {
    __builtin_prefetch(&values[i + kFetchAhead / sizeof(Element)]);
    for (size_t lane = 0; lane < kSumLanes; ++lane) {
      lanes[lane] += uint64_t{values[i + lane]} * weightOf(numbers[lane]);
      numbers[lane] += uint32_t{kSumLanes} * kStride;
    }
  }
  uint64_t total = 0;
  for (size_t lane = 0; lane < kSumLanes; ++lane)
    total += lanes[lane];
  for (size_t lane = 0; i < count; ++i, ++lane)
    total += uint64_t{values[i]} * weightOf(numbers[lane]);
  return total;
}

ZRT_CLONES uint64_t checksumOf32(const uint32_t *values, size_t count,
                                 uint32_t number) {
  return weightedSum(values, count, number);
}

ZRT_CLONES uint64_t checksumOf16(const uint16_t *values, size_t count,
                                 uint32_t number) {
  return weightedSum(values, count, number);
}

} // namespace

uint64_t zrt::checksum(const std::byte *values, uint64_t bytes, uint64_t count,
                       uint64_t first) {
  const uint32_t number = 1 + uint32_t(first) * kStride;
  return bytes == 4 ? checksumOf32(reinterpret_cast<const uint32_t *>(values),
                                   count, number)
                    : checksumOf16(reinterpret_cast<const uint16_t *>(values),
                                   count, number);
}
