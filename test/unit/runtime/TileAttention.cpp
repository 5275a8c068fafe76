//===- TileAttention.cpp - Attention by a model of AMX's tiles ------------===//
#define ZRT_TARGET tile_attention
#define ZRT_TILE_MODEL "test/unit/runtime/TileModel.h"
#define ZRT_LANES 16
#define ZRT_ROWS 4
#define ZRT_VECTORS 4
#define ZRT_PAIRS
#include "test/unit/runtime/TileAttention.h"

#include "runtime/device/cpu/attention/Loops.inc"

#undef ZRT_TARGET
#define ZRT_TARGET tile_attention_fp16
#define ZRT_HALVES
#include "runtime/device/cpu/attention/Loops.inc"
