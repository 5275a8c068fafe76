//===- Dequantize.cpp - Packed parameters, to compute with ----------------===//
#include "runtime/packing/Dequantize.h"

#include "runtime/Clones.h"
#include "runtime/HalfFloats.h"
#include "runtime/Vocabulary.h"
#include "runtime/packing/Codebooks.h"
#include "runtime/packing/Pack.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace zrt;

namespace {

float floatAt(const std::byte *bytes) {
  float value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

/// Of one block, all of it.
void dequantizeNormalFloats(const std::byte *codes, float scale,
                            zrt_dtype dtype, void *to,
                            const Expander &expander) {
  float values[kNormalFloats.size()];
  for (size_t code = 0; code < kNormalFloats.size(); ++code)
    values[code] = kNormalFloats[code] * scale;
  if (dtype == ZRT_F32) {
    alignas(64) uint32_t table[kNormalFloats.size()];
    std::memcpy(table, values, sizeof(table));
    return expander.wide(codes, table, static_cast<uint32_t *>(to));
  }
  alignas(32) uint16_t table[kNormalFloats.size()];
  for (size_t code = 0; code < kNormalFloats.size(); ++code)
    table[code] = dtype == ZRT_BF16 ? narrowBrain(values[code])
                                    : narrowHalf(values[code]);
  expander.half(codes, table, static_cast<uint16_t *>(to));
}

ZRT_CLONES void scaleInt8(const int8_t *codes, float scale, float *to) {
  for (uint64_t i = 0; i < kPackedBlock; ++i)
    to[i] = static_cast<float>(codes[i]) * scale;
}
ZRT_CLONES void scaleInt8(const int8_t *codes, float scale, Brain *to) {
  for (uint64_t i = 0; i < kPackedBlock; ++i)
    to[i].bits = narrowBrain(static_cast<float>(codes[i]) * scale);
}
ZRT_CLONES void scaleInt8(const int8_t *codes, float scale, Half *to) {
  for (uint64_t i = 0; i < kPackedBlock; ++i)
    to[i].bits = narrowHalf(static_cast<float>(codes[i]) * scale);
}

void dequantizeInt8(const std::byte *codes, float scale, zrt_dtype dtype,
                    void *to) {
  const auto *numbers = reinterpret_cast<const int8_t *>(codes);
  if (dtype == ZRT_F32)
    scaleInt8(numbers, scale, static_cast<float *>(to));
  else if (dtype == ZRT_BF16)
    scaleInt8(numbers, scale, static_cast<Brain *>(to));
  else
    scaleInt8(numbers, scale, static_cast<Half *>(to));
}

/// A group, and where its parts lie.
struct Group {
  const std::byte *codes, *scales;
  float mean = 0, range = 0; ///< of scales that are packed

  Group(uint32_t packing, const std::byte *at, uint64_t blocks) : codes(at) {
    if (packing == ZRT_INT8) {
      scales = at + blocks * kPackedBlock;
      return;
    }
    const std::byte *after = at + blocks * (kPackedBlock / 2);
    mean = floatAt(after);
    range = floatAt(after + sizeof(mean));
    scales = after + sizeof(mean) + sizeof(range);
  }

  float normalScale(uint64_t block) const {
    // The largest numbers would be rounded to infinity.
    return std::min(
        mean + range * scaleFloats()[static_cast<uint8_t>(scales[block])],
        std::numeric_limits<float>::max());
  }
};

} // namespace

void zrt::dequantize(uint32_t packing, const std::byte *packed,
                     uint64_t elements, uint64_t firstBlock, uint64_t lastBlock,
                     zrt_dtype dtype, void *to, const Expander &expander) {
  const uint64_t blocks = (elements + kPackedBlock - 1) / kPackedBlock;
  const uint64_t size = dtypeBytes(dtype),
                 groupBytes = zrt_packed_bytes(packing, kPackedGroup);
  alignas(64) std::byte last[kPackedBlock * sizeof(float)];
  for (uint64_t block = firstBlock; block < lastBlock;) {
    const uint64_t g = block / kBlocksOfGroup, start = g * kBlocksOfGroup;
    const uint64_t end = std::min(lastBlock, start + kBlocksOfGroup);
    const Group group(packing, packed + g * groupBytes,
                      std::min(kBlocksOfGroup, blocks - start));
    for (; block < end; ++block) {
      const uint64_t first = block * kPackedBlock, in = block - start;
      const uint64_t count = std::min(kPackedBlock, elements - first);
      auto *place = static_cast<std::byte *>(to) + first * size;
      // The last block has room for its own elements only.
      std::byte *out = count < kPackedBlock ? last : place;
      if (packing == ZRT_NF4)
        dequantizeNormalFloats(group.codes + in * (kPackedBlock / 2),
                               group.normalScale(in), dtype, out, expander);
      else
        dequantizeInt8(group.codes + in * kPackedBlock,
                       floatAt(group.scales + in * sizeof(float)), dtype, out);
      if (out == last)
        std::memcpy(place, last, count * size);
    }
  }
}
