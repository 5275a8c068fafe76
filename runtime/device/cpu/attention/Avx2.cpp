//===- Avx2.cpp - Attention for AVX2 and FMA ------------------------------===//
#define ZRT_TARGET avx2
#define ZRT_LANES 8
#define ZRT_ROWS 6
#define ZRT_VECTORS 2
#include "runtime/device/cpu/attention/Loops.inc"
