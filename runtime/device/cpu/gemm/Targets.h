//===- Targets.h - Products for each instruction set ------------*- C++ -*-===//
//
// Loops.inc is compiled once for each instruction set.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cpu/gemm/Gemm.h"

namespace zrt {

/// The rows of A that are packed at a time; with 384 k this is 1.5 MiB, which
/// stream through the second-level cache.
constexpr int64_t kGemmRows = 1024;
/// The columns of B that are packed at a time; with 384 k this is 288 KiB,
/// which leaves room in the second-level cache for prefetched data.
constexpr int64_t kGemmColumns = 192;
/// The longest sum that is kept in registers.  Another value gives other bits,
/// so it is part of the definition of a product.
constexpr int64_t kGemmDepth = 384;

/// The block of a 16-bit C that is computed in f32 and rounded at a time.  A
/// product of no more rows packs no more rows.
constexpr int64_t kRoundedRows = 384, kRoundedColumns = 768;

/// A product with up to this many rows reads B once, in place (Few.inc).
constexpr int64_t kFewRows = 8;

/// The most rows of a tile of C, less one: zeros that the last panel may have.
constexpr int64_t kGemmPadding = 7;

/// The bytes that a product packs: columns of B, then rows of A.
constexpr int64_t kGemmPackingBytes =
    (kGemmRows + kGemmPadding + kGemmColumns) * kGemmDepth *
    int64_t(sizeof(float));
static_assert(kGemmPackingBytes <= ZRT_PACKING_BYTES);

#define ZRT_GEMM_TARGET(NAME)                                                  \
  namespace NAME {                                                             \
  extern const GemmUnits kUnits;                                               \
  void multiply(const Gemm &gemm, float *packing);                             \
  void multiply(const GemmOf<Brain> &gemm, float *packing);                    \
  void multiply(const GemmOf<Half> &gemm, float *packing);                     \
  }

ZRT_GEMM_TARGET(portable)
#ifdef __x86_64__
ZRT_GEMM_TARGET(avx2)
ZRT_GEMM_TARGET(avx512)
#endif
#undef ZRT_GEMM_TARGET

} // namespace zrt
