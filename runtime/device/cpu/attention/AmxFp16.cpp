//===- AmxFp16.cpp - Attention of f16 with AMX's tiles --------------------===//
#define ZRT_TARGET amxfp16
#define ZRT_HALVES
#define ZRT_LANES 16
#define ZRT_ROWS 4
#define ZRT_VECTORS 4
#define ZRT_PAIRS
#include "runtime/device/cpu/attention/Loops.inc"
