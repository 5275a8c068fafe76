//===- TileProducts.cpp - Products by a model of AMX's tiles --------------===//
#define ZRT_TARGET tile_products
#define ZRT_TILE_MODEL "test/unit/runtime/TileModel.h"
#include "test/unit/runtime/TileProducts.h"

#include "runtime/device/cpu/gemm/Amx.cpp"
