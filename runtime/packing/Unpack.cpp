//===- Unpack.cpp - Unpacks packed parameters -----------------------------===//
#include "runtime/packing/Unpack.h"

#include "numerics/Codebooks.h"
#include "runtime/packing/Pack.h"
#include "runtime/plan/Vocabulary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

using namespace zrt;

namespace {

float floatAt(const std::byte *bytes) {
  float value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

/// Unpacks some blocks of a run.
void expand(const Expander &expander, zrt_dtype dtype, const std::byte *codes,
            const float *scales, uint64_t blocks, void *to) {
  const auto run = dtype == ZRT_F32    ? expander.wide
                   : dtype == ZRT_BF16 ? expander.brain
                                       : expander.half;
  run(codes, scales, blocks, to);
}

/// The parts of a run.
struct PackedRun {
  const std::byte *codes, *scales;
  float mean = 0, range = 0; ///< of packed scales

  PackedRun(uint32_t packing, const std::byte *at, uint64_t blocks)
      : codes(at) {
    if (packing == ZRT_INT8) {
      scales = at + blocks * kPackedBlock;
      return;
    }
    const std::byte *after = at + blocks * (kPackedBlock / 2);
    mean = floatAt(after);
    range = floatAt(after + sizeof(mean));
    scales = after + sizeof(mean) + sizeof(range);
  }

  /// Reads the scales of blocks [first, last).
  void readScales(uint32_t packing, uint64_t first, uint64_t last,
                  float *to) const {
    if (packing == ZRT_INT8) {
      std::memcpy(to, scales + first * sizeof(float),
                  (last - first) * sizeof(float));
      return;
    }
    const std::array<float, 256> &numbers = scaleFloats();
    // Rounding can make the largest scales infinite.
    for (uint64_t b = first; b < last; ++b)
      to[b - first] =
          std::min(mean + range * numbers[static_cast<uint8_t>(scales[b])],
                   std::numeric_limits<float>::max());
  }
};

} // namespace

void zrt::unpack(uint32_t packing, const std::byte *packed, uint64_t elements,
                 uint64_t firstBlock, uint64_t lastBlock, zrt_dtype dtype,
                 void *to, const Expander &expander) {
  const uint64_t blocks = (elements + kPackedBlock - 1) / kPackedBlock;
  const uint64_t wholeBlocks = elements / kPackedBlock;
  const uint64_t size = dtypeBytes(dtype),
                 codeBytes =
                     packing == ZRT_NF4 ? kPackedBlock / 2 : kPackedBlock,
                 runBytes = zrt_packed_bytes(packing, kPackedRun);
  float scales[kBlocksOfRun];
  for (uint64_t block = firstBlock; block < lastBlock;) {
    const uint64_t g = block / kBlocksOfRun, start = g * kBlocksOfRun;
    const uint64_t end = std::min(lastBlock, start + kBlocksOfRun),
                   whole = std::max(std::min(end, wholeBlocks), block);
    const PackedRun run(packing, packed + g * runBytes,
                        std::min(kBlocksOfRun, blocks - start));
    const std::byte *codes = run.codes + (block - start) * codeBytes;
    auto *place = static_cast<std::byte *>(to) +
                  (block - firstBlock) * kPackedBlock * size;
    run.readScales(packing, block - start, end - start, scales);
    expand(expander, dtype, codes, scales, whole - block, place);
    if (whole < end) { // a partial last block: `to` has no room for more
                       // elements
      alignas(64) std::byte last[kPackedBlock * sizeof(float)];
      expand(expander, dtype, codes + (whole - block) * codeBytes,
             scales + (whole - block), 1, last);
      std::memcpy(place + (whole - block) * kPackedBlock * size, last,
                  (elements - whole * kPackedBlock) * size);
    }
    block = end;
  }
}
