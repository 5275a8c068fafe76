//===- Avx512Bf16.cpp - Matmuls with AVX512_BF16 --------------------------===//
#include "runtime/device/cpu/gemm/Gemm16.h"

#include <bit>
#include <immintrin.h>

#define ZRT_TARGET avx512bf16
#define ZRT_LANES 16
#define ZRT_ROWS 8
#define ZRT_VECTORS 3
#define ZRT_PAIRS
#include "runtime/device/cpu/gemm/Loops.inc"
