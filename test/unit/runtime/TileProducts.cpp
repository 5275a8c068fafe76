//===- TileProducts.cpp - Products by a model of AMX's tiles --------------===//
#define ZRT_TARGET tile_products
#define ZRT_TILE_MODEL "test/unit/runtime/TileModel.h"
#include "test/unit/runtime/TileProducts.h"

#include "runtime/device/cpu/gemm/AmxLoops.inc"

#undef ZRT_TARGET
#define ZRT_TARGET tile_products_fp16
#define ZRT_HALVES
#include "runtime/device/cpu/gemm/AmxLoops.inc"
