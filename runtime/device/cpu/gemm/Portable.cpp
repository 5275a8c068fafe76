//===- Portable.cpp - Matmuls for every processor -------------------------===//
#define ZRT_TARGET portable
#define ZRT_LANES 4
#define ZRT_ROWS 4
#define ZRT_VECTORS 2
#include "runtime/device/cpu/gemm/Loops.inc"
