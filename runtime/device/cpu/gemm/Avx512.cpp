//===- Avx512.cpp - Matmuls for AVX-512 -----------------------------------===//
#define ZRT_TARGET avx512
#define ZRT_LANES 16
#define ZRT_ROWS 8
#define ZRT_VECTORS 3
#include "runtime/device/cpu/gemm/Loops.inc"
