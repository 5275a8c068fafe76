//===- Portable.cpp - The gated delta rule for any processor --------------===//
#define ZRT_TARGET portable
#define ZRT_LANES 4
#include "runtime/device/cpu/delta/Loops.inc"
