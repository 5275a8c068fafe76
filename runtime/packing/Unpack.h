//===- Unpack.h - Unpacks packed parameters ---------------------*- C++ -*-===//
//
// An element is the number of its code times the scale of its block, in f32,
// rounded once if the type is bf16 or f16.  A scale of nf4 is mean + range x
// number, with both operations rounded: no FMA.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"

#include <cstddef>

namespace zrt {

/// Functions that unpack blocks to a type, from their codes (see Pack.h) and
/// one scale per block.
struct Expander {
  using Run = void(const std::byte *codes, const float *scales, uint64_t blocks,
                   void *to);
  Run *wide, *brain, *half; ///< f32, bf16, f16
};

/// The expanders for nf4, and for int8: one for every processor, and those for
/// some processors.
extern const Expander kPortableExpander, kPortableScaler;
#ifdef __x86_64__
extern const Expander kAvx2Expander, kAvx2Scaler, kAvx512Expander,
    kAvx512Scaler;
#endif
/// Return true if this processor has AVX2 and F16C, or AVX-512 (F, BW, VL).
bool hasAvx2Expander();
bool hasAvx512Expander();

/// The fastest expander for `packing` on this processor.
const Expander &bestFor(uint32_t packing);

/// Unpacks blocks [firstBlock, lastBlock) of a parameter of `elements` elements
/// to `to`: f32, bf16 or f16.
void unpack(uint32_t packing, const std::byte *packed, uint64_t elements,
            uint64_t firstBlock, uint64_t lastBlock, zrt_dtype dtype, void *to,
            const Expander &expander);
inline void unpack(uint32_t packing, const std::byte *packed, uint64_t elements,
                   uint64_t firstBlock, uint64_t lastBlock, zrt_dtype dtype,
                   void *to) {
  unpack(packing, packed, elements, firstBlock, lastBlock, dtype, to,
         bestFor(packing));
}

} // namespace zrt
