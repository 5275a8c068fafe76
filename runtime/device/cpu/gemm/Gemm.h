//===- Gemm.h - Matmuls of f32 on one thread --------------------*- C++ -*-===//
//
// The bits of an element of C depend only on its row of A, its column of B and
// k: not on the division of C, nor on neighbouring elements.  So threads may
// share a product in any way.  Processors with FMA also agree, whatever their
// vector width.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "abi/zrt.h"
#include "runtime/numbers/HalfFloats.h"

#include <cstddef>
#include <cstdint>

namespace zrt {

/// C = alpha op(A) op(B) + beta C + bias, with contiguous rows; op(A) is m x k,
/// op(B) is k x n.  With beta = 0 C is not read.  `From`, the type of A and B,
/// is float, Brain or Half.  16-bit operands are widened when they are copied,
/// and C has the bits of the product of the widened operands.
template <typename From>
struct GemmOf {
  bool transA = false, transB = false;
  int64_t m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
  const From *a = nullptr;
  int64_t lda = 0;
  const From *b = nullptr;
  int64_t ldb = 0;
  const float *bias = nullptr; ///< n values, added to each row; may be null
  float *c = nullptr;
  int64_t ldc = 0;
};
using Gemm = GemmOf<float>;

/// Computes on the calling thread.  `packing` has kGemmPackingBytes
/// (Targets.h), for copies of blocks of A and B.
void multiply(const Gemm &gemm, float *packing);
void multiply(const GemmOf<Brain> &gemm, float *packing);
void multiply(const GemmOf<Half> &gemm, float *packing);

/// The instruction set for loops that are compiled for several.
enum class InstructionSet { Portable, Avx2, Avx512 };
InstructionSet instructionSet();

/// What the rows and columns of a thread's part of C are multiples of: those of
/// a tile in registers, but a vector where tiles may have fewer columns.
struct GemmUnits {
  int64_t rows, columns;
};
GemmUnits gemmUnits();

} // namespace zrt
