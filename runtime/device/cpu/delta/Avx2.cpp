//===- Avx2.cpp - The gated delta rule for AVX2 and FMA -------------------===//
#define ZRT_TARGET avx2
#define ZRT_LANES 8
#include "runtime/device/cpu/delta/Loops.inc"
