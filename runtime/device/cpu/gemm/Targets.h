//===- Targets.h - One product, several instruction sets --------*- C++ -*-===//
//
// Loops.inc is compiled once for each.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/device/cpu/gemm/Gemm.h"

namespace zrt {

/// Rows of A that are packed at a time; with 384 of k these are 1.5 MiB that
/// stream through the second-level cache.
constexpr int64_t kGemmRows = 1024;
/// Columns of B that are packed at a time: with 384 of k 288 KiB, which leave
/// room there for what is fetched ahead.
constexpr int64_t kGemmColumns = 192;
/// The longest sum that is kept in registers.  Part of the meaning of a
/// product: another value gives other bits.
constexpr int64_t kGemmDepth = 384;

/// Rows and columns of a C of 16 bits that are computed in f32 and rounded at a
/// time.  A product of no more rows packs no more than these.
constexpr int64_t kRoundedRows = 384, kRoundedColumns = 768;

/// The bytes that a product packs: columns of B, and then rows of A.
constexpr int64_t kGemmPackingBytes =
    (kGemmRows + kGemmColumns) * kGemmDepth * int64_t(sizeof(float));
static_assert(kGemmPackingBytes <= ZRT_PACKING_BYTES);

#define ZRT_GEMM_TARGET(NAME)                                                  \
  namespace NAME {                                                             \
  extern const GemmTile kTile;                                                 \
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
