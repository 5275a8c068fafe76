//===- Dequantize.h - Packed parameters, to compute with --------*- C++ -*-===//
//
// An element is its code's number times the scale of its block, in f32, rounded
// once to bf16 or f16 if it is to be one.  A scale of nf4 is mean + range x number,
// each rounded: no FMA.
//
//===----------------------------------------------------------------------===//
#ifndef ZRT_PACKING_DEQUANTIZE_H
#define ZRT_PACKING_DEQUANTIZE_H

#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

/// How so many blocks of nf4 become elements of a type: from their codes, as Pack.h
/// has them, and a scale for each.
struct Expander {
  using Run = void(const std::byte *codes, const float *scales, uint64_t blocks,
                   void *to);
  Run *wide, *brain, *half; ///< f32, bf16, f16
};

/// Of every processor; and of this one, the fastest.
extern const Expander kPortableExpander;
const Expander &bestExpander();
/// Whether this processor has AVX2 and F16C, and AVX-512 (F, BW, VL).
bool hasAvx2Expander();
bool hasAvx512Expander();
#ifdef __x86_64__
extern const Expander kAvx2Expander, kAvx512Expander;
#endif

/// Writes blocks [firstBlock, lastBlock) of `elements` packed ones, at their places
/// in `to`: f32, bf16 or f16.
void dequantize(uint32_t packing, const std::byte *packed, uint64_t elements,
                uint64_t firstBlock, uint64_t lastBlock, zrt_dtype dtype,
                void *to, const Expander &expander = bestExpander());

} // namespace zrt

#endif // ZRT_PACKING_DEQUANTIZE_H
