//===- Pack.h - Parameters of 4 and 8 bits an element -----------*- C++ -*-===//
//
// A block of 64 elements has a scale, the largest of their absolute values, and
// an element the code that is nearest to its quotient by the scale:
//
//   nf4    a code of Codebooks.h: byte j of a block has that of element j in its
//          lower half, and that of element 32 + j in its upper half
//   int8   a number from -127 to 127, ties to even; the scale is stored divided
//          by 127
//
// Scales of nf4 are packed as well ("double quantisation"): of a group of 256
// blocks their mean, the largest distance from it, and a code of Codebooks.h for
// each distance divided by that.  zrt.h says where all this lies in a group.
//
// A group depends on its own elements only, so a parameter has the same bytes
// however it is cut, at groups or anywhere in them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

constexpr uint64_t kPackedBlock = ZRT_PACKED_BLOCK;
constexpr uint64_t kBlocksOfGroup = ZRT_PACKED_GROUP;
constexpr uint64_t kPackedGroup = kPackedBlock * kBlocksOfGroup;

/// Packs `count` elements, from 1 to kPackedGroup, all of them finite, into
/// zrt_packed_bytes(packing, count) bytes.
void packGroup(uint32_t packing, const float *values, uint64_t count,
               std::byte *to);

} // namespace zrt
