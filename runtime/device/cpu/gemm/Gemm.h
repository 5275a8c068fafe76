//===- Gemm.h - Matrix products of f32 on one thread ------------*- C++ -*-===//
//
// The bits of an element of C depend on its row of A, its column of B and k,
// and on nothing else: not on where C is cut, nor on its neighbours.  So
// threads may share a product in any way.  Processors with FMA agree as well,
// whatever the width of their vectors.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/HalfFloats.h"
#include "runtime/zrt.h"

#include <cstddef>
#include <cstdint>

namespace zrt {

/// C = alpha op(A) op(B) + beta C + bias, rows contiguous; op(A) is m x k,
/// op(B) k x n.  With beta = 0 C is not read.  `From` is float, Brain or Half:
/// what A and B consist of; they are widened when they are copied, and the bits
/// of C are those of the product of the widened operands.
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

/// The instruction set that loops which are compiled for several run with.
enum class InstructionSet { Portable, Avx2, Avx512 };
InstructionSet instructionSet();

/// Sizes of the tile of C that is kept in registers.
struct GemmTile {
  int64_t rows, columns;
};
GemmTile gemmTile();

} // namespace zrt
