//===- AmxFp16.cpp - Products of f16 matrices with AMX tiles --------------===//
#define ZRT_TARGET amxfp16
#define ZRT_HALVES
#include "runtime/device/cpu/gemm/AmxLoops.inc"
