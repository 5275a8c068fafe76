//===- Gemm16.h - Matmuls of bf16 and f16 on one thread ---------*- C++ -*-===//
//
// Sums are in f32 and rounded once.  The bits of an element of C depend only on
// its row of A, its column of B, k and the kernel.  The kernel of a plan
// depends on the features that the plan was compiled for, not on the machine
// that it runs on; docs/runtime.md has the order in which each kernel adds.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "numerics/Kernel16.h"
#include "runtime/device/cpu/gemm/Gemm.h"

#include <cstddef>
#include <cstdint>

namespace zrt {

/// C = scale op(A) op(B) + old C + bias, added in this order; otherwise as in
/// GemmOf.
struct Gemm16 {
  bool transA = false, transB = false, accumulate = false;
  float scale = 1;
  int64_t m = 0, n = 0, k = 0;
  zrt_dtype type = 0; ///< of A and B: ZRT_BF16 or ZRT_F16
  const uint16_t *a = nullptr;
  int64_t lda = 0;
  const uint16_t *b = nullptr;
  int64_t ldb = 0;
  zrt_dtype biasType = 0; ///< `type` or ZRT_F32
  const std::byte *bias = nullptr;
  zrt_dtype cType = 0; ///< `type` or ZRT_F32
  std::byte *c = nullptr;
  int64_t ldc = 0;
};

/// Asks the system for resources that products of `type` by `kernel` need
/// besides instructions.  Throws zrt::Error if it refuses.
void enable(Kernel16 kernel, zrt_dtype type);

/// Computes on the calling thread.  `packing` has ZRT_PACKING_BYTES.
void multiply(const Gemm16 &gemm, Kernel16 kernel, float *packing);

/// What cells are multiples of, and the cost of copying an element of an
/// operand, in multiply-adds.
struct Costs {
  GemmUnits units;
  double a, transposedA, b, transposedB;
};
Costs costsOf(Kernel16 kernel, zrt_dtype type);

namespace avx512bf16 {
extern const GemmUnits kUnits;
/// As in Gemm.h, in the order of Pairs.inc; m, n and k are not 0.
void multiply(const GemmOf<Brain> &gemm, float *packing);
} // namespace avx512bf16

namespace amx {
/// `type` is ZRT_BF16, and k is not 0.
void multiply(const Gemm16 &gemm, float *packing);
} // namespace amx

namespace amxfp16 {
/// `type` is ZRT_F16, and k is not 0.
void multiply(const Gemm16 &gemm, float *packing);
} // namespace amxfp16

} // namespace zrt
