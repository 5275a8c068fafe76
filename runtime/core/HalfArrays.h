//===- HalfArrays.h - Arrays of 16-bit floats as f32 ------------*- C++ -*-===//
#pragma once

#include "runtime/zrt.h"

#include <cstddef>

namespace zrt {

/// Whether it is bf16 or f16.
constexpr bool is16Bits(zrt_dtype dtype) {
  return dtype == ZRT_BF16 || dtype == ZRT_F16;
}
/// Whether it is bf16, f16 or f32, which these convert.
constexpr bool isConvertible(zrt_dtype dtype) {
  return is16Bits(dtype) || dtype == ZRT_F32;
}

/// to[i] = from[i], `count` numbers of `dtype`: bf16, f16 or f32.
void widen(const void *from, zrt_dtype dtype, size_t count, float *to);

/// to[i] = from[i], rounded to `dtype`: bf16, f16 or f32.
void narrow(const float *from, size_t count, zrt_dtype dtype, void *to);

} // namespace zrt
