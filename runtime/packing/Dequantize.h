//===- Dequantize.h - Packed parameters, to compute with --------*- C++ -*-===//
//
// An element is its code's number times the scale of its block, in f32, rounded
// once to bf16 or f16 if it is to be one.  A scale of nf4 is mean + range x number,
// each rounded: no FMA.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

/// How so many blocks become elements of a type: from their codes, as Pack.h has
/// them, and a scale for each.
struct Expander {
  using Run = void(const std::byte *codes, const float *scales, uint64_t blocks,
                   void *to);
  Run *wide, *brain, *half; ///< f32, bf16, f16
};

/// Of nf4, for every processor; and for this one, the fastest.  ScaleInt8.h has
/// those of int8.
extern const Expander kPortableExpander;
const Expander &bestExpander();
/// Whether this processor has AVX2 and F16C, and AVX-512 (F, BW, VL).
bool hasAvx2Expander();
bool hasAvx512Expander();
#ifdef __x86_64__
extern const Expander kAvx2Expander, kAvx512Expander;
#endif

/// The fastest of `packing`.
const Expander &bestFor(uint32_t packing);

/// Writes blocks [firstBlock, lastBlock) of `elements` packed ones, at their places
/// in `to`: f32, bf16 or f16.
void dequantize(uint32_t packing, const std::byte *packed, uint64_t elements,
                uint64_t firstBlock, uint64_t lastBlock, zrt_dtype dtype,
                void *to, const Expander &expander);
inline void dequantize(uint32_t packing, const std::byte *packed,
                       uint64_t elements, uint64_t firstBlock,
                       uint64_t lastBlock, zrt_dtype dtype, void *to) {
  dequantize(packing, packed, elements, firstBlock, lastBlock, dtype, to,
             bestFor(packing));
}

} // namespace zrt
