//===- Avx512.cpp - Attention for AVX-512 ---------------------------------===//
#define ZRT_TARGET avx512
#define ZRT_LANES 16
#define ZRT_ROWS 4
#define ZRT_VECTORS 4
#include "runtime/device/cpu/attention/Loops.inc"
