//===- Pack.h - Packs parameters to 4 or 8 bits per element -----*- C++ -*-===//
//
// The scale of a block of 64 elements is the largest of their absolute values.
// An element's code is the nearest to the element divided by the scale:
//
//   nf4    a code of Codebooks.h; byte j of a block has the code of element j
//          in its lower half, and that of element 32 + j in its upper half
//   int8   a number from -127 to 127, ties to even; the scale is stored divided
//          by 127
//
// Scales of nf4 are packed as well ("double quantization"): a run of 256
// blocks stores the mean of its scales, the largest distance from the mean, and
// for each scale a code of Codebooks.h for its distance divided by the largest.
// zrt.h documents the layout of a run.
//
// A run depends on its own elements only, so a parameter has the same bytes
// for every division into pieces, at borders of runs or inside them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>

namespace zrt {

constexpr uint64_t kPackedBlock = ZRT_PACKED_BLOCK;
constexpr uint64_t kBlocksOfRun = ZRT_PACKED_RUN;
constexpr uint64_t kPackedRun = kPackedBlock * kBlocksOfRun;

/// Packs `count` elements, from 1 to kPackedRun, all of them finite, into
/// zrt_packed_bytes(packing, count) bytes.
void packRun(uint32_t packing, const float *values, uint64_t count,
             std::byte *to);

} // namespace zrt
