//===- Avx2.cpp - Matmuls for AVX2 and FMA --------------------------------===//
//
// A tile of 6 x 2 vectors, two of B and one of A leave a register of the 16
// free.  With 4 x 3 there would be none, and then LLVM keeps a sum in memory.
//
//===----------------------------------------------------------------------===//
#define ZRT_TARGET avx2
#define ZRT_LANES 8
#define ZRT_ROWS 6
#define ZRT_VECTORS 2
#include "runtime/device/cpu/gemm/Loops.inc"
