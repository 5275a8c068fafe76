//===- Amx.cpp - Products of bf16 matrices with AMX tiles -----------------===//
#define ZRT_TARGET amx
#include "runtime/device/cpu/gemm/AmxLoops.inc"
