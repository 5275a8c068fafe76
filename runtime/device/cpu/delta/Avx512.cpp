//===- Avx512.cpp - The gated delta rule for AVX-512 ----------------------===//
#define ZRT_TARGET avx512
#define ZRT_LANES 16
#include "runtime/device/cpu/delta/Loops.inc"
