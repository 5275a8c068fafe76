//===- Dequantize.h - Packed parameters, to compute with --------*- C++ -*-===//
//
// An element is its code's number times the scale of its block, in f32, rounded
// once to bf16 or f16 if it is to be one.  A scale of nf4 is mean + range x number,
// each rounded: no FMA.
//
// A block of nf4 has 16 different elements at most.  These are computed, and then
// copied to where their codes are; so all instruction sets give the same bits, and
// the wider ones differ in how they copy.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_PACKING_DEQUANTIZE_H
#define ZRT_PACKING_DEQUANTIZE_H

#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

/// How 64 codes of 4 bits become elements: to[i] = table[code of i], as Pack.h has
/// codes, for elements of 32 and of 16 bits.
struct Expander {
  void (*wide)(const std::byte *codes, const uint32_t *table, uint32_t *to);
  void (*half)(const std::byte *codes, const uint16_t *table, uint16_t *to);
};

/// Of every processor; and of this one, the fastest.
extern const Expander kPortableExpander;
const Expander &bestExpander();
#ifdef __x86_64__
/// Of processors with AVX2, and with AVX-512 (F, BW, VL).
extern const Expander kAvx2Expander, kAvx512Expander;
#endif

/// Writes blocks [firstBlock, lastBlock) of `elements` packed ones, at their places
/// in `to`: f32, bf16 or f16.
void dequantize(uint32_t packing, const std::byte *packed, uint64_t elements,
                uint64_t firstBlock, uint64_t lastBlock, zrt_dtype dtype,
                void *to, const Expander &expander = bestExpander());

} // namespace zrt

#endif // ZRT_PACKING_DEQUANTIZE_H
