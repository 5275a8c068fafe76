//===- Avx512Bf16.cpp - Attention with AVX512_BF16 ------------------------===//
#define ZRT_TARGET avx512bf16
#define ZRT_LANES 16
#define ZRT_ROWS 4
#define ZRT_VECTORS 4
#define ZRT_PAIRS
#define ZRT_DOTS
#include "runtime/device/cpu/attention/Loops.inc"
