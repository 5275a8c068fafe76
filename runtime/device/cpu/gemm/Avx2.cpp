//===- Avx2.cpp - Matrix products for AVX2 and FMA ------------------------===//
#define ZRT_TARGET avx2
#define ZRT_LANES 8
#define ZRT_ROWS 4
#define ZRT_VECTORS 3
#include "runtime/device/cpu/gemm/Loops.inc"
