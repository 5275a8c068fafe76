//===- TileProducts.h - Products by a model of AMX's tiles ------*- C++ -*-===//
#pragma once

#include "runtime/device/cpu/gemm/Gemm16.h"

namespace zrt {

namespace tile_products {
/// As amx::multiply, for processors with AVX-512.
void multiply(const Gemm16 &gemm, float *packing);
} // namespace tile_products

namespace tile_products_fp16 {
/// As amxfp16::multiply.
void multiply(const Gemm16 &gemm, float *packing);
} // namespace tile_products_fp16

} // namespace zrt
